"""Examples of answers for the OpenAPI document, each given by a real server to a real request.

`kleos openapi --examples` starts a server, plays, and keeps the first answer of each operation. The
recording is a file beside this module; a test holds every example against its schema.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from kleos.api.codes import PROBLEMS
from kleos.api.problems import MEDIA, Problem

FILE: Final = Path(__file__).parent / "recorded.json"
JSON: Final = "application/json"
LINES: Final = "application/x-ndjson"
SSE: Final = "text/event-stream"
SHOWN: Final = 2
"""So many items of a list are shown."""
LONGEST: Final = 1500
"""So many characters of a text are shown."""
KEPT_OUT: Final = ("openapi", "asyncapi", "metrics", "docs")
"""Documents that speak for themselves."""
Answers = dict[str, dict[str, dict[str, Any]]]
"""By operation, status and media type."""


@cache
def on_file() -> Answers:
    """What was recorded; nothing before the first recording."""
    return msgspec.json.decode(FILE.read_bytes(), type=Answers) if FILE.is_file() else {}


def problem_examples(found: Answers) -> dict[str, Any]:
    """By code: a problem as the server gave it, or as it would."""
    given = {
        body["code"]: body
        for by_status in found.values()
        for by_media in by_status.values()
        if (body := by_media.get(MEDIA)) is not None
    }
    made = {
        code: msgspec.json.decode(Problem(code, kind.meaning).body("")) for code, kind in PROBLEMS.items()
    }
    return made | given


def record(document: dict[str, Any]) -> bytes:
    """Play on a server of its own, and give the file of what it answered."""
    with _server() as url:
        recorder = _Recorder(url, document)
        _play(recorder)
    return msgspec.json.format(msgspec.json.encode(recorder.kept, order="sorted"), indent=1) + b"\n"


@contextmanager
def _server() -> Iterator[str]:
    """A server on a port of its choice; its address is what it says first."""
    start = "import sys; from kleos.api.command import main; sys.exit(main())"
    with tempfile.TemporaryDirectory(prefix="kleos-examples-") as folder:
        command = [sys.executable, "-c", start, "serve", "--port", "0", "--data", folder]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            try:
                assert process.stdout is not None
                yield next(
                    found[0] for line in process.stdout if (found := re.search(r"http://[\d.]+:\d+", line))
                )
            finally:
                process.terminate()


class _Recorder:
    """Asks, and keeps the first answer to each operation by status and media type."""

    def __init__(self, url: str, document: dict[str, Any]) -> None:
        self.kept: Answers = {}
        self._url = url
        self._operations = [
            (method.upper(), re.compile(re.sub(r"{\w+}", "[^/]+", path)), operation["operationId"])
            for path, methods in sorted(document["paths"].items())
            for method, operation in methods.items()
        ]

    def ask(self, method: str, path: str, body: Any = None, *, token: str = "", **headers: str) -> Any:
        """The answer: its JSON, or its text."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        if body is not None:
            sent.setdefault("Content-Type", JSON)
        content = None if body is None else msgspec.json.encode(body)
        request = urllib.request.Request(self._url + path, content, sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return self._keep(method, path, answer.status, answer)
        except urllib.error.HTTPError as refusal:
            return self._keep(method, path, refusal.code, refusal)

    def _keep(self, method: str, path: str, status: int, answer: Any) -> Any:
        media = answer.headers.get_content_type()
        body = answer.read()
        if media in ("application/zip", "application/octet-stream", "text/html", "image/svg+xml") or not body:
            return None
        value = msgspec.json.decode(body) if media in (JSON, MEDIA) else body.decode()
        place = path.partition("?")[0]
        for known, pattern, name in self._operations:
            if known == method and pattern.fullmatch(place) and name not in KEPT_OUT:
                by_status = self.kept.setdefault(name, {})
                by_status.setdefault(str(status), {}).setdefault(media, shortened(value))
                break
        return value


def shortened(value: Any) -> Any:
    """An answer with fewer items, and a text with fewer lines; each is still one by its schema."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST else value[:LONGEST].rpartition("\n")[0] + "\n"
    short: dict[str, Any] = {
        k: v[:SHOWN] if isinstance(v, list) and k in _LISTS else v for k, v in value.items()
    }
    if "schemas" in short:  # of a game; they stand in the document itself
        short |= {"schemas": {}, "manifest": dict(list(short["manifest"].items())[:SHOWN])}
    if "pictures" in short:
        short["pictures"] = [
            each | {"svg": each["svg"] and shortened(each["svg"])} for each in short["pictures"]
        ]
    for inner in ("view", "state"):
        if isinstance(short.get(inner), dict):
            short[inner] = shortened(short[inner])
    return short


_LISTS: Final = ("items", "moves", "alternatives", "patch", "events", "line", "versions", "targets")


class _Player:
    """One who asks under a token."""

    def __init__(self, recorder: _Recorder, name: str) -> None:
        made = recorder.ask("POST", "/v1/players", {"name": name})
        self.id, self.token, self._recorder = made["player"]["id"], made["token"], recorder

    def get(self, path: str, accept: str = JSON) -> Any:
        return self._recorder.ask("GET", path, token=self.token, Accept=accept)

    def post(self, path: str, body: Any = None) -> Any:
        return self._recorder.ask("POST", path, body or {}, token=self.token)

    def put(self, path: str, body: Any) -> Any:
        return self._recorder.ask("PUT", path, body, token=self.token)

    def delete(self, path: str) -> Any:
        return self._recorder.ask("DELETE", path, token=self.token)


def _play(recorder: _Recorder) -> None:
    """One match from its making to its end, and what else there is to see."""
    host, guest, referee = (_Player(recorder, name) for name in ("Ariadne", "Bacchus", "Calchas"))
    match = _gather(host, guest, referee)
    _move(match, host, guest)
    _look(match, host)
    _take_back(match, host, guest)
    _rule(match, referee)
    _after(match, host, guest)
    _others(host, guest)
    _accounts(host)
    _service(recorder)
    _refusals(recorder, match, host)


def _gather(host: _Player, guest: _Player, referee: _Player) -> str:
    made = host.post("/v1/matches", {"game": "iliad", "seats": 2, "visibility": "private", "start": "manual"})
    match = f"/v1/matches/{made['id']}"
    host.put(f"{match}/referee", {"player": referee.id})
    revoked = host.post(f"{match}/invitations", {"seat": 1})
    host.get(f"{match}/invitations")
    host.delete(f"{match}/invitations/{revoked['id']}")
    guest.post(f"{match}/seats", {"invite": made["invite"]})
    guest.delete(f"{match}/seats/1")
    guest.post(f"{match}/seats", {"seat": 1, "invite": made["invite"]})
    host.post(f"{match}/start")
    return match


def _move(match: str, *players: _Player, times: int = 3) -> None:
    """Some moves, each tried before it is played."""
    for _ in range(times):
        seat = players[0].get(match)["to_act"][0]
        view = players[seat].get(f"{match}/view")
        move = {"seat": seat, "move": view["moves"][0]["move"]}
        players[seat].post(f"{match}/moves/check", move)
        players[seat].post(f"{match}/moves", move)


def _look(match: str, host: _Player) -> None:
    for media in (JSON, LINES, SSE, "text/plain"):
        host.get(f"{match}/events?live=false", media)
    host.get(f"{match}/view", "text/plain")
    version = host.get(match)["version"]
    for path in ("moves", "undo", "checkpoint", "report", f"events/{version}", f"proof?version={version}"):
        host.get(f"{match}/{path}", "*/*" if path.partition("?")[0] in ("checkpoint", "proof") else JSON)
    host.get(f"{match}/events/{version}/explanation")
    host.get(f"{match}/diff?from={version - 1}&to={version}")
    host.post(f"{match}/explain", {"seat": 0, "move": {"type": "pass"}})
    host.put(f"{match}/bookmarks/before%20the%20storm", {"version": version})
    host.get(f"{match}/bookmarks")


def _take_back(match: str, host: _Player, guest: _Player) -> None:
    """Proposals that are refused, withdrawn, and agreed to; and forward again."""
    version = host.get(match)["version"]
    for answered, by, seat in (("refuse", guest, 1), ("withdraw", host, 0), ("consent", guest, 1)):
        proposed = host.post(f"{match}/undo", {"seat": 0, "to": version - 2})["proposal"]["id"]
        by.post(f"{match}/proposals/{proposed}/{answered}", {"seat": seat})
    proposed = host.post(f"{match}/redo", {"seat": 0})["proposal"]["id"]
    guest.post(f"{match}/proposals/{proposed}/consent", {"seat": 1})
    host.post(f"{match}/seats/1/vacate", {"by": 0})
    host.post(f"{match}/abandon", {"seat": 0})


def _rule(match: str, referee: _Player) -> None:
    referee.post(f"{match}/annotations", {"text": "Well played.", "version": referee.get(match)["version"]})
    referee.post(f"{match}/adjourn", {"text": "Tea."})
    referee.post(f"{match}/resume", {"text": "Go on."})
    referee.post(f"{match}/adjudicate", {"text": "It is late.", "ranking": [[0], [1]]})


def _after(match: str, host: _Player, guest: _Player) -> None:
    at = next(each for each in host.get(f"{match}/events")["items"] if each["event"]["kind"] == "move")
    host.post(f"{match}/forks", {"at": at["event"]["version"]})
    host.post(f"{match}/rematch")
    host.get("/v1/matches")
    host.get("/v1/games/iliad/ratings")
    host.get(f"/v1/players/{guest.id}")


def _others(host: _Player, guest: _Player) -> None:
    """What takes an absent player, or a bot."""
    late = host.post(
        "/v1/matches", {"game": "iliad", "seats": 2, "deadline": {"seconds": 1, "policy": "wait"}}
    )
    match = f"/v1/matches/{late['id']}"
    acting = guest.post(f"{match}/seats")["to_act"][0]
    time.sleep(1.5)
    (guest, host)[acting].post(f"{match}/seats/{acting}/claim")
    for ending in ("seats/1/vacate", "abandon"):
        made = host.post("/v1/matches", {"game": "iliad", "seats": 2})
        match = f"/v1/matches/{made['id']}"
        host.post(f"{match}/seats", {"seat": 1, "bot": "random"})
        host.post(f"{match}/{ending}", {} if ending != "abandon" else {"seat": 0})


def _accounts(host: _Player) -> None:
    host.get("/v1/players/me")
    host.get("/v1/players/me/news?live=false")
    host.post("/v1/players/me/tokens", {"scope": "spectate", "label": "for the wall"})
    host.get("/v1/players/me/tokens")
    hook = host.post("/v1/players/me/webhooks", {"url": "https://bot.example/kleos"})["id"]
    host.get("/v1/players/me/webhooks")
    host.post(f"/v1/players/me/webhooks/{hook}/ping")
    host.get(f"/v1/players/me/webhooks/{hook}/deliveries")


def _service(recorder: _Recorder) -> None:
    places = (
        "/v1/games",
        "/v1/games/iliad",
        "/v1/keys",
        "/healthz",
        "/readyz",
        "/",
        "/problems",
        "/problems/stale",
    )
    for place in places:
        recorder.ask("GET", place, Accept=JSON)
    recorder.ask("GET", "/v1/log/checkpoint", Accept="text/plain")


def _refusals(recorder: _Recorder, match: str, host: _Player) -> None:
    """One problem of each of the common kinds."""
    recorder.ask("POST", "/v1/players", {"name": ""})
    recorder.ask("POST", "/v1/matches", {"game": "iliad", "seats": 2})
    host.get("/v1/matches/none")
    host.post(f"{match}/moves", {"seat": 0, "move": {"type": "pass"}})
    host.put(f"{match}/referee", {"player": None})
    running = host.post("/v1/matches", {"game": "iliad", "seats": 2})
    at = f"/v1/matches/{running['id']}"
    host.post(f"{at}/start")
    host.post(f"{at}/seats", {"seat": 0, "bot": "random"})
    host.post(f"{at}/seats", {"seat": 1, "bot": "random"})
    for _ in range(100):
        if host.get(at)["to_act"] == [0]:
            break
        time.sleep(0.05)
    move = host.get(f"{at}/view")["moves"][-1]["move"]
    host.post(f"{at}/moves", {"seat": 0, "move": move | {"type": "attack", "place": 0, "into": 0}})
    recorder.ask("POST", f"{at}/moves", {"seat": 0, "move": move}, token=host.token, If_Match='"1-none"')
    recorder.ask("POST", f"{at}/moves", {"seat": 1, "move": move}, token=host.token)
