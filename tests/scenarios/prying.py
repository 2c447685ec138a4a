"""Every request that the document of a server allows of one match, and callers of every kind to send them.

The operations are read off the document, so a new one is asked as soon as it is there; one whose parameters
or body have no value here is a ``KeyError``, not a gap. No test is in here.
"""

import itertools
import random
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from tests.scenarios.client import Answer, Client
from tests.scenarios.leaks import Heard

LAST = frozenset(
    {
        "abandon",
        "vacate",
        "leave",
        "adjudicate",
        "resume",
        "revoke",
        "revoke_token",
        "delete_webhook",
        "erase",
    }
)
"""What could end the match, a seat or a caller: sent when all else has been."""
STREAMS = ("text/event-stream", "application/x-ndjson")


class Request(NamedTuple):
    """One request, ready to be sent."""

    operation: str
    method: str
    path: str
    body: Any
    accept: str


class Scene(NamedTuple):
    """What the values of parameters are taken from."""

    match: str
    version: int
    players: tuple[str, ...]
    """The ids of those who sit there, by seat."""


def requests(
    document: Any, scene: Scene, rng: random.Random, wanted: Callable[[Any], bool]
) -> Iterator[Request]:
    """The operations that are ``wanted``: each for every seat that it can be asked for, in every form."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            name = operation["operationId"]
            if not wanted(operation):
                continue
            bodies = _bodies(name, scene, rng) if "requestBody" in operation else [None]
            filled = list(_filled(path, operation["parameters"], scene, rng))
            for (place, query), media, body in itertools.product(filled, _forms(operation), bodies):
                live = {"live": "false"} if media in STREAMS else {}
                asked = place + ("?" + urlencode(query | live) if query or live else "")
                yield Request(name, method.upper(), asked, body, media)


def _bodies(name: str, scene: Scene, rng: random.Random) -> list[Any]:
    """The body as it is said for each of the seats, once if that makes no difference."""
    first, second = (BODIES[name](scene, rng, seat) for seat in (0, 1))
    return [first] if first == second else [first, second]


def _forms(operation: Any) -> list[str]:
    """Every media type in which the operation can be answered."""
    answers = operation["responses"].values()
    return sorted({media for each in answers for media in each.get("content", {})} - PROBLEM) or ["*/*"]


PROBLEM = {"application/problem+json"}


def _filled(
    template: str, parameters: list[Any], scene: Scene, rng: random.Random
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The path and the query, once for each combination of values."""
    named = [each for each in parameters if each["in"] != "header"]
    for values in itertools.product(*(PARAMETERS[each["name"]](scene, rng) for each in named)):
        chosen = dict(zip((each["name"] for each in named), values, strict=True))
        in_path = {each["name"] for each in named if each["in"] == "path"}
        needed = {each["name"] for each in named if each["required"]}
        if any(chosen[name] is None for name in needed) or _at_odds(chosen):
            continue
        filled = template.format(**{name: quote(str(chosen[name])) for name in in_path})
        yield filled, {k: v for k, v in chosen.items() if k not in in_path and v is not None}


def _at_odds(chosen: dict[str, Any]) -> bool:
    """Parameters of which only one can be given."""
    given = {name for name, value in chosen.items() if value is not None}
    if {"version", "from"} <= chosen.keys():  # a proof of one version, or that one continues another
        return len(given & {"version", "from"}) != 1 or ("from" in given) != ("to" in given)
    return {"at", "time"} <= given or {"turn", "player"} <= given


def _past(scene: Scene, rng: random.Random) -> list[Any]:
    return [rng.randint(1, scene.version)]


PARAMETERS: dict[str, Callable[[Scene, random.Random], list[Any]]] = {
    "match_id": lambda scene, _: [scene.match],
    "seat": lambda _scene, _rng: [0, 1, "spectator"],
    "at": lambda scene, rng: [None, *_past(scene, rng)],
    "time": lambda _scene, _rng: [None, "2999-01-01T00:00:00Z"],
    "include": lambda _scene, rng: [rng.choice([None, "none"])],
    "version": lambda scene, rng: [None, *_past(scene, rng)],
    "from": lambda scene, rng: [None, *_past(scene, rng)],
    "to": lambda scene, _: [None, scene.version],
    "after": lambda scene, rng: [rng.choice([None, *_past(scene, rng)])],
    "live": lambda _scene, _rng: [None],
    "since": lambda _scene, rng: [rng.choice([None, "elsewhere"])],
    "limit": lambda _scene, _rng: [None],
    "cursor": lambda _scene, _rng: [None],
    "offset": lambda _scene, _rng: [None],
    "game": lambda _scene, rng: [rng.choice(["canary", "iliad"])],
    "status": lambda _scene, _rng: [None],
    "turn": lambda _scene, _rng: [None, "me"],
    "player": lambda scene, rng: [rng.choice([None, *scene.players])],
    "player_id": lambda scene, _: list(scene.players),
    "proposal": lambda scene, _: [f"p{scene.version}"],
    "name": lambda _scene, _rng: ["here"],
    "invitation": lambda _scene, _rng: ["i2"],
    "token_id": lambda _scene, _rng: ["none"],
    "hook_id": lambda _scene, _rng: ["none"],
    "code": lambda _scene, _rng: ["stale"],
    "log": lambda _scene, _rng: [None],
    "level": lambda _scene, _rng: [0],
    "tile": lambda _scene, _rng: ["000.p/1"],
}
"""Values to ask with, by the name of the parameter; None leaves it out."""

Body = Callable[[Scene, random.Random, int], Any]


def _seat(_scene: Scene, _rng: random.Random, seat: int) -> Any:
    return {"seat": seat}


def _move(_scene: Scene, rng: random.Random, seat: int) -> Any:
    """A move by content that is in nobody's hand: it has to be refused without a word too much."""
    return {"seat": seat, "move": {"type": rng.choice(["play", "bury"]), "card": "0" * 32}}


BODIES: dict[str, Body] = {
    "register": lambda _scene, _rng, _: {"name": "Another"},
    "issue_token": lambda scene, rng, seat: {"scope": "seat", "match": scene.match, "seat": seat},
    "create_match": lambda _scene, _rng, _: {"game": "canary", "seats": 2, "visibility": "private"},
    "abandon": _seat,
    "invite": lambda _scene, _rng, _: {},
    "rematch": lambda _scene, _rng, _: {},
    "join": lambda _scene, rng, _: rng.choice(
        [{}, {"seat": 1}, {"seat": 1, "bot": "random"}, {"invite": "i2.x"}]
    ),
    "claim": lambda _scene, _rng, _: {},
    "vacate": lambda _scene, rng, seat: {"by": rng.choice([seat, None])},
    "start": lambda _scene, _rng, _: {},
    "ping_webhook": lambda _scene, _rng, _: {},
    "add_webhook": lambda _scene, _rng, _: {"url": "https://bot.example/kleos"},
    "adjourn": lambda _scene, _rng, _: {"text": "tea"},
    "adjudicate": lambda _scene, _rng, _: {"text": "enough", "ranking": [[0], [1]]},
    "annotate": lambda scene, rng, _: {"text": "well played", "version": rng.randint(1, scene.version)},
    "appoint": lambda scene, _rng, _: {"player": scene.players[1]},
    "resume": lambda _scene, _rng, _: {"text": "go on"},
    "play": _move,
    "check": _move,
    "put_bookmark": lambda scene, rng, _: {"version": rng.randint(1, scene.version)},
    "ask": lambda scene, rng, seat: _move(scene, rng, seat) | {"at": rng.randint(1, scene.version)},
    "fork": lambda scene, rng, _: {"at": rng.randint(1, scene.version)},
    "cosign": lambda scene, _rng, _: {"size": scene.version, "cosignature": f"— somebody {'A' * 100}"},
    "consent": _seat,
    "refuse": _seat,
    "withdraw": _seat,
    "redo": _seat,
    "undo": lambda scene, rng, seat: _seat(scene, rng, seat) | {"to": rng.randint(1, scene.version)},
}
"""A body by the name of its operation."""


class Listener(Thread):
    """Listens to the live stream of a match from its beginning to its end."""

    def __init__(self, name: str, client: Client, match: str) -> None:
        super().__init__(daemon=True)
        self.reader = name
        self._wire = HTTPConnection(urlsplit(client.url).netloc, timeout=30)
        headers = {"Accept": "text/event-stream"}
        if client.token:
            headers["Authorization"] = f"Bearer {client.token}"
        self._wire.request("GET", f"{match}/events?after=0", headers=headers)
        self.answer = self._wire.getresponse()
        self.frames: list[bytes] = []

    def run(self) -> None:
        frame = b""
        for line in self.answer:
            frame += line
            if line == b"\n":
                self.frames.append(frame)
                frame = b""

    def close(self) -> None:
        self.answer.close()
        self._wire.close()

    def heard(self) -> Iterator[Heard]:
        """Each frame as an answer got at the version that it tells of."""
        version = 0
        for frame in self.frames:
            if found := [line for line in frame.split(b"\n") if line.startswith(b"id: ")]:
                version = int(found[0][4:])
            yield Heard(self.reader, version, Answer(200, {}, frame), "the live stream")
