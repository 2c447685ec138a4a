"""The ledger through power cuts: what was signed of it stays, and every match is in it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from kleos.api.client import Client
from kleos.api.command import main
from kleos.events import inscription, merkle
from kleos.events.note import Checkpoint, Verifier, open_checkpoint
from kleos.events.tiles import Tile
from tests.scenarios.server import Server


class Monitor:
    """Reads the ledger, and knows what it has read before."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._keys = [Verifier.parse(each) for each in client.keys()["keys"]]
        self._seen: list[Checkpoint] = []

    def head(self) -> Checkpoint:
        self._seen.append(
            open_checkpoint(self._client.ledger(), inscription.origin(self._keys[0].name), self._keys)
        )
        return self._seen[-1]

    def leaves(self, size: int) -> list[bytes]:
        """The hashes of the first entries, fewer than 256."""
        octets = self._client.tile(0, Tile(0, size).place)
        return [octets[at : at + 32] for at in range(0, len(octets), 32)]

    def sees_it_only_grew(self) -> None:
        leaves = self.leaves(self.head().size)
        for each in self._seen:
            assert merkle.root(leaves[: each.size]) == each.root

    def holds(self, match: str, version: int) -> None:
        """The newest head of a match is in it."""
        told = inscription.prove(self._client.inscription(match), self._keys[0].name, match, self._keys)
        assert told.head.size == version


def play(players: Sequence[Client], match: str, rng: random.Random, moves: int) -> None:
    for _ in range(moves):
        to_act = players[0].match(match)["to_act"]
        if not to_act:
            return
        seat = rng.choice(to_act)
        move = rng.choice(players[seat].view(match)["moves"])["move"]
        players[seat].play(match, seat, move)


@pytest.mark.slow
def test_a_server_that_is_killed_again_and_again_keeps_the_ledger_it_signed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(4)
    server = Server(tmp_path, KLEOS_WORKERS="2")
    server.start()
    players = [Client(server.url, timeout=30) for _ in range(2)]
    for number, each in enumerate(players):
        each.register(f"Player {number}")
    monitor = Monitor(players[0])
    matches: list[str] = []
    for _ in range(3):
        matches.append(players[0].create("tiny", 2, seat=0)["id"])
        players[1].take_seat(matches[-1])
        for match in matches:
            play(players, match, rng, rng.randrange(1, 5))
        looked_up = rng.choice(matches)
        monitor.holds(looked_up, players[0].match(looked_up)["version"])
        monitor.head()
        play(players, matches[-1], rng, 2)
        server.kill()
        server.start()
    for match in matches:
        monitor.holds(match, players[0].match(match)["version"])
    monitor.sees_it_only_grew()
    assert server.stop() == 0
    assert main(["fsck", "--data", str(tmp_path / "data")]) == 0, capsys.readouterr().out
