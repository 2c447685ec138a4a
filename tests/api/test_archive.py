"""kleos archive and kleos import, and the API over what they leave."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from buckets import S3
from msgspec.structs import replace

from kleos.api.command import main
from kleos.events import notary
from kleos.events.archive import Archive
from kleos.events.bundle import pack, unpack
from kleos.events.importing import take_in
from kleos.events.keys import keys_in
from kleos.events.log import Log
from kleos.events.objects import objects_at
from kleos.events.store import Store
from kleos.projections.words import READ_ONLY
from tests.api.conftest import problem
from tests.scenarios.client import Client, play
from tests.scenarios.server import PATIENCE, Server

Kleos = Callable[..., tuple[int, str]]
Read = tuple[str | None, bytes]
"""An ETag, and a body."""


class Table:
    """A server of these tests' own, two players, and everything that there is to read of a match."""

    def __init__(self, home: Path, **settings: str) -> None:
        self.server = Server(home, **settings)
        self.server.start()
        self.data = home / "data"
        self.anna = Client(self.server.url, patience=PATIENCE).register("Anna")
        self.ben = Client(self.server.url, patience=PATIENCE).register("Ben")

    def played(self, seed: int) -> str:
        """A match of Tiny that was played to its end; its path."""
        match = self.anna.create("tiny", 2)
        self.ben.join(match, 1)
        for _ in play(match, [self.anna, self.ben], random.Random(seed)):
            pass
        return match

    def restart(self) -> None:
        """Forget what is in memory."""
        self.server.kill()
        self.server.start()

    def close(self) -> None:
        self.anna.close()
        self.ben.close()
        self.server.kill()


def public(match: str, reader: Client) -> dict[str, Read]:
    """What everybody reads of a match that is over."""
    last = reader.get(match)["version"]
    places = [f"{match}/checkpoint", f"{match}/proof?from=2&to={last}", f"{match}/bundle"]
    places += [
        f"{match}/events?limit=3",
        f"{match}/events?after={last - 2}",
        f"{match}/diff?from=1&to={last}",
    ]
    for version in range(1, last + 1):
        places += [f"{match}/view?seat={seat}&at={version}" for seat in (0, 1, "spectator")]
        places += [f"{match}/proof?version={version}", f"{match}/events/{version}/explanation"]
    read = {place: reader.ask("GET", place) for place in places}
    read["stream"] = reader.ask("GET", f"{match}/events", Accept="application/x-ndjson")
    assert {each.status for each in read.values()} == {200}
    found = {place: (answer.headers.get("etag"), answer.body) for place, answer in read.items()}
    bundle = unpack(found.pop(f"{match}/bundle")[1])  # its proof from the ledger grows with that
    return found | {"bundle": (None, pack(replace(bundle, ledger=())))}


def everything(match: str, reader: Client) -> dict[str, Read]:
    """What a player reads of it, bookmarks and the list of matches included."""
    places = [match, f"{match}/view", f"{match}/moves", f"{match}/undo", f"{match}/bookmarks"]
    read = {place: reader.ask("GET", place) for place in [*places, "/v1/matches?game=tiny&status=finished"]}
    return public(match, reader) | {
        place: (answer.headers.get("etag"), answer.body) for place, answer in read.items()
    }


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    laid = Table(tmp_path_factory.mktemp("archive"))
    yield laid
    laid.close()


@pytest.fixture
def kleos(table: Table, capsys: pytest.CaptureFixture[str]) -> Kleos:
    """Runs a command on the table's store while its server goes on; exit code and output."""

    def run(*command: str) -> tuple[int, str]:
        capsys.readouterr()
        socket = f"unix://{table.data}/valkey.sock"
        code = main([*command, "--data", str(table.data), "--redis", socket])
        return code, capsys.readouterr().out

    return run


def archived(kleos: Kleos, match: str) -> dict[str, Any]:
    """What is told of a match that goes into the archive."""
    code, told = kleos("archive", "--older-than", "0s", "--json")
    *each, summary = map(json.loads, told.splitlines())
    assert (code, summary["left"], summary["shelved"]) == (0, 0, len(each))
    (shelved,) = (one for one in each if match.endswith(one["match"]))
    found: dict[str, Any] = shelved
    return found


def test_a_match_moves_while_it_is_served_and_nobody_can_tell(table: Table, kleos: Kleos) -> None:
    match = table.played(1)
    assert table.anna.ask("PUT", f"{match}/bookmarks/here", {"version": 4}).status == 200
    before = [everything(match, each) for each in (table.anna, table.ben)]
    shelved = archived(kleos, match)
    assert everything(match, table.ben) == before[1]
    table.restart()
    assert [everything(match, each) for each in (table.anna, table.ben)] == before
    name = f"{shelved['match']}-{shelved['bundle']}.kleos"
    bundle = table.data / "archive" / name[:2] / name
    assert bundle.read_bytes() == table.ben.ask("GET", f"{match}/bundle").body
    assert len(unpack(bundle.read_bytes()).ledger) == 1
    assert kleos("fsck")[1].endswith("all is well\n")
    assert kleos("rules", "check")[1].endswith("come out the same, 0 do not\n")
    nothing = "0 matches, 0 events, 0 bytes moved into the archive\n"
    assert kleos("archive", "--older-than", "0s") == (0, nothing)


def test_what_goes_on_from_a_match_goes_on_from_the_archive(table: Table, kleos: Kleos) -> None:
    zoe = Client(table.server.url).register("Zoe")
    match = zoe.create("tiny", 2)
    table.ben.join(match, 1)
    last = zoe.ask("DELETE", f"{match}/seats/0").json["version"]
    shelved = archived(kleos, match)
    child = table.ben.command(f"{match}/forks", {"at": last - 1}).json
    assert (child["parent"]["match"], child["status"]) == (shelved["match"], "playing")
    assert table.ben.command(f"{match}/rematch", None).json["rematch_of"] == shelved["match"]
    problem(table.ben.ask("POST", f"{match}/undo", {"seat": 1, "to": 2}), 409, "match_finished")
    assert table.ben.ask("PUT", f"{match}/bookmarks/late", {"version": last}).status == 200
    data = table.ben.ask("GET", f"{match}/bundle").body
    assert zoe.ask("DELETE", "/v1/players/me").status == 204
    assert [each["player"]["name"] for each in table.ben.get(match)["seats"]] == [None, "Ben"]
    assert table.ben.ask("GET", f"{match}/bundle").body == data
    zoe.close()


def test_only_what_has_been_over_for_long_enough_moves(table: Table, kleos: Kleos) -> None:
    over, going = table.played(2), table.anna.create("tiny", 2)
    table.ben.join(going, 1)
    assert kleos("archive")[1].startswith("0 matches")
    assert kleos("archive", "--older-than", "1h")[1].startswith("0 matches")
    assert archived(kleos, over)
    view, etag = table.anna.view(going, 0)
    assert table.anna.move(going, 0, view["moves"][0]["move"], etag)["event"]["kind"] == "move"


def given_up_in_private(table: Table) -> str:
    """A private match that is over; its path."""
    made = table.anna.command(
        "/v1/matches", {"game": "tiny", "seats": 2, "seat": 0, "visibility": "private"}
    ).json
    match = f"/v1/matches/{made['id']}"
    table.ben.command(f"{match}/seats", {"seat": 1, "invite": made["invite"]})
    assert table.anna.ask("DELETE", f"{match}/seats/0").json["status"] == "finished"
    return match


def test_what_the_archive_has_not_got_is_a_problem_that_names_the_match(table: Table, kleos: Kleos) -> None:
    match, secret = table.played(3), given_up_in_private(table)
    name = archived(kleos, match)["match"]
    folder, elsewhere = table.data / "archive", table.data / "elsewhere"
    folder.rename(elsewhere)
    folder.write_text("not a folder")
    table.restart()
    impatient = Client(table.server.url)
    answer = impatient.ask("GET", f"{match}/view")
    problem(answer, 503, "archive_unavailable")
    problem(impatient.ask("GET", f"{secret}/view"), 404, "not_found")
    member = Client(table.server.url)
    member.token = table.ben.token
    problem(member.ask("GET", f"{secret}/view"), 503, "archive_unavailable")
    member.close()
    assert answer.headers["retry-after"] == "5"
    folder.unlink()
    elsewhere.rename(folder)
    (bundle,) = folder.rglob(f"{name}-*.kleos")
    whole = bundle.read_bytes()
    bundle.unlink()
    told = problem(impatient.ask("GET", f"{match}/view"), 500, "archive_damaged")
    assert told["detail"] == f"match {name} is missing from the archive"
    for code, found in (kleos("fsck"), kleos("rules", "check")):
        assert (code, f"match {name} is missing from the archive" in found) == (1, True)
    listed = impatient.get("/v1/matches", game="tiny", status="finished")["items"]
    assert name in [each["id"] for each in listed]
    bundle.write_bytes(whole)
    assert impatient.ask("GET", f"{match}/view").status == 200
    impatient.close()


def test_a_match_that_was_exported_is_imported_where_there_is_nothing(
    table: Table, kleos: Kleos, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    match = table.played(5)
    name, file = match.rpartition("/")[2], tmp_path / "match.kleos"
    assert main(["export", name, "--server", table.server.url, "-o", str(file)]) == 0
    assert kleos("import", str(file))[1].endswith(f"match {name} was there already\n")
    stranger = Client(table.server.url)
    before = public(match, stranger)
    bare = Server(tmp_path)
    for said in ("is in the store now", "was there already"):
        assert main(["import", str(file), "--data", str(tmp_path / "data")]) == 0
        assert capsys.readouterr().out.endswith(f"match {name} {said}\n")
    assert main(["fsck", "--data", str(tmp_path / "data")]) == 0
    bare.start()
    stranger.close()
    stranger.turn_to(bare.url)
    after = public(match, stranger)
    assert stranger.ask("GET", f"{match}/bundle").body == file.read_bytes()
    assert {place: body for place, (_, body) in after.items()} == {
        place: body for place, (_, body) in before.items()
    }
    assert [each["id"] for each in stranger.get("/v1/matches")["items"]] == [name]
    assert [each["player"]["name"] for each in stranger.get(match)["seats"]] == [None, None]
    stranger.close()
    assert bare.stop() == 0


@pytest.fixture
def own_table(tmp_path: Path) -> Iterator[Table]:
    """A table of one test's own."""
    laid = Table(tmp_path)
    yield laid
    laid.close()


def test_a_match_that_was_brought_in_under_way_is_read_only_and_waits_for_nobody(
    own_table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    match = own_table.anna.create("tiny", 2)
    own_table.ben.join(match, 1)
    before = own_table.anna.get(f"{match}/view")
    assert before["moves"] != []
    asyncio.run(brought_in(own_table.data, match.rpartition("/")[2]))
    own_table.restart()
    seen = own_table.anna.ask("GET", f"{match}/view")
    assert seen.json == before | {"moves": [], "read_only": True}
    page, listed = own_table.anna.get(match), own_table.anna.get("/v1/matches")["items"]
    assert [page] == listed
    assert (page["status"], page["read_only"], page["to_act"]) == ("playing", True, [])
    told = own_table.anna.ask("GET", f"{match}/view", Accept="text/plain").body.decode()
    assert READ_ONLY in told
    assert "Was to act: seat 0, seat 1" in told
    assert own_table.anna.get(f"{match}/moves")["moves"] == []
    move = {"seat": 0, "move": before["moves"][0]["move"]}
    problem(own_table.anna.ask("POST", f"{match}/moves", move), 409, "frozen")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for command in ("play", "replay"):
        assert main([command, match.rpartition("/")[2], "--server", own_table.server.url]) == 0
        assert "read-only copy" in capsys.readouterr().out
    began = time.monotonic()
    etag = seen.headers["etag"]
    assert own_table.anna.ask("GET", f"{match}/view", Prefer="wait=20", If_None_Match=etag).status == 304
    last = own_table.anna.ask("GET", f"{match}/events?after={before['version']}", Prefer="wait=20")
    assert (last.json["items"], last.headers["preference-applied"]) == ([], "wait=20")
    assert time.monotonic() - began < 20
    assert own_table.anna.ask("DELETE", "/v1/players/me").status == 204, (
        "it keeps nobody from being forgotten"
    )


async def brought_in(data: Path, match: str) -> None:
    """Take a match out of the store of a server, and put it back from its bundle."""
    archive = Archive(objects_at(data / "archive"))
    store = await Store.connect(f"unix://{data}/valkey.sock", archive=archive)
    signer = keys_in(data / "signing-key.pem").signer("kleos")
    bundle = await Log(store, signer).bundle(match, notary.everything)
    for part in ("events", "commands", "head", "snapshot"):
        key = store.key(store.bucket(match), f"m:{match}:{part}")
        await store.connection.call(key, "DEL", key)
    assert not (await take_in(store, [signer.verifier], bundle)).there
    await store.close()


@pytest.mark.slow
def test_a_server_reads_from_an_s3_style_store(
    s3: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = f"{s3.bucket()}/kleos"
    laid = Table(tmp_path, KLEOS_ARCHIVE=place, **s3.environment)
    match = laid.played(6)
    before = everything(match, laid.anna)
    for name, setting in s3.environment.items():
        monkeypatch.setenv(name, setting)
    where = ("--data", str(laid.data), "--redis", f"unix://{laid.data}/valkey.sock")
    assert main(["archive", "--older-than", "0s", "--to", place, *where]) == 0
    assert capsys.readouterr().out.startswith("1 matches, ")
    laid.restart()
    assert everything(match, laid.anna) == before
    assert not (laid.data / "archive").exists()
    laid.close()


def test_wrong_usage_says_what_would_be_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["archive", "--data", str(tmp_path)]) == 2
    assert "there is no signing key" in capsys.readouterr().err
    keys_in(tmp_path / "signing-key.pem")
    with pytest.raises(SystemExit):
        main(["archive", "--data", str(tmp_path), "--older-than", "soon"])
    assert "soon is not a number of s, m, h, d or w, such as 7d" in capsys.readouterr().err
    assert main(["archive", "--data", str(tmp_path), "--to", "ftp://example.org"]) == 2
    assert (
        "KLEOS_ARCHIVE (or --archive): an archive is a folder, or begins with s3://"
        in capsys.readouterr().err
    )
    assert main(["import", str(tmp_path / "no.kleos"), "--data", str(tmp_path)]) == 1
    assert "no.kleos: no such file" in capsys.readouterr().err
    (tmp_path / "no.kleos").write_bytes(b"nothing")
    assert main(["import", str(tmp_path / "no.kleos"), "--data", str(tmp_path)]) == 1
    assert "not valid: not a whole zip archive" in capsys.readouterr().err
