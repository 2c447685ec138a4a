"""The ledger over HTTP, for a reader of C2SP tlog-tiles that is on this page; witnesses cosign."""

from __future__ import annotations

import asyncio
import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from bundles import cosigned, key_of

from kleos.api.command import main
from kleos.events import inscription, merkle
from kleos.events.note import Checkpoint, Verifier, b64, open_checkpoint
from kleos.events.receipt import Receipt
from kleos.events.store import Store
from kleos.events.verifier import verify
from tests.api.conftest import Newcomer, problem
from tests.scenarios.client import Answer, Client
from tests.scenarios.server import PATIENCE, Server

TINY = {"game": "tiny", "seats": 2, "seat": 0}


def get(client: Client, path: str, **headers: str) -> Answer:
    return client.ask("GET", path, **headers)


def signed_up(stranger: Client, name: str) -> tuple[str, dict[str, str]]:
    """A player with a key: the id, and the headers to speak with."""
    key = b64(key_of(name).public_key().public_bytes_raw())
    made = stranger.ask("POST", "/v1/players", {"name": name, "key": key}).json
    return made["player"]["id"], {"Authorization": f"Bearer {made['token']}"}


class Reader:
    """Reads the ledger as anybody can who has C2SP's page."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.keys = [Verifier.parse(each) for each in client.get("/v1/keys")["keys"]]
        self.host = self.keys[0].name

    def head(self) -> Checkpoint:
        note = get(self.client, "/v1/log/checkpoint").body.decode()
        return open_checkpoint(note, f"{self.host}/v1/log", self.keys)

    def tiles(self, kind: str, size: int) -> Iterator[bytes]:
        for number in range(0, size, 256):
            width = min(256, size - number)
            place = f"{number // 256:03}" + (f".p/{width}" if width < 256 else "")
            answer = get(self.client, f"/v1/log/tile/{kind}/{place}")
            assert answer.headers["content-type"] == "application/octet-stream"
            assert "immutable" in answer.headers["cache-control"]
            yield answer.body

    def entries(self, size: int) -> list[bytes]:
        found = []
        for bundle in self.tiles("entries", size):
            at = 0
            while at < len(bundle):
                end = at + 2 + int.from_bytes(bundle[at : at + 2], "big")
                found.append(bundle[at + 2 : end])
                at = end
        return found


def test_everybody_can_read_the_whole_ledger_and_find_a_match_by_its_id(
    newcomer: Newcomer, stranger: Client
) -> None:
    match = newcomer().ask("POST", "/v1/matches", TINY | {"visibility": "private"}).json["id"]
    public = newcomer().ask("POST", "/v1/matches", TINY).json["id"]
    get(stranger, f"/v1/matches/{public}/proof?log=true")
    reader = Reader(stranger)
    head = reader.head()
    entries = reader.entries(head.size)
    leaves = [merkle.leaf(each) for each in entries]
    assert b"".join(reader.tiles("0", head.size)) == b"".join(leaves)
    assert (len(leaves), merkle.root(leaves)) == (head.size, head.root)
    assert not any(match.encode() in each for each in entries), "ids are for those who know them"
    assert sum(inscription.name_of(match).encode() in each for each in entries) == 1


def test_a_proof_from_the_ledger_is_there_as_soon_as_the_match_is(
    newcomer: Newcomer, stranger: Client
) -> None:
    player = newcomer()
    match = player.ask("POST", "/v1/matches", TINY).json["id"]
    reader = Reader(stranger)
    told = inscription.prove(
        get(stranger, f"/v1/matches/{match}/proof?log=true").body.decode(), reader.host, match, reader.keys
    )
    receipt = Receipt.parse(get(stranger, f"/v1/matches/{match}/proof?version=1").body.decode())
    seen = open_checkpoint(receipt.checkpoint, f"{reader.host}/m/{match}", reader.keys)
    assert (told.head.size, told.head.root) == (seen.size, seen.root)
    for wrong in ("", "?log=false", "?log=true&version=1"):
        problem(get(stranger, f"/v1/matches/{match}/proof{wrong}"), 400, "malformed")
    problem(get(stranger, "/v1/matches/4V0M/proof?log=true"), 404, "not_found")


@pytest.mark.parametrize(
    "path",
    [
        "0/999",
        "0/000.p/256",
        "0/1",
        "0/x000/000",
        "9/000",
        "63/000.p/1",
        "64/000.p/1",
        "-1/000.p/1",
        "5/001",
        "0/x999/x999/x999/x999/x999/x999/999.p/1",
        "entries/x999/x999/x999/x999/x999/x999/999.p/1",
        "entries/999",
        "entries/0",
        "0/000/1",
    ],
)
def test_a_tile_that_is_not_there_is_not_found(stranger: Client, path: str) -> None:
    problem(get(stranger, f"/v1/log/tile/{path}"), 404, "not_found")


def test_deep_tiles_have_addresses_and_entries_are_packed_for_who_unpacks(
    newcomer: Newcomer, stranger: Client
) -> None:
    deep = stranger.ask("OPTIONS", "/v1/log/tile/0/x001/x234/067.p/12")
    assert (deep.status, deep.headers["allow"]) == (204, "GET, HEAD, OPTIONS")
    match = newcomer().ask("POST", "/v1/matches", TINY).json["id"]
    get(stranger, f"/v1/matches/{match}/proof?log=true")
    plain = get(stranger, "/v1/log/tile/entries/000.p/1", Accept_Encoding="identity")
    packed = get(stranger, "/v1/log/tile/entries/000.p/1", Accept_Encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert get(stranger, "/v1/log/tile/entries/000.p/1", Accept_Encoding="gzip;q=0").body == plain.body
    for kind in ("0", "entries"):
        for wrong in (f"{kind}/000.p/1/", f"{kind}//000.p/1", f"{kind}/./000.p/1"):
            problem(get(stranger, f"/v1/log/tile/{wrong}"), 404, "not_found")


def test_players_and_others_cosign_and_it_is_shown_and_proved(stranger: Client) -> None:
    anna, hers = signed_up(stranger, "anna")
    cleo, theirs = signed_up(stranger, "cleo")
    reader = Reader(stranger)
    match = stranger.ask("POST", "/v1/matches", TINY, **hers).json["id"]
    origin = f"{reader.host}/m/{match}"
    head = open_checkpoint(
        get(stranger, f"/v1/matches/{match}/checkpoint").body.decode(), origin, reader.keys
    )
    at = f"/v1/matches/{match}/report"
    unseen = stranger.ask("GET", at, Accept="text/plain")
    assert b"ok    ledger " in unseen.body
    assert re.search(rb"witnesses +no witness has cosigned\n", unseen.body)
    told = {}
    for player, name, headers in ((anna, "anna", hers), (cleo, "cleo", theirs)):
        line = cosigned(name, head, host=reader.host, player=player).line
        path, body = f"/v1/matches/{match}/cosignatures", {"size": 1, "cosignature": line}
        answer = stranger.ask("POST", path, body, **headers)
        assert (answer.status, answer.json["cosignature"]) == (200, line), answer
        later = cosigned(name, head, host=reader.host, player=player, at=1_767_225_999).line
        again = stranger.ask("POST", path, body | {"cosignature": later}, **headers)
        assert again.json == answer.json, "the first of a head stays"
        told[player] = line
    note = get(stranger, f"/v1/matches/{match}/checkpoint").body.decode()
    assert set(told.values()) < set(note.split("\n"))
    assert open_checkpoint(note, origin, reader.keys) == head
    report = verify(get(stranger, f"/v1/matches/{match}/bundle").body, reader.keys)
    assert {each.seat for each in report.cosigned} == {0, None}
    assert report.inscribed == 1
    assert report.passed[3:5] == ("ledger", "witnesses")
    seen = stranger.ask("GET", at, Accept="text/plain", If_None_Match=unseen.headers["etag"])
    assert (seen.status, b"ok    witnesses " in seen.body) == (200, True), "another witness, another report"


def test_a_cosignature_that_is_not_ones_own_or_of_this_log_is_refused(
    stranger: Client, newcomer: Newcomer
) -> None:
    dora, headers = signed_up(stranger, "dora")
    reader = Reader(stranger)
    match = stranger.ask("POST", "/v1/matches", TINY, **headers).json["id"]
    note = get(stranger, f"/v1/matches/{match}/checkpoint").body.decode()
    head = open_checkpoint(note, f"{reader.host}/m/{match}", reader.keys)
    right = cosigned("dora", head, host=reader.host, player=dora).line
    path = f"/v1/matches/{match}/cosignatures"
    for size, line, status, code in (
        (1, "nonsense", 400, "malformed"),
        (0, right, 404, "not_found"),
        (2, right, 404, "not_found"),
        (1, cosigned("dora", head, host=reader.host, player="another").line, 403, "forbidden"),
        (1, cosigned("eris", head, host=reader.host, player=dora).line, 403, "forbidden"),
        (1, right[:-6] + "AAAA==", 403, "forbidden"),
        (1, right + "\n" + right, 400, "malformed"),
    ):
        problem(stranger.ask("POST", path, {"size": size, "cosignature": line}, **headers), status, code)
    body = {"size": 1, "cosignature": right}
    other = Checkpoint(head.origin, 1, bytes(32))
    line = cosigned("dora", other, host=reader.host, player=dora).line
    problem(stranger.ask("POST", path, body | {"cosignature": line}, **headers), 403, "forbidden")
    late = cosigned("dora", head, at=1 << 40, host=reader.host, player=dora).line
    problem(stranger.ask("POST", path, body | {"cosignature": late}, **headers), 403, "forbidden")
    problem(newcomer().ask("POST", path, body), 403, "forbidden")
    problem(stranger.ask("POST", path, body), 401, "unauthenticated")
    assert stranger.ask("POST", path, body, **headers).json["size"] == 1


@pytest.mark.slow
def test_matches_go_on_and_are_taken_along_though_the_ledger_was_set_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = Server(tmp_path)
    server.start()
    player, guest = (Client(server.url, patience=PATIENCE).register(name) for name in ("Ariadne", "Bacchus"))
    match = player.create("tiny", 2)
    get(player, f"{match}/proof?log=true")

    async def set_back() -> None:
        store = await Store.connect(f"unix://{tmp_path}/data/valkey.sock")
        for part in ("entries", "state", "matches"):
            key = store.apart("ledger", part)
            await store.connection.call(key, "DEL", key)
        await store.close()

    asyncio.run(set_back())
    problem(get(player, "/v1/log/checkpoint"), 409, "frozen")
    problem(get(player, f"{match}/proof?log=true"), 409, "frozen")
    guest.join(match, 1)
    report = verify(get(player, f"{match}/bundle").body)
    player.close()
    guest.close()
    assert (report.failure, report.inscribed) == (None, None)
    assert server.stop() == 0
    data = str(tmp_path / "data")
    assert main(["fsck", "--data", data, "--accept"]) == 1
    assert "frozen: the store has 0 entries of the ledger, and not the 1 that were" in capsys.readouterr().out
    assert main(["fsck", "--data", data]) == 0
