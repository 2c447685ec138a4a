"""kleos explain and the report of a match, offline and from a server; to everybody what they may know."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from bundles import Cheat, Descended, Record, finished, forked, other_effect
from matches import TRUSTED, played
from msgspec.structs import replace
from tiny import DiceRolled

from kleos.api.command import main
from kleos.api.report_page import report_page
from kleos.api.report_text import report_lines
from kleos.api.report_words import drawn, seats, steps
from kleos.api.settings import KEY_FILE
from kleos.api.verify import PROVISO
from kleos.core.kernel import choices
from kleos.core.match import seats_to_act
from kleos.core.match.actions import Consent, Undo
from kleos.events.bundle import pack, unpack
from kleos.events.keys import keys_in
from kleos.events.log import Log
from kleos.events.notary import everything
from kleos.events.store import Store
from kleos.events.testimony import CosignedBy
from kleos.events.verifier import verify
from kleos.projections.draws import Draw
from kleos.projections.evidence import of_bundle
from kleos.projections.report import report
from tests.api.conftest import Newcomer, problem
from tests.api.test_proof import Match
from tests.scenarios.client import Client

Run = Callable[..., tuple[int, str, str]]
VALID = f"Valid, {PROVISO}. Every step holds"
NAME = "<img src=x onerror=alert(1)>&\"'"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """``run(file, "--json")``: exit code, output and errors of ``kleos explain``."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def words(*arguments: str | Path | int) -> tuple[int, str, str]:
        code = main(["explain", *map(str, arguments)])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return words


@pytest.fixture(scope="module")
def disputed() -> Record:
    """A match of Tiny with an undo by agreement, played to its end."""
    record = Record("tiny/1", seats=2, seed=3)
    record.sit()
    record.step()
    record.step()
    record.do("player0", 0, Undo(to=2))
    record.do("player1", 1, Consent(record.match.proposals[0].id))
    record.play()
    return record


@pytest.fixture
def file(disputed: Record, tmp_path: Path) -> Path:
    path = tmp_path / "match.kleos"
    path.write_bytes(disputed.bundle())
    return path


class Outline(HTMLParser):
    """What a page is made of, for whoever cannot see it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.headings: list[int] = []
        self.plain_heads: list[str] = []
        self.policy = ""
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags[tag] += 1
        self.ids += [name] if (name := given.get("id")) else []
        self.links += [place] if tag == "a" and (place := given.get("href")) else []
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"] or ""
        if tag == "th" and "scope" not in given:
            self.plain_heads.append(str(attrs))

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(record: Record, people: dict[str, str | None], **how: Any) -> str:
    data = record.bundle()
    return report_page(report(of_bundle(unpack(data)), verify(data), people), **how).decode()


# The page


def test_the_page_is_whole_in_itself_and_runs_nothing(disputed: Record) -> None:
    page = page_of(disputed, {"player0": NAME, "player1": None})
    outline = Outline(page)
    assert outline.tags["script"] == outline.tags["img"] == outline.tags["iframe"] == 0
    assert re.findall(r"<[^>]*\ssrc=|url\(|https?:|@import", page) == []
    assert outline.policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in outline.policy


def test_the_page_can_be_read_without_seeing_it(disputed: Record) -> None:
    outline = Outline(page_of(disputed, {}))
    assert (outline.tags["main"], outline.tags["header"], outline.tags["nav"], outline.tags["h1"]) == (
        1,
        1,
        1,
        1,
    )
    assert all(deeper - level <= 1 for level, deeper in pairwise(outline.headings))
    assert len(outline.ids) == len(set(outline.ids))
    assert {each[1:] for each in outline.links if each.startswith("#")} <= set(outline.ids)
    assert outline.plain_heads == []
    assert outline.tags["caption"] == outline.tags["table"] > 4


def test_a_name_is_never_more_than_text(disputed: Record) -> None:
    page = page_of(disputed, {"player0": f"{NAME}\u202e\x1b[31m\n", "player1": "\u202e"})
    assert NAME in Outline(page).text
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert "player player1" in page


@pytest.mark.parametrize("rules", ["iliad/1", "cyclades/1"])
def test_the_page_of_a_whole_game_tells_every_event(rules: str) -> None:
    record = finished(rules, seed=3)
    outline = Outline(page_of(record, {}))
    assert [each for each in outline.ids if re.fullmatch(r"v\d+", each)] == [
        f"v{version}" for version in range(1, len(record.entries) + 1)
    ]
    assert VALID in outline.text


def test_options_are_told_in_words_on_the_page_and_in_the_terminal() -> None:
    chosen = {"harpy": "remove", "tie_break": "metropolises_then_gold", "retreat_to_neutral": True}
    record = Record("cyclades/1", seats=2, seed=3, options=chosen)
    record.sit()
    data = record.bundle()
    told = report(of_bundle(unpack(data)), verify(data), {})
    for text in (Outline(report_page(told).decode()).text, "\n".join(report_lines(told))):
        for said in ("harpy: remove", "tie break: metropolises then gold", "retreat to neutral: yes"):
            assert said in text


def test_witnesses_and_what_they_signed_are_named(disputed: Record) -> None:
    data = disputed.bundle()
    witness = CosignedBy("ariadne.example+witness", 4, 1_767_225_600, 0)
    verdict = replace(verify(data), cosigned=(witness,))
    found = report(of_bundle(unpack(data)), verdict, {})
    for said in (Outline(report_page(found).decode()).text, "\n".join(report_lines(found))):
        assert "seat 0 cosigned the first 4 events: ariadne.example+witness" in said


# Offline


def test_a_file_is_told_with_its_verdict_and_what_was_undone(run: Run, file: Path) -> None:
    code, out, _ = run(file)
    assert code == 0
    assert VALID in out
    assert "[undone by event 6]" in out
    assert "event 6: back from version 4 to 2; passed over: 3 and 4; " in out
    assert "seat 0 proposed it in event 5; agreed: seat 1 in event 6" in out


def test_a_file_that_is_not_valid_is_told_with_where_its_proof_ends(run: Run, tmp_path: Path) -> None:
    record, path = Cheat(other_effect(DiceRolled, die=lambda die: die % 6 + 1)), tmp_path / "wrong.kleos"
    path.write_bytes(record.bundle())
    code, out, _ = run(path)
    assert code == 1
    assert "Not valid." in out
    spoiled = out.index(f"\n{record.spoiled:>5}  ")
    assert out[spoiled:].splitlines()[2].strip().startswith("FROM HERE ON NOTHING IS PROVEN: ")
    assert run(path, "--version", record.spoiled or 0)[0] == 1
    run(path, "-o", tmp_path / "wrong.html")
    assert "From here on nothing is proven: " in Outline((tmp_path / "wrong.html").read_text()).text


def test_what_has_not_the_form_of_events_gets_the_verdict_alone(run: Run, file: Path, tmp_path: Path) -> None:
    bundle = unpack(file.read_bytes())
    wrong = replace(bundle, events=(bundle.events[0].replace(b'"effects"', b'"defects"'), *bundle.events[1:]))
    (tmp_path / "wrong.kleos").write_bytes(pack(wrong))
    code, out, err = run(tmp_path / "wrong.kleos")
    assert (code, out) == (1, "")
    assert "they have not the form of events" in err
    assert "BAD   form" in err


def test_only_some_events_are_told_if_so_wished(run: Run, file: Path) -> None:
    _, out, _ = run(file, "--json", "--from", 3, "--to", 5)
    assert [each["version"] for each in msgspec.json.decode(out)["timeline"]] == [3, 4, 5]
    assert run(file, "--from", 5, "--to", 3)[0] == 2
    assert run(file, "--to", 9999)[0] == 2


def test_a_report_is_written_as_a_page(run: Run, file: Path, tmp_path: Path) -> None:
    for name, *which in (("whole.html",), ("one.html", "--version", "4"), ("two.html", str(file))):
        given = (file, *which) if name != "two.html" else (file, file)
        code, out, _ = run(*given, "-o", tmp_path / name)
        page = (tmp_path / name).read_text()
        assert (code, out.startswith(str(tmp_path / name))) == (0, True)
        assert page.startswith("<!doctype html>")


def test_an_event_is_explained_with_rule_chance_sight_and_alternatives(
    run: Run, file: Path, disputed: Record
) -> None:
    version = next(n for n, each in enumerate(disputed.entries, 1) if b'"type":"dice_rolled"' in each.public)
    code, out, _ = run(file, "--version", version)
    assert code == 0
    assert "tiny.4: the rules of tiny, 4" in out
    assert re.search(r"draw \d+ of the match: A die of 6 faces shows face [1-6]\.", out)
    assert re.search(r"word \d+: \d+ mod 6 = [0-5], and 1 more is [1-6]", out)
    assert re.search(r"secret: the link of version \d+, opened in this event: [0-9a-f]{64}", out)
    assert "Seen by everybody" in out
    assert "What seat" in out
    assert "come to the same" in out
    assert run(file, "--version", 9999)[0] == 2


def test_a_move_that_was_not_made_is_judged(run: Run, file: Path, disputed: Record) -> None:
    match = disputed.past(2)
    seat = seats_to_act(match)[0]
    legal = msgspec.json.encode(choices(disputed.game, match.state, seat)[0].move).decode()
    assert run(file, "--version", 2, "--seat", seat, "--move", legal)[0] == 0
    code, out, _ = run(file, "--version", 2, "--seat", 0, "--move", '{"type":"pledge","card":99}')
    assert code == 1
    assert "tiny.2: the rules of tiny, 2" in out
    for wrong in ('{"type":"castle"}', "{"):
        assert run(file, "--version", 2, "--seat", 0, "--move", wrong)[0] == 2


def test_a_file_with_sealed_parts_tells_what_it_holds(run: Run, disputed: Record, tmp_path: Path) -> None:
    path = tmp_path / "mine.kleos"
    path.write_bytes(disputed.bundle(lambda _version, name: name == "seat:0"))
    code, out, _ = run(path)
    assert code == 0
    assert "as seen by seat 0" in out
    assert f"Incomplete, {PROVISO}. All" in out
    assert "Seat 1 pledges a card." in out
    code, _, err = run(path, "--version", 3)
    assert (code, "parts are sealed" in err) == (2, True)


def test_two_stories_of_one_match_convict_the_server(run: Run, tmp_path: Path) -> None:
    for name, choice in (("a", 0), ("b", -1)):
        record = Record("tiny/1", seats=2, seed=7)
        record.sit()
        seat = seats_to_act(record.match)[0]
        record.do(record.actor(seat), seat, choices(record.game, record.match.state, seat)[choice].move)
        (tmp_path / name).write_bytes(record.bundle())
    code, out, _ = run(tmp_path / "a", tmp_path / "b")
    assert code == 1
    assert "The first 2 events are the same; event 3 is not." in out
    assert "The same key has signed both: play.example+" in out
    assert out.count(f"Valid, {PROVISO}. Every step") + out.count(f"Incomplete, {PROVISO}. All") == 2
    _, told, _ = run(tmp_path / "a", tmp_path / "b", "--json")
    assert [each["trusted"] for each in msgspec.json.decode(told)["sides"]] == [False, False]


def test_two_matches_are_not_compared(run: Run, disputed: Record, file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(Descended(forked(disputed, at=3)).bundle())
    code, out, err = run(file, other)
    assert (code, out) == (2, "")
    assert "these are two matches" in err


@pytest.mark.parametrize("asked", [(), ("--version", 3)])
def test_a_verdict_by_keys_that_nobody_named_says_what_it_hangs_on(
    run: Run, file: Path, tmp_path: Path, asked: tuple[object, ...]
) -> None:
    _, text, _ = run(file, *asked)
    run(file, *asked, "-o", tmp_path / "page.html")
    for told in (text, (tmp_path / "page.html").read_text()):
        assert VALID in told
    _, data, _ = run(file, *asked, "--json")
    assert msgspec.json.decode(data)["verdict"]["trusted"] is False
    _, text, _ = run(file, *asked, "--key", TRUSTED[0].vkey)
    assert "Valid. Every step holds" in text


def test_a_proposal_is_told_as_asked_for(run: Run, file: Path) -> None:
    _, out, _ = run(file)
    assert "at seat 0: ask to go back to version 2" in out
    _, out, _ = run(file, "--version", 5)
    assert "at seat 0: ask to go back to version 2" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--seat", "x"], "--seat is a number, or spectator"),
        (["--seat", "7"], "there is no seat 7: the seats are 0 to 1"),
        (["--move", "{"], "--move is no JSON"),
        (["--move", "{}", "--seat", "0"], "this is no move of tiny"),
        (["--version", "999"], "the versions are 1 to "),
        (["--from", "0"], "the versions are 1 to "),
        (["--from", "4", "--to", "3"], "--from 4 is after --to 3"),
        (["--key", "nonsense++"], "not an Ed25519"),
        (["nosuch.kleos"], "nosuch.kleos: no such file"),
    ],
)
def test_wrong_usage_is_said_in_one_line(run: Run, file: Path, arguments: list[str], said: str) -> None:
    code, out, err = run(file, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_what_is_no_bundle_is_said_to_be_none(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"root:x:0:0")
    code, _, err = run(path)
    assert (code, "is no bundle" in err) == (2, True)


def test_a_bundle_that_was_cut_off_is_not_valid(run: Run, file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])
    code, _, err = run(file)
    assert (code, "no whole bundle" in err) == (1, True)


def test_a_match_that_cannot_be_asked_for_is_not_called_invalid(run: Run) -> None:
    code, _, err = run("4V0M" + 22 * "0", "--server", "http://127.0.0.1:1")
    assert (code, err.count("\n")) == (2, 1)


def test_a_name_that_is_neither_a_file_nor_a_match_is_said_to_be_neither(run: Run) -> None:
    code, _, err = run("match.kleo")
    assert (code, "match.kleo: no such file, and no such match" in err) == (2, True)


# Words


def test_steps_that_were_not_taken_have_each_its_own_reason(disputed: Record) -> None:
    opened, sealed = (verify(disputed.bundle(shows)) for shows in (everything, lambda _version, _name: False))
    why = {each.step: each.words for each in steps(opened) if each.holds is None}
    assert why == {
        "receipts": "no receipt was given",
        "ledger": "there is no proof from the server's own log",
        "witnesses": "no witness has cosigned",
        "parent": "the match has no parent",
    }
    hidden = {each.step: each.words for each in steps(sealed) if each.holds is None}
    assert hidden == why | dict.fromkeys(("chance", "rules", "states"), "some parts are sealed")


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (Draw("shuffle", 0), "There is nothing to shuffle."),
        (Draw("shuffle", 1, order=(0,)), "One thing alone is shuffled."),
        (Draw("shuffle", 75), "75 things are shuffled; how is hidden."),
        (Draw("pick", 3), "One of 3 is picked; which one is hidden."),
    ],
)
def test_a_draw_is_told_as_far_as_it_is_open(draw: Draw, said: str) -> None:
    assert drawn(draw) == said


def test_seats_are_told_as_seats() -> None:
    told = [seats(each) for each in ((), (0,), (0, 2, 3))]
    assert told == ["nobody", "seat 0", "seat 0, seat 2 and seat 3"]


# From a server


def test_a_server_tells_a_running_match_as_its_viewer_may_know_it(
    served: str, run: Run, newcomer: Newcomer, stranger: Client
) -> None:
    match = Match(served)
    match.play(2)
    code, out, _ = run(match.id, "--server", served, "--token", str(match.players[0].token))
    assert code == 0
    assert "as seen by seat 0" in out
    assert "Ariadne, at seat 0" in out
    assert f"Incomplete, {PROVISO}. All" in out
    version = match.players[0].match(match.id)["version"]
    code, out, _ = run(
        match.id, "--server", served, "--token", str(match.players[0].token), "--version", version
    )
    assert code == 0
    assert f"event {version} under tiny/1" in out
    other = problem(stranger.ask("GET", f"/v1/matches/{match.id}/report?seat=0"), 403, "forbidden")
    assert other["seat"] == 0


def test_when_it_is_over_everything_is_told_and_checked_here(served: str, run: Run, stranger: Client) -> None:
    match = Match(served)
    match.play()
    code, out, _ = run(match.id, "--server", served)
    assert code == 0
    assert "as seen by everybody" in out
    assert VALID in out
    assert "Bacchus, at seat 1" in out


def test_the_report_is_served_as_page_text_and_data(served: str, stranger: Client) -> None:
    match = Match(served)
    match.play()
    place = f"/v1/matches/{match.id}/report"
    assert stranger.get(f"/v1/matches/{match.id}")["links"]["report"] == place
    page = stranger.ask("GET", place, Accept="text/html")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "this server named its own" in page.body.decode()
    assert '<a href="/">' in page.body.decode()
    outline = Outline(page.body.decode())
    assert "Ariadne" in outline.text
    for link in (each for each in outline.links if each.startswith("/") and not each.endswith("bundle")):
        assert stranger.ask("GET", link).status == 200, link
    text = stranger.ask("GET", place, Accept="text/plain")
    assert b"Ariadne, at seat 0" in text.body
    data = stranger.ask("GET", place, Accept="application/json")
    assert data.json["verdict"]["status"] == "valid"
    tags = {each.headers["etag"] for each in (page, text, data)}
    assert len(tags) == 3
    again = stranger.ask("GET", place, Accept="text/html", If_None_Match=page.headers["etag"])
    assert (again.status, again.body) == (304, b"")


def test_the_lobby_leads_to_the_report(served: str, stranger: Client) -> None:
    match = Match(served)
    page = stranger.ask("GET", "/", Accept="text/html").body.decode()
    assert f"/v1/matches/{match.id}/report" in Outline(page).links


# From a store


def test_who_keeps_the_store_is_told_without_a_server(
    store_url: str, prefix: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def kept() -> str:
        store = await Store.connect(store_url, prefix=prefix)
        signer = keys_in(tmp_path / KEY_FILE).signer("kleos")
        done = await played(Log(store, signer), seed=1)
        await store.close()
        return done[0].match.id

    match = asyncio.run(kept())
    monkeypatch.setenv("KLEOS_PREFIX", prefix)
    code, out, _ = run(match, "--data", tmp_path, "--redis", store_url)
    assert (code, VALID in out) == (0, True)
    assert run("nowhere", "--data", tmp_path, "--redis", store_url)[0] == 2
    assert run(match, "--data", tmp_path / "elsewhere", "--redis", store_url)[0] == 2
