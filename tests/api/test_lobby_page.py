"""The front door for people: who plays what, how it stands, and a line to paste that is safe to paste."""

from __future__ import annotations

import re

import pytest

from kleos.api.pages import lobby_page
from kleos.api.program import CALLED
from kleos.api.routes.games import newest
from tests.api.conftest import Newcomer
from tests.scenarios.client import Client
from tests.scenarios.server import Server


def page(caller: Client, **headers: str) -> str:
    answer = caller.ask("GET", "/", Accept="text/html", **headers)
    assert answer.status == 200
    return answer.body.decode()


def row(caller: Client, match: str) -> str:
    """What the lobby says of a match."""
    name = match.rpartition("/")[2]
    [found] = [each for each in page(caller).split("<tr>") if f"<code>{name}</code>" in each]
    return found


def test_a_match_is_shown_with_its_players_and_who_is_to_move(newcomer: Newcomer, stranger: Client) -> None:
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 2)
    assert "open: 1 of 2 seats free" in row(stranger, match)
    guest.join(match, 1)
    name, other = (each.get("/v1/players/me")["player"]["name"] for each in (host, guest))
    shown = row(stranger, match)
    assert f"playing: {name}, {other} to move" in shown
    assert f"0: {name}<br>1: {other}" in shown
    assert f'href="{match}/report"' in shown
    assert re.search(r'<time datetime="\d{4}-[^"]+Z">\d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC</time>', shown)
    host.ask("DELETE", f"{match}/seats/0")
    assert f"finished: {other} won (resignation)" in row(stranger, match)
    assert f"0: {name} (resigned)" in row(stranger, match)


def test_bots_are_named_as_such(newcomer: Newcomer, stranger: Client) -> None:
    host = newcomer()
    match = host.create("tiny", 2)
    host.command(f"{match}/seats", {"seat": 1, "bot": "greedy"})
    assert "1: greedy (bot)" in row(stranger, match)


@pytest.mark.parametrize("host", ["kleos.example", "kleos.example:8443", "[::1]:8000"])
def test_the_line_to_paste_leads_to_where_the_page_came_from(stranger: Client, host: str) -> None:
    assert f"--server http://{host}</pre>" in page(stranger, Host=host)


@pytest.mark.parametrize("host", ["x;reboot", "$(reboot)", "'", "user@kleos.example"])
def test_what_is_no_host_is_not_shown_as_one(stranger: Client, host: str) -> None:
    shown = page(stranger, Host=host)
    assert "--server" not in shown
    assert "kleos play new iliad --auto 1</pre>" in shown


def test_the_lines_to_paste_call_the_program_as_its_server_was_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(CALLED, "python3 dev.py")
    shown = lobby_page("", newest(), []).decode()
    assert "<pre>python3 dev.py play new" in shown
    assert "<code>python3 dev.py play</code>" in shown


def test_every_link_stays_on_the_server(server: Server, stranger: Client) -> None:
    links = re.findall(r'(?:href|src)="([^"]*)"', page(stranger))
    assert links
    assert all(link.startswith(("/", "data:")) and not link.startswith("//") for link in links), server.url
