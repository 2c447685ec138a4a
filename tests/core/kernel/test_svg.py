"""The parts of pictures: text that stays text, numbers that do not hang on a machine, seats told apart."""

import re
import xml.etree.ElementTree as ET

import pytest

from kleos.core.kernel import svg


@pytest.mark.parametrize(
    ("value", "told"),
    [(0, "0"), (-0.04, "0"), (1.25, "1.2"), (-3.0, "-3"), (12345.67, "12345.7")],
)
def test_lengths_have_one_decimal_at_most(value: float, told: str) -> None:
    assert svg.number(value) == told


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "\"'&amp;", "]]>", "a\x00b\x1b\ufffe", "καὶ"])
def test_text_stays_text(text: str) -> None:
    picture = svg.document(10, 10, text, text, svg.words(1, 2, text, text), svg.at(0, 0, title=text))
    told = re.sub("[\x00\x1b\ufffe]", "\ufffd", text)
    root = ET.fromstring(picture)
    assert [each.text for each in root.iter() if each.tag[-4:] in ("text", "desc")] == [told, told]
    assert len([each for each in root.iter() if each.tag.endswith("title") and each.text == told]) == 2


def test_seats_differ_in_shape_as_well_as_in_colour_and_bear_their_number() -> None:
    marks = [svg.mark(seat, 0, 0) for seat in range(6)]
    assert all(f">{seat}</text>" in mark for seat, mark in enumerate(marks))
    shapes = {re.sub(r' class="[^"]*"', "", mark.partition("<text")[0]) for mark in marks}
    colours = {re.findall(r' class="([^"]*)"', mark)[0] for mark in marks}
    assert (len(shapes), len(colours)) == (6, 6)


def test_lines_are_broken_between_words_and_none_is_lost() -> None:
    text = "the deck is shuffled and a very-long-word-that-fits-nowhere stands alone"
    lines = svg.wrapped(text, 150, size=10)
    assert " ".join(lines) == text
    assert len(lines) > 2
    assert all(len(line) <= 150 / 5.6 or " " not in line for line in lines)


def test_a_hexagon_stands_on_a_corner() -> None:
    points = re.findall(r"(-?[\d.]+),(-?[\d.]+)", svg.hexagon(100, 100, 40, "sea"))
    assert ("100", "60") in points
    assert ("100", "140") in points
    assert len(set(points)) == 6


def test_a_picture_is_no_wider_than_the_window_and_stands_in_its_middle() -> None:
    drawn = svg.document(1120, 700, "A table", "In words")
    root = re.search(r"[.]kleos\{([^}]*)\}", drawn)
    assert root is not None
    said = dict(each.strip().split(":") for each in root[1].split(";"))
    assert (said["max-width"], said["height"], said["display"], said["margin"]) == (
        *("100%", "auto", "block", "0 auto"),
    )
