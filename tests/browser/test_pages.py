"""The pages for people, in a real browser: they show what they should, and fetch nothing from elsewhere."""

import json
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.scenarios.client import Client
from tests.scenarios.conftest import opened_match
from tests.scenarios.server import Server

pytestmark = pytest.mark.slow

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("server"))
    running.start()
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def match(server: Server) -> str:
    """The path of a match that is in the lobby."""
    ariadne = Client(server.url).register("Ariadne")
    path = ariadne.create("iliad", 2)
    ariadne.close()
    return path


@pytest.fixture(scope="module")
def played(server: Server) -> str:
    """The path of a match that is being played."""
    players = [Client(server.url).register(name) for name in ("Bacchus", "Calchas")]
    path = opened_match(players, "cyclades")
    for each in players:
        each.close()
    return path


def browser(folder: Path) -> list[str]:
    """A browser without a window, and what it keeps to itself."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    assert found is not None, f"this test needs one of {', '.join(BROWSERS)} on PATH"
    return [
        found, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={folder / 'profile'}", "--window-size=1200,900", "--virtual-time-budget=15000",
    ]  # fmt: skip


class Page:
    """A page as the browser left it: the document after its scripts ran, its picture, what it asked for."""

    def __init__(self, url: str, folder: Path) -> None:
        log, picture = folder / "net.json", folder / "page.png"
        common = browser(folder)
        dumped = subprocess.run(
            [*common, f"--log-net-log={log}", "--enable-logging=stderr", "--dump-dom", url],
            capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        shot = [*common, f"--screenshot={picture}", url]
        subprocess.run(shot, capture_output=True, timeout=120, check=True)
        self.document = dumped.stdout
        self.complaints = [line for line in dumped.stderr.splitlines() if "CONSOLE" in line]
        self.picture = picture.read_bytes()
        self.hosts = hosts(json.loads(log.read_text()))


def hosts(net_log: dict[str, list[dict[str, Any]]]) -> set[str]:
    """Every host that the page asked for something; what the browser does on its own has no initiator."""
    asked = [event["params"] for event in net_log["events"] if "initiator" in event.get("params", {})]
    return {urlsplit(each["url"]).netloc for each in asked if each["initiator"] != "not an origin"}


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/", ["Kleos", "Iliad", "Ariadne"]),
        ("/docs", ["/v1/matches", "/v1/players", "Idempotency-Key"]),
        ("/problems/stale", ["412"]),
        ("{match}/report", ["Iliad", "Ariadne", "lay out the match", "Incomplete"]),
        ("{played}/report", ["Cyclades", "Bacchus", "data:image/svg+xml"]),
        ("{played}/board.svg", ["Gods", "Creatures", "Seat 1"]),
    ],
)
def test_a_page_is_whole_and_stays_at_home(
    server: Server, match: str, played: str, tmp_path: Path, path: str, shown: list[str]
) -> None:
    page = Page(server.url + path.format(match=match, played=played), tmp_path)
    missing = [words for words in shown if words.lower() not in page.document.lower()]
    assert missing == []
    assert "authorization button locked" not in page.document, "a closed lock says that a token is sent"
    assert page.hosts <= {urlsplit(server.url).netloc}
    assert page.complaints == []
    assert colours(page.picture) > 1, "the picture is blank"


FRAME = """<!doctype html><title>not measured</title>
<iframe width="{width}" height="800" style="border:0" srcdoc="{page}"></iframe>
<script>onload = () => {{
  const inside = frames[0].document, parts = [...inside.querySelectorAll("body, body *")];
  const cut = parts.filter(each => each.getBoundingClientRect().right > {width});
  const clipped = parts.filter(each => each.clientWidth && each.scrollWidth > each.clientWidth);
  document.title = parts.length > 20 ? "cut: " + [...cut, ...clipped].map(each => each.tagName) : "no page";
}}</script>"""
"""A page as it lies on a screen so wide, and what of it does not fit."""


@pytest.mark.parametrize("width", [320, 400, 1280])
@pytest.mark.usefixtures("match", "played")
def test_nothing_of_the_lobby_is_cut_off_however_narrow_the_screen(
    server: Server, tmp_path: Path, width: int
) -> None:
    stranger = Client(server.url)
    page = stranger.ask("GET", "/", Accept="text/html").body.decode()
    style = stranger.ask("GET", "/static/kleos.css", Accept="*/*").body.decode()
    stranger.close()
    link = '<link rel="stylesheet" href="/static/kleos.css">'
    assert link in page
    framed = tmp_path / "framed.html"
    whole = page.replace(link, f"<style>{style}</style>")
    framed.write_text(FRAME.format(width=width, page=escape(whole)))
    command = [*browser(tmp_path), "--dump-dom", framed.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "<title>cut: </title>" in done.stdout, done.stdout.partition("</title>")[0]


def colours(png: bytes) -> int:
    """The number of different bytes in the pixels of a PNG: 1 for a page of one colour."""
    pixels, at = b"", 8
    while at < len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        if png[at + 4 : at + 8] == b"IDAT":
            pixels += png[at + 8 : at + 8 + length]
        at += length + 12
    return len(set(zlib.decompress(pixels)))
