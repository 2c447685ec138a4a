"""At the table: views, conditions, commands that come twice, the log, proofs."""

import json
import time
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest

from kleos.events.note import Verifier, open_checkpoint
from kleos.events.receipt import Growth
from tests.api.conftest import Newcomer, problem
from tests.scenarios.client import Answer, Client


class Table(NamedTuple):
    match: str
    host: Client
    guest: Client

    def first(self, seat: int = 0) -> tuple[dict[str, Any], str]:
        """The body of the seat's first legal move, and the ETag of its view."""
        view, etag = (self.host, self.guest)[seat].view(self.match, seat)
        return {"seat": seat, "move": view["moves"][0]["move"]}, etag


@pytest.fixture
def table(newcomer: Newcomer) -> Table:
    """A match of Tiny of which both seats are to act."""
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 2)
    guest.join(match, 1)
    return Table(match, host, guest)


def test_a_move_is_answered_with_event_receipt_and_view(table: Table) -> None:
    body, etag = table.first()
    answer = table.host.command(f"{table.match}/moves", body, If_Match=etag)
    played = answer.json
    assert answer.status == 201
    assert played["event"]["version"] == played["view"]["version"] == 3
    assert answer.headers["location"] == f"{table.match}/events/3"
    assert played["receipt"].startswith("c2sp.org/tlog-proof@v1\n")
    assert played["durability"] == "fsync"
    view, seen = table.host.view(table.match, 0)
    assert (view, seen) == (played["view"], answer.headers["etag"])
    assert table.host.get(answer.headers["location"])["event"] == played["event"]


def test_a_stale_move_is_told_what_it_missed(table: Table) -> None:
    """Fault 83."""
    body, etag = table.first()
    other, _ = table.first(1)
    table.guest.command(f"{table.match}/moves", other)
    answer = table.host.ask("POST", f"{table.match}/moves", body, If_Match=etag)
    found = problem(answer, 412, "stale")
    assert found["current"] == 3
    assert answer.headers["etag"] == table.host.view(table.match, 0)[1]
    links: Any = found["links"]
    missed = table.host.get(links["missed"])["items"]
    assert [each["event"]["version"] for each in missed] == [3]
    assert table.host.command(f"{table.match}/moves", body, If_Match=answer.headers["etag"]).status == 201


@pytest.mark.parametrize("etag", ['"3-nonsense"', 'W/"2-x"', '""'])
def test_a_foreign_etag_never_matches(table: Table, etag: str) -> None:
    problem(table.host.ask("POST", f"{table.match}/moves", table.first()[0], If_Match=etag), 412, "stale")


def test_what_is_no_etag_is_malformed(table: Table) -> None:
    problem(table.host.ask("POST", f"{table.match}/moves", table.first()[0], If_Match="2"), 400, "malformed")


def test_a_command_that_comes_twice_is_carried_out_once(table: Table) -> None:
    """Fault 87."""
    body, etag = table.first()
    headers = {"Idempotency_Key": "mine", "If_Match": etag}
    first = table.host.ask("POST", f"{table.match}/moves", body, **headers)
    table.guest.command(f"{table.match}/moves", table.first(1)[0])
    again = table.host.ask("POST", f"{table.match}/moves", body, **headers)
    assert (again.status, again.body) == (201, first.body)
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["idempotency-replayed"] == "true"
    other = {**body, "move": {**body["move"], "card": body["move"]["card"] + 1}}
    problem(table.host.ask("POST", f"{table.match}/moves", other, **headers), 422, "command_mismatch")
    assert table.host.get(table.match)["version"] == 4


def test_a_match_that_is_created_twice_is_one(newcomer: Newcomer) -> None:
    host = newcomer()
    body = {"game": "tiny", "seats": 2}
    first, again = (host.ask("POST", "/v1/matches", body, Idempotency_Key="k") for _ in range(2))
    assert first.headers["location"] == again.headers["location"]
    problem(
        host.ask("POST", "/v1/matches", {**body, "seats": 3}, Idempotency_Key="k"), 422, "command_mismatch"
    )


def test_fault_129_a_refusal_names_rule_and_reason_and_what_would_be_legal(table: Table) -> None:
    body, _ = table.first()
    body["move"]["card"] = 99
    found = problem(table.host.ask("POST", f"{table.match}/moves", body), 422, "illegal")
    assert str(found["rule"]).startswith("tiny.")
    assert found["reason"] == found["detail"]
    links: Any = found["links"]
    legal = table.host.get(links["legal_alternatives"])["moves"]
    tried = table.host.ask("POST", f"{table.match}/moves", {"seat": 0, "move": legal[0]["move"]})
    assert tried.status == 201


def test_trying_a_move_tells_whether_it_is_legal_and_nothing_happens(table: Table) -> None:
    body, etag = table.first()
    assert table.host.ask("POST", f"{table.match}/moves/check", body).json == {"legal": True, "version": 2}
    body["move"]["card"] = 99
    problem(table.host.ask("POST", f"{table.match}/moves/check", body), 422, "illegal")
    assert table.host.view(table.match, 0)[1] == etag


@pytest.mark.parametrize("path", ["", "/view?seat=0", "/moves"])
def test_what_has_not_changed_is_not_sent_again(table: Table, path: str) -> None:
    first = table.host.ask("GET", table.match + path)
    again = table.host.ask("GET", table.match + path, If_None_Match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    table.host.command(f"{table.match}/moves", table.first()[0])
    changed = table.host.ask("GET", table.match + path, If_None_Match=first.headers["etag"])
    assert changed.status == 200


def test_answers_depend_on_who_asks_and_what_they_accept(table: Table) -> None:
    for path in ("", "/view", "/moves", "/events", "/events/1", "/checkpoint"):
        varies = table.host.ask("GET", table.match + path, Accept="*/*").headers["vary"]
        assert varies == "Authorization, Accept"
    etags = {client.view(table.match, seat)[1] for seat, client in enumerate((table.host, table.guest))}
    etags.add(table.host.view(table.match, "spectator")[1])  # type: ignore[arg-type]
    assert len(etags) == 3


def test_the_past_is_immutable_and_says_so(table: Table) -> None:
    before, _ = table.host.view(table.match, 0)
    table.host.command(f"{table.match}/moves", table.first()[0])
    past = table.host.ask("GET", f"{table.match}/view?seat=0&at=2")
    assert "immutable" in past.headers["cache-control"]
    assert past.json["state"] == before["state"]
    assert (past.json["version"], past.json["head"], past.json["moves"]) == (2, 2, [])
    assert table.host.ask("GET", f"{table.match}/view?at=1").json["state"] is None


def test_a_view_by_version_stays_the_same_when_the_match_goes_on(table: Table) -> None:
    now, early = (table.host.ask("GET", f"{table.match}/view?seat=0{at}") for at in ("", "&at=2"))
    assert now.json["moves"]
    assert early.json == {**now.json, "moves": []}
    table.host.command(f"{table.match}/moves", table.first()[0])
    late = table.host.ask("GET", f"{table.match}/view?seat=0&at=2")
    assert (late.body, late.headers["etag"]) == (early.body, early.headers["etag"])
    assert early.headers["etag"] != now.headers["etag"]


def test_a_view_by_version_is_not_waited_for(table: Table) -> None:
    path = f"{table.match}/view?seat=0&at=2"
    etag = table.host.ask("GET", path).headers["etag"]
    began = time.monotonic()
    assert table.host.ask("GET", path, If_None_Match=etag, Prefer="wait=20").status == 304
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("at", ["", "?at=2"])
def test_a_view_in_words_is_not_taken_for_one_in_json(table: Table, at: str) -> None:
    path = f"{table.match}/view{at}"
    etags = [
        table.host.ask("GET", path, Accept=media).headers["etag"]
        for media in ("application/json", "text/plain")
    ]
    assert etags[0] != etags[1]
    assert table.host.ask("GET", path, Accept="text/plain", If_None_Match=etags[0]).status == 200
    assert table.host.ask("GET", path, Accept="text/plain", If_None_Match=etags[1]).status == 304


def test_the_past_is_found_by_the_time_of_day(table: Table) -> None:
    table.host.command(f"{table.match}/moves", table.first()[0])
    times = [item["event"]["at"] for item in table.host.get(f"{table.match}/events")["items"]]

    def seen(time: str) -> Answer:
        return table.host.ask("GET", f"{table.match}/view?time={time}")

    for version, at in enumerate(times, start=1):
        moment = datetime.fromtimestamp(at // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        same_time = max(n for n, other in enumerate(times, start=1) if other == at)
        assert seen(f"{moment}.{at % 1000:03}Z").json["version"] == same_time >= version
    assert seen("2999-01-01T00:00:00Z").json["version"] == len(times)
    assert seen("2000-01-01T01:00:00%2B01:00").json["code"] == "not_found"
    for wrong in ("yesterday", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00:00:00Z&at=2"):
        assert seen(wrong).json["code"] == "malformed"


def test_one_sees_through_ones_own_seat(table: Table, stranger: Client) -> None:
    """Fault 42."""
    assert table.guest.get(f"{table.match}/view")["seat"] == 1
    assert stranger.get(f"{table.match}/view")["seat"] is None
    spectator = table.host.get(f"{table.match}/view", seat="spectator")
    assert spectator["moves"] == []
    problem(table.host.ask("GET", f"{table.match}/view?seat=1"), 403, "forbidden")


def test_fault_130_the_moves_of_another_seat_are_an_empty_list(table: Table, stranger: Client) -> None:
    """Whoever asks, and whether that seat is to act or not: so nothing can be told from the answer."""
    path = f"{table.match}/moves?seat=1"
    own = table.guest.ask("GET", path)
    assert own.json["moves"]
    asked = [stranger.ask("GET", path), table.host.ask("GET", path)]
    assert [each.json for each in asked] == [{**own.json, "moves": []}] * 2
    assert own.headers["etag"] not in {each.headers["etag"] for each in asked}
    table.guest.command(f"{table.match}/moves", {"seat": 1, "move": own.json["moves"][0]["move"]})
    assert stranger.get(path) == {**asked[0].json, "version": own.json["version"] + 1}
    problem(stranger.ask("GET", f"{table.match}/moves?seat=2"), 400, "malformed")


@pytest.mark.parametrize("accept", ["application/json", "text/plain"])
def test_fault_131_a_view_can_be_had_without_the_legal_moves(table: Table, accept: str) -> None:
    whole = table.host.ask("GET", f"{table.match}/view?include=moves", Accept=accept)
    bare = table.host.ask("GET", f"{table.match}/view?include=none", Accept=accept)
    assert whole.headers["etag"] != bare.headers["etag"]
    assert whole.body == table.host.ask("GET", f"{table.match}/view", Accept=accept).body
    assert len(bare.body) < len(whole.body)
    if accept == "application/json":
        assert whole.json["moves"]
        assert bare.json == {**whole.json, "moves": []}
    problem(table.host.ask("GET", f"{table.match}/view?include=all"), 400, "malformed")


def test_once_over_everything_is_open(table: Table, stranger: Client) -> None:
    hand = table.host.get(f"{table.match}/view")["state"]["places"][0]["hand"]
    assert None not in hand
    table.guest.ask("DELETE", f"{table.match}/seats/1")
    seen = stranger.get(f"{table.match}/view", seat=1)
    assert seen["state"]["places"][0]["hand"] == hand
    assert seen["moves"] == []
    assert {name for each in stranger.events(table.match) for name in each["opened"]} >= {"seat:0", "server"}


def test_the_log_is_the_same_for_everybody_and_opened_for_each(table: Table, stranger: Client) -> None:
    logs = [list(each.events(table.match)) for each in (table.host, table.guest, stranger)]
    assert logs[0] != logs[1]
    public = [[item["event"] for item in log] for log in logs]
    assert public[0] == public[1] == public[2]
    opened = [{name for item in log for name in item["opened"]} for log in logs]
    assert opened == [{"seat:0"}, {"seat:1"}, set()]


def test_pages_and_lines_hold_the_same_items(table: Table) -> None:
    table.host.command(f"{table.match}/moves", table.first()[0])
    pages = list(table.host.events(table.match, limit=1))
    lines = table.host.ask("GET", f"{table.match}/events?live=false", Accept="application/x-ndjson")
    assert lines.headers["content-type"] == "application/x-ndjson"
    end = {"end": {"reason": "present", "version": 3, "reconnect": False}}
    assert [json.loads(line) for line in lines.body.splitlines()] == [*pages, end]
    assert [each["event"]["version"] for each in pages] == [1, 2, 3]
    assert table.host.get(f"{table.match}/events", after=3) == {"items": [], "next": None}


def test_checkpoints_are_signed_by_the_published_key(table: Table, stranger: Client) -> None:
    keys = [Verifier.parse(key) for key in stranger.get("/v1/keys")["keys"]]
    note = stranger.ask("GET", f"{table.match}/checkpoint").body.decode()
    origin = note.partition("\n")[0]
    assert origin.endswith(f"/m/{table.match.rpartition('/')[2]}")
    assert open_checkpoint(note, origin, keys).size == 2


def test_a_proof_is_the_receipt_that_was_given(table: Table, stranger: Client) -> None:
    played = table.host.command(f"{table.match}/moves", table.first()[0]).json
    proof = stranger.ask("GET", f"{table.match}/proof?version=3")
    assert proof.headers["content-type"].startswith("text/plain")
    assert proof.body.decode() == played["receipt"]
    problem(stranger.ask("GET", f"{table.match}/proof?version=4"), 404, "not_found")


def test_a_log_is_shown_to_have_only_grown(table: Table, stranger: Client) -> None:
    keys = [Verifier.parse(key) for key in stranger.get("/v1/keys")["keys"]]
    before = stranger.ask("GET", f"{table.match}/checkpoint").body.decode()
    old = open_checkpoint(before, before.partition("\n")[0], keys)
    table.host.command(f"{table.match}/moves", table.first()[0])
    proof = stranger.ask("GET", f"{table.match}/proof?from=2&to=3").body.decode()
    assert Growth.parse(proof).verify(old, keys).size == 3


@pytest.mark.parametrize("query", ["", "version=2&from=1", "from=1", "to=2", "from=0&to=2"])
def test_a_proof_of_nothing_in_particular_is_malformed(table: Table, query: str) -> None:
    problem(table.host.ask("GET", f"{table.match}/proof?{query}"), 400, "malformed")


def test_a_line_feed_at_the_end_is_part_of_what_is_sent(table: Table) -> None:
    for query in ("view?seat=spectator%0A", "view?seat=0%0A", "moves?seat=0%0A", "undo?seat=0%0A"):
        problem(table.host.ask("GET", f"{table.match}/{query}"), 400, "malformed")
    for action in ("consent", "refuse", "withdraw"):
        path = f"{table.match}/proposals/p8%0A/{action}"
        problem(table.host.ask("POST", path, {"seat": 0}), 404, "not_found")
    for path, body in {
        "/v1/players": {"name": "Ariadne\n"},
        "/v1/matches": {"game": "tiny", "seats": 2, "entropy": "AAAA\n"},
    }.items():
        problem(table.host.ask("POST", path, body), 400, "malformed")


@pytest.mark.parametrize("version", ["1%0A", "%201", "+1", "01", "1_0", "%D9%A1"])
def test_a_number_in_a_path_is_written_in_one_way(table: Table, version: str) -> None:
    problem(table.host.ask("GET", f"{table.match}/events/{version}"), 404, "not_found")
    problem(table.host.ask("DELETE", f"{table.match}/seats/{version}"), 404, "not_found")


@pytest.mark.parametrize("version", [0, 3, 2**63, 2**200])
def test_a_version_that_is_not_there_is_unknown(table: Table, version: int) -> None:
    problem(table.host.ask("GET", f"{table.match}/events/{version}"), 404, "not_found")
    path = f"{table.match}/view?at={max(version, 3)}"
    assert problem(table.host.ask("GET", path), 404, "not_found")["version"] == 2


@pytest.mark.parametrize(
    "query", ["view?at=null", "events?after=null", f"events?after={2**64}", "view?seat="]
)
def test_a_parameter_out_of_its_range_is_malformed(table: Table, query: str) -> None:
    problem(table.host.ask("GET", f"{table.match}/{query}"), 400, "malformed")


def test_a_move_of_another_game_is_told_which_game_this_is_and_where_its_moves_are(table: Table) -> None:
    for path in ("moves", "moves/check", "explain"):
        place, wrong = f"{table.match}/{path}", {"seat": 0, "move": {"type": "sail", "ships": 1}}
        said = problem(table.host.ask("POST", place, wrong), 400, "malformed")
        assert str(said["detail"]).startswith("Invalid value 'sail' - at `$.move.type`: one of ")
        assert str(said["detail"]).endswith(" (this is a match of tiny)")
        assert said["links"] == {"moves": f"{table.match}/moves"}
