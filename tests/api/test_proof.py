"""Proof from one end to the other: a match over HTTP, exported, and verified by the command line."""

from __future__ import annotations

import random
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kleos.api.client import Client, Problem
from kleos.api.command import main
from kleos.events.note import Verifier, b64, open_checkpoint
from kleos.events.receipt import Growth
from kleos.events.signing import sign
from kleos.events.verifier import verify

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """``run("verify", "file")``: exit code, output and errors."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def words(*arguments: str | Path) -> tuple[int, str, str]:
        code = main([str(each) for each in arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return words


class Match:
    """A match of Tiny between two people."""

    def __init__(self, server: str) -> None:
        self.server = server
        self.players = [Client(server), Client(server)]
        for name, each in zip(("Ariadne", "Bacchus"), self.players, strict=True):
            each.register(name)
        self.id = self.players[0].create("tiny", 2)["id"]
        self.players[1].take_seat(self.id)
        self.receipts: list[str] = []
        self.rng = random.Random(7)

    def play(self, moves: int = 1000) -> None:
        for _ in range(moves):
            acting = self.players[0].match(self.id)["to_act"]
            if not acting:
                return
            seat = acting[0]
            move = self.rng.choice(self.players[seat].view(self.id)["moves"])["move"]
            self.receipts.append(self.players[seat].play(self.id, seat, move)["receipt"])

    def fork(self, at: int) -> str:
        request = urllib.request.Request(
            f"{self.server}/v1/matches/{self.id}/forks",
            msgspec.json.encode({"at": at}),
            {"Authorization": f"Bearer {self.players[0].token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return str(msgspec.json.decode(answer.read())["id"])

    def text(self, path: str) -> str:
        return read(self.server, f"/v1/matches/{self.id}/{path}")


def read(server: str, path: str) -> str:
    with urllib.request.urlopen(server + path, timeout=10) as answer:
        found: bytes = answer.read()
        return found.decode()


def key_of(server: str) -> str:
    """The server's key, as everybody reads it."""
    keys: Any = msgspec.json.decode(read(server, "/v1/keys"))
    return str(keys["keys"][0])


def test_a_match_is_exported_and_proved_while_it_goes_on_and_when_it_is_over(
    served: str, run: Run, tmp_path: Path
) -> None:
    match, file = Match(served), tmp_path / "match.kleos"
    match.play(4)
    export = ("export", match.id, "-o", file, "--server", served)
    for token in (match.players[0].token, match.players[1].token, None):
        assert run(*export, *(("--token", token) if token else ()))[0] == 0
        code, out, _ = run("verify", file, "--key", key_of(served))
        assert (code, out.splitlines()[-1]) == (2, "incomplete")
    match.play()
    assert run(*export)[0] == 0
    receipt = tmp_path / "receipt.txt"
    for end in ("\n", "", "\n\n"):
        receipt.write_text(match.receipts[2].rstrip("\n") + end)
        code, out, _ = run("verify", file, "--key", key_of(served), "--receipt", receipt)
        assert (code, out.splitlines()[-1]) == (0, "valid")
        assert "ok    receipts" in out
    code, out, _ = run("verify", file, "--json")
    report = msgspec.json.decode(out)
    assert (report["status"], report["match"], report["trusted"]) == ("valid", match.id, False)


def test_what_was_spoiled_is_named_and_the_exit_code_says_so(served: str, run: Run, tmp_path: Path) -> None:
    match, file = Match(served), tmp_path / "match.kleos"
    match.play()
    data = match.players[0].bundle(match.id)
    file.write_bytes(data[:-1])
    code, out, _ = run("verify", file)
    assert (code, out.splitlines()[-1]) == (1, "invalid")
    assert "BAD   bundle" in out
    file.write_bytes(data)
    other = "play.example+9bcfdd96+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"
    code, out, _ = run("verify", file, "--key", other)
    assert code == 1
    assert "BAD   signatures   event 1: no trusted key has signed the note" in out


def test_what_could_not_be_looked_at_is_not_called_forged(tmp_path: Path, run: Run) -> None:
    empty, text = tmp_path / "empty.kleos", tmp_path / "text.kleos"
    empty.touch()
    text.write_text("root:x:0:0\n")
    for file, said in ((tmp_path / "nothing", "no such file"), (empty, "no bundle"), (text, "no bundle")):
        code, out, err = run("verify", file)
        assert (code, out, said in err) == (2, "", True), err
    code, out, err = run("verify", text, "--key", "nonsense++")
    assert (code, out, "not an Ed25519" in err) == (2, "", True)


def test_who_has_no_match_has_none_to_export(served: str, run: Run) -> None:
    assert run("export", "NOWHERE", "--server", served)[0] == 1


def test_a_fork_is_compared_with_its_parent(served: str, run: Run, tmp_path: Path) -> None:
    match, parent, child = Match(served), tmp_path / "parent.kleos", tmp_path / "child.kleos"
    match.play()
    parent.write_bytes(match.players[0].bundle(match.id))
    forked = match.fork(6)
    child.write_bytes(match.players[0].bundle(forked))
    code, out, _ = run("verify", child)
    assert f"note  match {forked} comes from match {match.id}, whose bundle was not given" in out
    code, out, _ = run("verify", child, "--parent", parent)
    assert code == 2, "the child goes on"
    assert f"note  of match {match.id}, which it comes from, only the log could be compared" in out
    rest = Match(served)
    rest.play()
    (tmp_path / "other.kleos").write_bytes(rest.players[0].bundle(rest.id))
    code, out, _ = run("verify", child, "--parent", tmp_path / "other.kleos")
    assert code == 1
    assert f"BAD   parent       it comes from match {match.id}, of which no bundle was given" in out


def test_one_head_of_the_log_is_proved_to_continue_another(served: str) -> None:
    match = Match(served)
    match.play(2)
    trusted = [Verifier.parse(key_of(served))]
    origin = f"{trusted[0].name}/m/{match.id}"
    before = open_checkpoint(match.text("checkpoint"), origin, trusted)
    match.play(3)
    after = open_checkpoint(match.text("checkpoint"), origin, trusted)
    growth = Growth.parse(match.text(f"proof?from={before.size}&to={after.size}"))
    assert growth.verify(before, trusted) == after


def test_a_match_of_signed_moves_is_played_and_proved(served: str) -> None:
    keys = [Ed25519PrivateKey.from_private_bytes(bytes([number] * 32)) for number in (1, 2)]
    players = [Client(served), Client(served)]
    for each, key in zip(players, keys, strict=True):
        each.register("Signer", b64(key.public_key().public_bytes_raw()))
    made = players[0].create("tiny", 2, signed=True)
    assert made["signed"] is True
    without = Client(served)
    without.register("Nobody")
    with pytest.raises(Problem, match="needs an account with a key"):
        without.take_seat(made["id"])
    players[1].take_seat(made["id"])
    trusted = [Verifier.parse(key_of(served))]
    while acting := players[0].match(made["id"])["to_act"]:
        seat = acting[0]
        move = players[seat].view(made["id"])["moves"][0]["move"]
        with pytest.raises(Problem, match="moves of this match are signed"):
            players[seat].play(made["id"], seat, move)
        head = open_checkpoint(
            read(served, f"/v1/matches/{made['id']}/checkpoint"), f"{trusted[0].name}/m/{made['id']}", trusted
        )
        signed = sign(keys[seat], made["id"], seat, move, size=head.size, root=head.root)
        players[seat].play(made["id"], seat, move, msgspec.to_builtins(signed))
    report = verify(players[0].bundle(made["id"]), trusted)
    assert (report.status, "players" in report.passed) == ("valid", True)
