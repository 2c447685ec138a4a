"""What tests read off a picture: its words, its shape, and whether it is whole in itself."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

SVG = "{http://www.w3.org/2000/svg}"


def read(svg: str) -> ET.Element:
    """The picture as XML; it must be one that describes itself, runs nothing and fetches nothing."""
    root = ET.fromstring(svg)
    assert (root.tag, root.get("role")) == (f"{SVG}svg", "img")
    named = {root.get("aria-labelledby"), root.get("aria-describedby")}
    assert [each.get("id") in named for each in root[:2]] == [True, True]
    tags = {each.tag.removeprefix(SVG) for each in root.iter()}
    assert tags <= {"svg", "title", "desc", "style", "g", "rect", "circle", "path", "polygon", "text"}
    written = svg.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|href|url\(|@import|\son\w+=|javascript", written)
    return root


def written(svg: str) -> list[str]:
    """The words on the picture, in the order in which they are drawn; not its description."""
    return [each.text or "" for each in read(svg).iter(f"{SVG}text")]


def drawn(svg: str) -> str:
    """The picture without the words for whoever does not see it."""
    return re.sub(r"<(title|desc)[^>]*>[^<]*</\1>", "", svg)


def public(view: dict[str, Any], *left_out: str) -> dict[str, Any]:
    """What of a view must be seen on a picture."""
    return {name: value for name, value in view.items() if name not in left_out}


def golden(file: Path, svg: str, *, write: bool = False) -> None:
    """The picture is the one on file, which people have looked at."""
    if write:
        file.write_text(svg)
    assert file.read_text() == svg, "look at the new picture; if it is good, run this module to keep it"
