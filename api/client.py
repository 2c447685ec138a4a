"""A client of the HTTP API, on the standard library alone. Knows URLs and JSON, no rules and no terminal.

Every command carries an ``Idempotency-Key`` and is sent again when the connection breaks before the answer:
the server makes one event of it, however often it arrives.
"""

from __future__ import annotations

import http.client
import json
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Final, NamedTuple

from kleos.api.outage import Outage, reason_of

JSON = dict[str, Any]
ATTEMPTS: Final = 4
PATIENCE: Final = 0.1  # seconds; the wait before a repetition, doubled with each one
LONGEST_PAUSE: Final = 2.0  # seconds; no wait before a repetition is longer
LONGEST_WAIT: Final = 10  # seconds that a server may ask for
WAIT: Final = 25  # seconds for which a server is asked to hold an answer that would tell nothing new


class Unreachable(Exception):
    """Nobody answers at the server's address, or what answers does not speak HTTP."""


class Problem(Exception):
    """The server said no: its ``application/problem+json``, as attributes.

    ``retry_after`` is in seconds, and None unless the server asks for patience (429, 503).
    """

    def __init__(self, status: int, body: JSON, retry_after: str | None = None) -> None:
        self.status = status
        self.code = str(body.get("code", "internal"))
        self.detail = str(body.get("detail") or body.get("title") or f"status {status}")
        self.rule: str | None = body.get("rule")
        patient = status in (429, 503) and (retry_after or "").isdigit()
        self.retry_after = min(int(retry_after or 0), LONGEST_WAIT) if patient else None
        super().__init__(self.detail if self.rule is None else f"{self.detail} ({self.rule})")


class _Answer(NamedTuple):
    body: bytes
    etag: str | None


class Client:
    """One player's connection to one server; without ``token`` that of a passer-by."""

    def __init__(self, server: str, token: str | None = None, *, timeout: float = 10) -> None:
        parts = urllib.parse.urlsplit(server if "://" in server else f"http://{server}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Unreachable(f"{server!r} is not the address of a server, such as http://127.0.0.1:8000")
        self.server = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self.token = token
        self.outage = Outage()
        self._timeout = timeout
        near = parts.hostname in ("localhost", "::1") or parts.hostname.startswith("127.")
        self._opener = urllib.request.build_opener(*([urllib.request.ProxyHandler({})] if near else []))

    # Players and matches

    def register(self, name: str, key: str | None = None) -> JSON:
        """A new player, with an Ed25519 public key in base64 if moves are to be signed; from now on this
        client acts for it."""
        registered = self._post("/v1/players", {"name": name} if key is None else {"name": name, "key": key})
        self.token = registered["token"]
        return registered

    def me(self) -> JSON:
        """The player this client acts for: ``id`` and ``name``."""
        player: JSON = self._get("/v1/players/me")["player"]
        return player

    def name(self, player: str) -> str | None:
        """What a player is called; None for one who is forgotten."""
        try:
            found = self._get(f"/v1/players/{urllib.parse.quote(player, safe='')}")
        except Problem as problem:
            if problem.code == "not_found":
                return None
            raise
        return str(found["player"]["name"])

    def forget_me(self) -> None:
        """Erase the player this client acts for."""
        self._sent("DELETE", "/v1/players/me", None, "application/json")

    def create(self, game: str, seats: int, **rest: Any) -> JSON:
        """A new match; ``rest`` are the optional fields (``options``, ``undo``, ``visibility`` …)."""
        return self._post("/v1/matches", {"game": game, "seats": seats, **rest})

    def match(self, match: str) -> JSON:
        return self._get(_path(match))

    def take_seat(self, match: str, **which: Any) -> JSON:
        """``seat``, ``bot``, ``invite``, ``entropy``: all optional."""
        return self._post(_path(match, "seats"), which)

    def give_up_seat(self, match: str, seat: int) -> JSON:
        """Leave an open match, or resign from one that is being played."""
        return self._send("DELETE", _path(match, "seats", str(seat)), None)

    # Playing

    def view(self, match: str, seat: int | str | None = None, *, at: int | None = None) -> JSON:
        """What ``seat`` (default: one's own) sees now, with its legal moves; or saw at a version."""
        return self.look(match, seat, at=at)[0]

    def look(
        self, match: str, seat: int | str | None = None, *, at: int | None = None
    ) -> tuple[JSON, str | None]:
        """The view, and its ETag: what is asked for with it is done in what was seen or not at all."""
        asked = {"seat": seat, "at": at}
        path = _asked(_path(match, "view"), {key: value for key, value in asked.items() if value is not None})
        answer = self._sent("GET", path, None, "application/json")
        return _object(answer.body), answer.etag

    def wait(self, match: str, version: int) -> bool:
        """Return when the match has moved beyond a version, or after a while without news: whether it has."""
        query = {"after": version, "limit": 1}
        page = self._send("GET", _asked(_path(match, "events"), query), None, wait=WAIT)
        return bool(page["items"])

    def play(self, match: str, seat: int, move: JSON, signature: JSON | None = None) -> JSON:
        """Make a move: the event, its receipt and the new view."""
        body = {"seat": seat, "move": move} | ({} if signature is None else {"signature": signature})
        return self._post(_path(match, "moves"), body)

    def takeback(self, match: str, seat: int) -> JSON:
        """What a seat could take back, and forward again, and what each would cost."""
        return self._get(_path(match, "undo"), {"seat": seat})

    def move_head(self, match: str, way: str, seat: int, to: int, *, seen: str | None = None) -> JSON:
        """``undo`` or ``redo``, to a version: the event, or the ``proposal`` it made."""
        return self._post(_path(match, way), {"seat": seat, "to": to}, seen)

    def answer(self, match: str, proposal: str, word: str, seat: int) -> JSON:
        """``consent`` to a proposal, ``refuse`` or ``withdraw`` it."""
        return self._post(_path(match, "proposals", proposal, word), {"seat": seat})

    def events(self, match: str, after: int) -> list[JSON]:
        """All items after a version, page by page."""
        items: list[JSON] = []
        asked: JSON = {"after": after}
        while True:
            page = self._get(_path(match, "events"), asked)
            items += page["items"]
            if page["next"] is None or not page["items"]:
                return items
            asked = {"after": items[-1]["event"]["version"]}

    def bundle(self, match: str) -> bytes:
        """The whole match as a ``.kleos`` file, with what this player may see of it."""
        return self._sent("GET", _path(match, "bundle"), None, "application/zip").body

    def report(self, match: str, seat: str | None = None) -> JSON:
        """The report of a match, as this player may have it."""
        return self._get(_path(match, "report"), {} if seat is None else {"seat": seat})

    def explanation(self, match: str, version: int, seat: str | None = None) -> JSON:
        """The explanation of an event, as this player may have it."""
        place = _path(match, "events", str(version), "explanation")
        return self._get(place, {} if seat is None else {"seat": seat})

    def judge(self, match: str, seat: int, move: JSON, at: int | None = None) -> JSON:
        """Whether a move of a seat of this player could be made at a version (default: now), and why not."""
        body = {"seat": seat, "move": move} | ({} if at is None else {"at": at})
        return self._post(_path(match, "explain"), body)

    # Proof

    def keys(self) -> JSON:
        """The server's verifier keys, the newest first, and the notes of their rotations."""
        return self._get("/v1/keys")

    def checkpoint(self, match: str) -> str:
        """The signed head of a match's log."""
        return self._text(_path(match, "checkpoint"))

    def growth(self, match: str, old: int, new: int) -> str:
        """The proof that the log of ``new`` events goes on from that of ``old``."""
        return self._text(_asked(_path(match, "proof"), {"from": old, "to": new}))

    def inscription(self, match: str) -> str:
        """The proof that a match's newest head is in the server's own log."""
        return self._text(_asked(_path(match, "proof"), {"log": "true"}))

    def ledger(self) -> str:
        """The signed head of the server's own log."""
        return self._text("/v1/log/checkpoint")

    def tile(self, level: int | str, place: str) -> bytes:
        """A tile of the server's own log; its ``entries``, if that is the level."""
        return self._sent("GET", f"/v1/log/tile/{level}/{place}", None, "application/octet-stream").body

    def cosign(self, match: str, size: int, cosignature: str) -> JSON:
        """Be a witness of the first ``size`` events."""
        return self._post(_path(match, "cosignatures"), {"size": size, "cosignature": cosignature})

    # The wire

    def _text(self, path: str) -> str:
        return self._sent("GET", path, None, "text/plain").body.decode()

    def _get(self, path: str, query: JSON | None = None) -> JSON:
        return self._send("GET", _asked(path, query or {}), None)

    def _post(self, path: str, body: JSON, seen: str | None = None) -> JSON:
        return self._send("POST", path, body, seen=seen)

    def _send(
        self, method: str, path: str, body: JSON | None, *, wait: int = 0, seen: str | None = None
    ) -> JSON:
        return _object(self._sent(method, path, body, "application/json", wait=wait, seen=seen).body)

    def _sent(
        self,
        method: str,
        path: str,
        body: JSON | None,
        media: str,
        *,
        wait: int = 0,
        seen: str | None = None,
    ) -> _Answer:
        """Send until there is an answer, or ``ATTEMPTS`` or the timeout are used up and silence is not borne.

        The server may hold its answer for ``wait`` seconds; ``seen`` is sent as ``If-Match``.
        """
        request = urllib.request.Request(self.server + path, method=method)
        request.add_header("Accept", media)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        if method != "GET":
            request.add_header("Idempotency-Key", secrets.token_urlsafe(24))
        if self.token is not None:
            request.add_unredirected_header("Authorization", f"Bearer {self.token}")
        if seen is not None:
            request.add_header("If-Match", seen)
        if wait:
            request.add_header("Prefer", f"wait={wait}")
        timeout = self._timeout + wait
        deadline = time.monotonic() + timeout
        attempt = 1
        while True:
            try:
                return self._answer(request, timeout)
            except Problem as problem:
                if problem.retry_after is None or attempt >= ATTEMPTS:
                    raise
                pause = float(problem.retry_after)
            except (OSError, http.client.HTTPException) as error:
                if attempt >= ATTEMPTS or time.monotonic() > deadline:
                    silence = f"no answer from {self.server}: {reason_of(error)}"
                    if not self.outage.borne(silence):
                        raise Unreachable(silence) from None
                pause = min(PATIENCE * 2**attempt, LONGEST_PAUSE)
            time.sleep(pause)
            attempt += 1

    def _answer(self, request: urllib.request.Request, timeout: float) -> _Answer:
        try:
            with self._opener.open(request, timeout=timeout) as response:
                answer = _Answer(response.read(), response.headers.get("ETag"))
        except urllib.error.HTTPError as error:
            with error:
                body = _object(error.read(), strict=False)
                raise Problem(error.code, body, error.headers.get("Retry-After")) from None
        self.outage.over()
        return answer


def _path(match: str, *rest: str) -> str:
    return "/".join(["/v1/matches", *(urllib.parse.quote(each, safe="") for each in (match, *rest))])


def _asked(path: str, query: JSON) -> str:
    return f"{path}?{urllib.parse.urlencode(query)}" if query else path


def _object(text: bytes, *, strict: bool = True) -> JSON:
    """The JSON object in a body; what is none is no answer of this API (or, not ``strict``, an empty one)."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    if strict:
        raise Unreachable("what answers there is not a Kleos server")
    return {}
