"""A player as a witness: a server that keeps its word is cosigned, one that contradicts itself is shouted at.

The lies are real: they are signed with the server's own key.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from kleos.api.client import Client
from kleos.api.command import main
from kleos.api.keyring import Keyring
from kleos.api.terminal import Terminal
from kleos.api.watch import Watch
from kleos.api.witness import Contradiction, Witness
from kleos.events import inscription, notary
from kleos.events.keys import keys_in
from kleos.events.note import Checkpoint, Signer, b64, open_checkpoint
from kleos.events.verifier import verify
from tests.scenarios.server import Server

HOST = "kleos"
Lie = Callable[[int], int]


class Table:
    """One player with a keyring at the server of the tests, at matches of Tiny against a bot."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.signer = keys_in(server.home / "data" / "signing-key.pem").signer(HOST)
        self.keyring = Keyring(folder / "play.json")
        self.client = Client(server.url)
        key = self.keyring.new_key()
        made = self.client.register("Ariadne", b64(key.public_key().public_bytes_raw()))
        self.player = made["player"]["id"]
        self.keyring.keep_account(self.client.server, made["token"], self.player, key)

    def match(self, **rest: object) -> str:
        made: str = self.client.create("tiny", 2, seat=0, **rest)["id"]
        self.keyring.remember(made, self.client.server, self.client.token)
        return made

    def witness(self, match: str) -> Witness:
        return Witness(self.client, match, self.player, self.keyring)

    def claim(self, match: str, size: int) -> str:
        """A head that the server signs, of a log that there is not."""
        return self.signer.sign(Checkpoint(notary.origin(HOST, match), size, bytes(32)).text)


@pytest.fixture
def table(server: Server, tmp_path: Path) -> Table:
    return Table(server, tmp_path)


def test_a_match_is_watched_to_its_end_and_cosigned(table: Table) -> None:
    for _ in range(2):  # the second time the server's own log has to have grown out of what it was
        match = table.match()
        witness = table.witness(match)
        witness.saw(1)
        table.client.take_seat(match, bot="random")
        while (view := table.client.view(match))["status"] == "playing":
            witness.saw(view["version"])
            if view["to_act"] == [0] or 0 in view["to_act"]:
                table.client.play(match, 0, view["moves"][0]["move"])
            else:
                table.client.wait(match, view["version"])
        witness.saw(view["version"])
        assert witness.cosign() == view["version"]
        witness.look_up()
        report = verify(table.client.bundle(match), [table.signer.verifier])
        assert [(each.seat, each.size) for each in report.cosigned] == [(0, view["version"])]
    ledger = table.keyring.known(table.client.server).ledger
    assert ledger is not None
    assert open_checkpoint(ledger, inscription.origin(HOST), [table.signer.verifier]).size >= 2


@pytest.mark.parametrize(
    ("size", "says"),
    [
        (1, "two different logs of 1 events"),
        (5, "a log of 5 events, and has one of 1 now"),
    ],
)
def test_a_head_that_there_is_not_any_more_is_evidence(table: Table, size: int, says: str) -> None:
    match = table.match()
    table.keyring.saw_head(match, table.claim(match, size))
    with pytest.raises(Contradiction, match=says) as found:
        table.witness(match).saw(1)
    for note in found.value.notes:
        open_checkpoint(note, notary.origin(HOST, match), [table.signer.verifier])


def test_a_head_that_the_log_does_not_go_on_from_is_evidence(table: Table) -> None:
    match = table.match()
    table.keyring.saw_head(match, table.claim(match, 1))
    table.client.take_seat(match, bot="random")
    with pytest.raises(Contradiction, match="does not go on from the 1 before"):
        table.witness(match).saw(2)


def test_a_ledger_that_was_written_anew_is_evidence(table: Table) -> None:
    match = table.match()
    witness = table.witness(match)
    witness.saw(1)
    witness.look_up()
    known = table.keyring.known(table.client.server)
    for size in (1, 1 << 30):
        forged = table.signer.sign(Checkpoint(inscription.origin(HOST), size, bytes(32)).text)
        table.keyring.saw(table.client.server, replace(known, ledger=forged))
        with pytest.raises(Contradiction, match="own log does not go on"):
            witness.look_up()


def test_a_key_that_comes_from_nowhere_is_told_once(table: Table) -> None:
    other = Signer(HOST, Ed25519PrivateKey.generate()).verifier.vkey
    server = table.client.server
    table.keyring.saw(server, replace(table.keyring.known(server), keys=(other,)))
    match = table.match()
    with pytest.raises(Contradiction, match="another key than before"):
        table.witness(match).saw(1)
    table.witness(match).saw(1)


def test_it_is_said_aloud_and_the_evidence_kept(table: Table, tmp_path: Path) -> None:
    match, said = table.match(), io.StringIO()
    table.keyring.saw_head(match, table.claim(match, 5))
    watch = Watch(table.witness(match), table.keyring, Terminal(out=said))
    watch.saw(1)
    watch.saw(1)
    assert said.getvalue().count("THE SERVER CONTRADICTS ITSELF: it has signed a log of 5 events") == 1
    evidence = (tmp_path / f"evidence-{match}.txt").read_text()
    assert evidence.count("— kleos ") == 2


def test_who_cannot_be_asked_is_not_accused(table: Table) -> None:
    said = io.StringIO()
    watch = Watch(table.witness("4V0M"), table.keyring, Terminal(out=said))
    watch.saw(1)
    watch.end()
    assert said.getvalue() == ""


def test_a_match_of_signed_moves_is_played_in_the_terminal(
    table: Table, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "kleos").mkdir()
    table.keyring = Keyring(tmp_path / "kleos" / "play.json")
    key = table.keyring.new_key()
    made = table.client.register("Signer", b64(key.public_key().public_bytes_raw()))
    table.keyring.keep_account(table.client.server, made["token"], made["player"]["id"], key)
    match = table.match(signed=True)
    table.client.take_seat(match, bot="random")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert main(["play", match, "--auto", "100"]) == 0
    out = capsys.readouterr().out
    assert "won (" in out
    assert "Your key has cosigned the log of" in out
    report = verify(table.client.bundle(match), [table.signer.verifier])
    assert (report.status, [each.seat for each in report.cosigned]) == ("valid", [0])
