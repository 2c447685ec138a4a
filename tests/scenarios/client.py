"""A client of the REST API in a hundred lines, written from the published field names alone.

It uses the standard library and imports nothing of this project: what it can do, any client can. It keeps
one connection, repeats what got no answer (commands carry an `Idempotency-Key`, so that is safe), and shows
every answer it got to `heard`. To watch it play a match by itself:

    python3 tests/scenarios/client.py http://127.0.0.1:8000 iliad
"""

import http.client
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit


class Answer(NamedTuple):
    """What came back: ``headers`` by lower-case name, ``body`` as it was sent."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Failed(Exception):
    """An answer that is not a success; the text is the problem document."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"{answer.status}: {answer.body[:2000].decode(errors='replace')}")
        self.answer = answer


class Client:
    """One player, or a stranger until it registers. ``patience``: seconds to go on asking a dead server."""

    def __init__(
        self, url: str, *, patience: float = 0, heard: Callable[[Answer], object] | None = None
    ) -> None:
        self.turn_to(url)
        self._patience = patience
        self._heard = heard
        self._commands = 0
        self.token = ""
        self.id = ""

    def turn_to(self, url: str) -> None:
        """From now on ask the server at this address."""
        self.url = url
        self._wire = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)

    def close(self) -> None:
        self._wire.close()

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """One request, whatever its answer is."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        if body is not None and not isinstance(body, bytes):
            sent.setdefault("Content-Type", "application/json")
            body = json.dumps(body)
        deadline = time.monotonic() + self._patience
        while True:
            try:
                self._wire.request(method, path, body, sent)
                got = self._wire.getresponse()
                answer = Answer(got.status, {k.lower(): v for k, v in got.getheaders()}, got.read())
                if answer.status != 503 or time.monotonic() > deadline:
                    break
            except (OSError, http.client.HTTPException):
                if time.monotonic() > deadline:
                    raise
            self._wire.close()
            time.sleep(0.05)
        if self._heard is not None:
            self._heard(answer)
        return answer

    def get(self, path: str, **query: Any) -> Any:
        return self._good(self.ask("GET", path + ("?" + urlencode(query) if query else ""))).json

    def command(self, path: str, body: Any, **headers: str) -> Answer:
        """A POST that is done once, however often it has to be sent."""
        self._commands += 1
        headers.setdefault("Idempotency_Key", f"{self.id}-{self._commands}")
        return self._good(self.ask("POST", path, body, **headers))

    def register(self, name: str) -> "Client":
        made = self._good(self.ask("POST", "/v1/players", {"name": name})).json
        self.id, self.token = made["player"]["id"], made["token"]
        return self

    def create(self, game: str, seats: int, **more: Any) -> str:
        """A new match in which this client has seat 0; its path."""
        made = self.command("/v1/matches", {"game": game, "seats": seats, "seat": 0, **more})
        return made.headers["location"]

    def join(self, match: str, seat: int) -> Any:
        return self.command(f"{match}/seats", {"seat": seat}).json

    def view(self, match: str, seat: int) -> tuple[Any, str]:
        """The view of a seat now, and its ETag."""
        answer = self._good(self.ask("GET", f"{match}/view?seat={seat}"))
        return answer.json, answer.headers["etag"]

    def move(self, match: str, seat: int, move: Any, etag: str) -> Any:
        return self.command(f"{match}/moves", {"seat": seat, "move": move}, If_Match=etag).json

    def events(self, match: str, limit: int = 50) -> Iterator[Any]:
        """All events of the match, page by page."""
        after: int | str | None = 0
        while after is not None:
            page = self.get(f"{match}/events", after=after, limit=limit)
            yield from page["items"]
            after = page["next"]

    def _good(self, answer: Answer) -> Answer:
        if not 200 <= answer.status < 300:
            raise Failed(answer)
        return answer


def any_of(listed: list[Any], rng: random.Random) -> Any:
    """A random legal move; where an entry has a range, a random number of it."""
    entry = rng.choice(listed)
    numbers = {field: rng.randint(low, high) for field, (low, high) in entry.get("range", {}).items()}
    return {**entry["move"], **numbers}


def play(match: str, players: list[Client], rng: random.Random) -> Iterator[Any]:
    """Play to the end with random legal moves; yields what each accepted move was answered with."""
    while (now := players[0].get(match))["status"] == "playing":
        seat = rng.choice(now["to_act"])
        view, etag = players[seat].view(match, seat)
        yield players[seat].move(match, seat, any_of(view["moves"], rng), etag)


def main(url: str, game: str = "iliad") -> None:
    """Register two players, play a match to its end, and read what became of it."""
    players = [Client(url).register(name) for name in ("Ariadne", "Bacchus")]
    match = players[0].create(game, len(players))
    players[1].join(match, 1)
    for answer in play(match, players, random.Random()):
        event = answer["event"]
        print(event["version"], f"seat {event['seat']}", json.dumps(event["action"]), *effects(event))
    print(json.dumps(players[0].get(match)["outcome"]))


def effects(event: Any) -> Iterator[str]:
    return (f"{effect['type']} ({effect['rule']})" for effect in event["effects"])


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        print(
            f"usage: python3 {sys.argv[0]} URL [GAME]   such as http://127.0.0.1:8000 iliad", file=sys.stderr
        )
        sys.exit(2)
    main(*sys.argv[1:])
