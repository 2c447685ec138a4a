"""Nobody is sent what they may not know: every byte of whole matches, scanned for what is hidden.

In ``canary`` each card has an unguessable name. In every game the salts of the sealed parts and the seed of
the match are such names too. What was hidden is learnt from the log after the match has ended, when all is
opened; so these tests fail too if it is not.
"""

import base64
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.scenarios.client import Answer, Client, any_of
from tests.scenarios.conftest import Join, opened_match
from tests.scenarios.leaks import Heard, Knowledge, disguises, scan
from tests.scenarios.server import Server

READERS = ("seat:0", "seat:1", "spectator")


def test_no_byte_tells_what_a_reader_may_not_know(server: Server, player: Join, rng: random.Random) -> None:
    """Faults 37 and 46."""
    table = Table(server, player, "canary")
    table.play(rng)
    knowledge = table.seals()
    cards(table.opened(), knowledge)
    assert scan(table.heard, knowledge) == []


def test_a_planted_leak_is_found(server: Server, player: Join, rng: random.Random) -> None:
    table = Table(server, player, "leaky")
    table.play(rng)
    knowledge = Knowledge(READERS)
    cards(table.opened(), knowledge)
    leaks = scan(table.heard, knowledge)
    assert {leak.reader for leak in leaks} == {"seat:0", "seat:1"}  # whoever was refused, and nobody else


SECRET = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    "told",
    [
        SECRET,
        SECRET.encode().hex(),
        SECRET.encode().hex().upper(),
        base64.b64encode(SECRET.encode()).decode(),
        base64.b64encode(b"x" + SECRET.encode()).decode(),
        base64.urlsafe_b64encode(b"xy" + SECRET.encode() + b"z").decode(),
    ],
)
@pytest.mark.parametrize("place", ["header", "body"])
def test_the_scan_sees_through_disguises(told: str, place: str) -> None:
    headers, body = ({"etag": f'"{told}"'}, b"") if place == "header" else ({}, b"[1,'" + told.encode())
    knowledge = Knowledge(READERS)
    knowledge.add(SECRET)
    assert [leak.secret for leak in scan([Heard("spectator", 3, Answer(404, headers, body))], knowledge)] == [
        SECRET
    ]


def test_the_scan_lets_pass_what_is_known_and_only_from_then_on() -> None:
    answers = [Heard("seat:1", version, Answer(200, {}, SECRET.encode())) for version in (4, 5, 6)]
    knowledge = Knowledge(READERS)
    knowledge.add(SECRET, "seat:1", since=5)
    assert [leak.version for leak in scan(answers, knowledge)] == [4]


def test_disguises_do_not_match_by_chance() -> None:
    assert min(len(shape) for shape in disguises(SECRET)) >= 15


class Table:
    """A match of two before an audience, all of whom go on reading everything they can find."""

    def __init__(self, server: Server, player: Join, game: str, *, curiosity: float = 1.0) -> None:
        self._curiosity = curiosity
        self.heard: list[Heard] = []
        self.version = 0
        self.players = [player(server, f"Player {seat}", self._ear(f"seat:{seat}")) for seat in (0, 1)]
        self.stranger = player(server, "Stranger", self._ear("spectator"))
        self.match = opened_match(self.players, game)

    def _ear(self, reader: str) -> Callable[[Answer], None]:
        return lambda answer: self.heard.append(Heard(reader, self.version, answer))

    def play(self, rng: random.Random) -> None:
        """Play to the end. The last event opens everything, so what follows from it is not kept."""
        status = "playing"
        while status == "playing":
            now = self.stranger.get(self.match)
            self.version = now["version"]
            if rng.random() < self._curiosity:
                self._pry(rng)
            seat = now["to_act"][0]
            view, etag = self.players[seat].view(self.match, seat)
            self.version += 1  # what follows from the move may be known by the answer to it
            status = self.players[seat].move(self.match, seat, any_of(view["moves"], rng), etag)["view"][
                "status"
            ]
        self.heard = [each for each in self.heard if each.version < self.version]

    def _pry(self, rng: random.Random) -> None:
        """Ask for everything, and for some of what is forbidden."""
        past = rng.randint(1, self.version)
        kind = rng.choice(["play", "bury"])
        for reader in (*self.players, self.stranger):
            for query in ("", "seat=0", "seat=1", "seat=spectator", f"seat=0&at={past}", f"at={past}"):
                reader.ask("GET", f"{self.match}/view?{query}")
            for seat in (0, 1):
                guess = {"seat": seat, "move": {"type": kind, "card": "0" * 32}}
                reader.ask("GET", f"{self.match}/moves?seat={seat}")
                reader.ask("POST", f"{self.match}/moves/check", guess)
                reader.ask("POST", f"{self.match}/moves", guess)
            for path in (
                "",
                "/events",
                f"/events/{past}",
                "/checkpoint",
                f"/proof?version={past}",
                "/bundle",
            ):
                reader.ask("GET", self.match + path)
            looking_back = [
                "undo",
                f"undo?seat={rng.randint(0, 1)}",
                f"diff?from={past}&to={min(past + 3, self.version)}",
                f"diff?from={past}&to={min(past + 3, self.version)}&seat={rng.randint(0, 1)}",
                f"events/{past}/explanation",
                f"events/{past}/explanation?seat={rng.randint(0, 1)}",
                "report",
                f"report?seat={rng.randint(0, 1)}",
            ]
            reader.ask("GET", f"{self.match}/{rng.choice(looking_back)}")
            reader.ask("POST", f"{self.match}/explain", {**guess, "at": past})
            reader.ask("GET", "/v1/matches")

    def opened(self) -> list[Any]:
        """The log with everything opened, as anybody can read it after the end."""
        reader = Client(self.stranger.url)
        items = list(reader.events(self.match))
        reader.close()
        return items

    def seals(self) -> Knowledge:
        """What is secret in every game: tokens, the seed, the salts of sealed parts until they are opened."""
        knowledge = Knowledge(READERS)
        for reader, client in zip(READERS, (*self.players, self.stranger), strict=True):
            knowledge.add(client.token[-32:], reader)
        items = self.opened()
        for item in items:
            assert set(item["opened"]) == set(item["event"]["sealed"]), "after the end everything is open"
            for audience, opening in item["opened"].items():
                knowledge.add(opening["salt"], audience, since=item["event"]["version"])
        knowledge.add(items[0]["opened"]["server"]["payload"]["/effects/0/seed"])
        return knowledge


def cards(items: list[Any], knowledge: Knowledge) -> None:
    """Who may know which card of Canary, by its rules: who drew it, or everybody once it lies face up."""
    for effect, version in effects(items):
        match effect["type"]:
            case "deck_made":
                for card in effect["deck"]:
                    knowledge.add(card)
            case "cards_drawn":
                for card in effect["cards"]:
                    knowledge.add(card, f"seat:{effect['seat']}", since=version)
            case "card_played" | "card_dug":
                knowledge.add(effect["card"], *READERS, since=version)


def effects(items: list[Any]) -> Iterator[tuple[Any, int]]:
    """Every effect of the log in full, with the version it belongs to."""
    for item in items:
        event = item["event"]
        for opening in item["opened"].values():
            for pointer, value in opening["payload"].items():
                *steps, last = pointer.split("/")[1:]
                holder: Any = event
                for step in steps:
                    holder = holder[int(step)] if isinstance(holder, list) else holder[step]
                holder[int(last) if isinstance(holder, list) else last] = value
        yield from ((effect, event["version"]) for effect in event["effects"])
