"""Every operation of the document, asked by every kind of caller, tells nobody what they may not know.

As in ``test_leaks`` cards have names that nobody can guess, and every byte is scanned: bodies, headers with
their ETags, refusals, exports, live streams.
"""

import random
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.scenarios.client import Answer, Client, any_of
from tests.scenarios.conftest import Join
from tests.scenarios.leaks import Heard, Knowledge, scan
from tests.scenarios.prying import BODIES, LAST, Listener, Request, Scene, requests
from tests.scenarios.server import Server
from tests.scenarios.test_leaks import cards

THROUGH_A_SEAT = ("full", "bot", "seat")
LOOKING_ON = ("spectate", "organise", "referee")


def _ends_something(operation: Any) -> bool:
    return operation["operationId"] in LAST


class Hall:
    """A match of two under a referee, before callers of every kind who ask for everything."""

    def __init__(self, server: Server, player: Join, game: str, visibility: str) -> None:
        self.version = 0
        self.heard: list[Heard] = []
        self.asked: set[str] = set()
        self.seats = [player(server, f"Player {seat}") for seat in (0, 1)]
        self.referee, self.stranger = player(server, "Referee"), player(server, "Stranger")
        host, guest = self.seats
        self.match = host.create(game, 2, visibility=visibility, referee=self.referee.id)
        self.invite = host.get(self.match).get("invite")
        guest.command(f"{self.match}/seats", {"seat": 1, "invite": self.invite})
        self.callers = {"seat:0 full": host, "seat:1 full": guest, "referee": self.referee}
        self.callers |= {"stranger": self.stranger, "nobody": Client(server.url)}
        for scope in (*THROUGH_A_SEAT[1:], *LOOKING_ON):
            self.callers[f"seat:0 {scope}"] = self._scoped(server, host, scope)
        self.document = self.stranger.get("/openapi.json")
        paths = self.document["paths"].values()
        self.operations = {each["operationId"] for path in paths for each in path.values()}
        self.streams = [Listener(name, client, self.match) for name, client in self.callers.items()]
        for each in self.streams:
            each.start()

    def _scoped(self, server: Server, owner: Client, scope: str) -> Client:
        """A client with a token of this scope for seat 0, or for the match."""
        seat = {"seat": 0} if scope == "seat" else {}
        asked = {"scope": scope, "match": self.match.rpartition("/")[2], **seat}
        client = Client(server.url)
        client.id, client.token = owner.id, owner.command("/v1/players/me/tokens", asked).json["token"]
        return client

    def play(self, rng: random.Random, *, pries: int) -> None:
        """Play, all prying at so many moments, until one resigns. What the end opens is not kept."""
        moments = set(rng.sample(range(10), pries))
        for turn in range(10):
            if turn in moments:
                self._blunder(rng)
                self._ask_all(rng)
                self._now(self.referee.ask("POST", f"{self.match}/resume", {"text": "go on"}))
            seat = self.seats[0].get(self.match)["to_act"][0]
            view, etag = self.seats[seat].view(self.match, seat)
            self.seats[seat].move(self.match, seat, any_of(view["moves"], rng), etag)
        self._end(rng)
        for each in self.streams:
            each.join(timeout=30)
            assert not each.is_alive(), "a stream ends with its match"
            self.heard += each.heard()
        self.version = self.seats[1].get(self.match)["version"]
        self.heard = [each for each in self.heard if each.version < self.version]

    def close(self) -> None:
        for caller in self.callers.values():
            caller.close()
        for stream in self.streams:
            stream.close()

    def _blunder(self, rng: random.Random) -> None:
        """A move that only the game can refuse: whoever is to act names a card that it does not hold."""
        self._now()
        seat = self.seats[0].get(self.match)["to_act"][0]
        body = BODIES["play"](self._scene(), rng, seat)
        self._ask(f"seat:{seat} full", Request("play", "POST", f"{self.match}/moves", body, "*/*"))

    def _ask_all(self, rng: random.Random) -> None:
        """All but what ends something; what takes no token, the same for all, is asked by one caller."""
        for name in self.callers:

            def wanted(operation: Any, name: str = name) -> bool:
                return operation["operationId"] not in LAST and bool(
                    operation["security"] or name == "nobody"
                )

            self._now()
            for request in requests(self.document, self._scene(), rng, wanted):
                self._ask(name, request)

    def _end(self, rng: random.Random) -> None:
        """What ends something, by those whom it is not given to; then by a player."""
        players = ("seat:0 full", "seat:1 full")
        theirs = {"referee": "adjudicate"} | dict.fromkeys(players, "leave")
        self._now()
        for name in self.callers:
            for request in requests(self.document, self._scene(), rng, _ends_something):
                ours = name in players and request.operation in ("erase", "revoke")
                if theirs.get(name) != request.operation and not ours:
                    self._ask(name, request)
        assert self.seats[1].ask("DELETE", f"{self.match}/seats/1").status == 200

    def _ask(self, name: str, request: Request) -> None:
        headers = {"Accept": request.accept}
        if request.method == "POST":  # what a command makes has an id that follows from its key
            headers["Idempotency_Key"] = f"{name} {len(self.heard)}".replace(" ", "-")
        answer = self.callers[name].ask(request.method, request.path, request.body, **headers)
        assert answer.status not in (400, 405, 406, 500), (name, request, answer)
        if request.method != "GET" and answer.status < 300:
            self._now()
        self.asked.add(request.operation)
        self.heard.append(Heard(name, self.version, answer, f"{request.method} {request.path}"))

    def _now(self, _answer: Answer | None = None) -> None:
        self.version = self.seats[0].get(self.match)["version"]

    def _scene(self) -> Scene:
        return Scene(self.match.rpartition("/")[2], self.version, tuple(each.id for each in self.seats))

    def knowledge(self) -> Knowledge:
        """Who may know what, as the log tells it now that it is open; and whose the tokens are."""
        through = {
            f"seat:{seat}": [n for n in self._of(THROUGH_A_SEAT) if f":{seat} " in n] for seat in (0, 1)
        }
        known = Knowledge(self.callers, through | {"spectator": list(self.callers)})
        for name, client in self.callers.items():
            if client.token:
                known.add(client.token[-32:], name, "seat:0 full" if name in self._of(LOOKING_ON) else name)
        items = list(self.seats[1].events(self.match))
        for item in items:
            for audience, opening in item["opened"].items():
                known.add(opening["salt"], audience, since=item["event"]["version"])
        known.add(items[0]["opened"]["server"]["payload"]["/effects/0/seed"])
        if self.invite is not None:
            known.add(self.invite[-16:], "seat:0 full", "seat:0 organise")
        cards(items, known)
        return known

    def _of(self, scopes: tuple[str, ...]) -> Iterator[str]:
        return (name for name in self.callers if name.rpartition(" ")[2] in scopes)


@pytest.mark.parametrize("visibility", ["public", pytest.param("private", marks=pytest.mark.slow)])
def test_no_operation_tells_any_caller_what_it_may_not_know(
    server: Server, player: Join, rng: random.Random, visibility: str
) -> None:
    with closing(Hall(server, player, "canary", visibility)) as hall:
        hall.play(rng, pries=1)
        assert hall.asked == hall.operations
        assert scan(hall.heard, hall.knowledge()) == []


@pytest.mark.slow
def test_a_leak_is_found_whoever_looks_through_the_seat(
    server: Server, player: Join, rng: random.Random
) -> None:
    with closing(Hall(server, player, "leaky", "public")) as hall:
        hall.play(rng, pries=1)
        leaks = scan(hall.heard, hall.knowledge())
    assert {leak.reader.rpartition(" ")[2] for leak in leaks} <= set(THROUGH_A_SEAT)
    assert any("/moves" in leak.asked for leak in leaks)
