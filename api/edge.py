"""The outermost layer: request ids, headers that every answer has, HEAD, OPTIONS, the access log.

Plain ASGI, because it stands in every request's way: it knows no route but the table of paths and methods
it is given, and never looks into a body.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from kleos.api.problems import MEDIA, Problem, problem_of

if TYPE_CHECKING:  # an extra that most do not have
    from kleos.api.tracing import Tracing

_access = logging.getLogger("kleos.access")
_errors = logging.getLogger("kleos.api")
_PLACE: Final = re.compile(r"\\{[^/]+?(:path)?\\}")
"""A parameter in an escaped path."""
_CLIENTS_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_ALWAYS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
_UNLESS_SET: Final = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)


_ASTRAY: Final = (404, 405)


class Edge:
    """Wraps the application; ``paths`` maps path templates (``/v1/matches/{id}``) to their methods.

    ``count`` is told the method and status of every exchange; ``stray`` is asked to count a request that
    led nowhere, and raises the ``Problem`` of too many. ``tracing`` follows requests, if traces are wanted.
    """

    def __init__(
        self,
        app: ASGIApp,
        paths: Mapping[str, frozenset[str]],
        *,
        access_log: bool,
        count: Callable[[str, int], None],
        stray: Callable[[HTTPScope], Awaitable[None]],
        tracing: Tracing | None = None,
    ) -> None:
        self._app = app
        self.count = count
        self.stray = stray
        self.tracing = tracing
        self.access_log = access_log
        self._paths = [
            (re.compile(_PLACE.sub(lambda found: ".+" if found[1] else "[^/]+", re.escape(path))), methods)
            for path, methods in paths.items()
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        await _Exchange(self, scope, receive, send).run()

    def allowed(self, path: str) -> str | None:
        """The value of ``Allow`` for a path; None if there is no such path."""
        for pattern, methods in self._paths:
            if pattern.fullmatch(path):
                more = {"HEAD", "OPTIONS"} if "GET" in methods else {"OPTIONS"}
                return ", ".join(sorted(methods | more))
        return None

    async def serve(self, scope: Any, receive: Receive, send: Send) -> None:
        """Pass a request on; ``OPTIONS`` that is not a preflight is answered here."""
        if scope["method"] == "OPTIONS" and not any(
            name == b"access-control-request-method" for name, _ in scope["headers"]
        ):
            allowed = self.allowed(scope["path"])
            if allowed is not None:
                headers = [(b"allow", allowed.encode())]
                await send({"type": "http.response.start", "status": 204, "headers": headers})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                return
        if scope["method"] == "HEAD":  # in a copy: the server looks at its own to know that no body follows
            scope = scope | {"method": "GET"}
        await self._app(scope, receive, send)


class _Exchange:
    """One request and its answer."""

    __slots__ = (
        "_edge",
        "_head",
        "_method",
        "_receive",
        "_request_id",
        "_scope",
        "_send",
        "_size",
        "_status",
        "_trace_id",
    )

    def __init__(self, edge: Edge, scope: Any, receive: Receive, send: Send) -> None:
        self._edge = edge
        self._scope = scope
        self._receive = receive
        self._send = send
        self._method = scope["method"]
        self._head = self._method == "HEAD"
        self._request_id = _request_id(scope)
        self._trace_id = ""
        self._status = 0
        self._size = 0

    async def run(self) -> None:
        self._scope.setdefault("state", {}).update(request_id=self._request_id, head=self._head)
        if self._edge.tracing is None:
            await self._answered()
            return
        with self._edge.tracing.request(self._scope, self._request_id) as traced:
            self._trace_id = self._scope["state"]["trace_id"] = traced.trace_id
            try:
                await self._answered()
            finally:
                traced.answered(self._status)

    async def _answered(self) -> None:
        started = time.perf_counter()
        try:
            await self._edge.serve(self._scope, self._receive, self._answer)
        except Exception as error:
            problem = problem_of(error)
            if problem.code == "internal":
                _errors.exception(
                    "request %s (trace %s) failed",
                    self._request_id,
                    self._trace_id or "-",
                    exc_info=error,
                )
            if self._status:
                raise  # half an answer is out: only closing the connection can say so
            await self._refuse(problem)
        finally:
            self._edge.count(self._method, self._status)
            if self._edge.access_log:
                self._log(started)

    def _log(self, started: float) -> None:
        """One line about the exchange. No query and no header is in it: nothing in it can be a secret."""
        line = {
            "method": self._method,
            "path": self._scope["path"],
            "status": self._status,
            "bytes": self._size,
            "ms": round((time.perf_counter() - started) * 1000, 2),
            "request": self._request_id,
        }
        if self._trace_id:
            line["trace"] = self._trace_id
        _access.info("%s", msgspec.json.encode(line).decode())

    async def _refuse(self, problem: Problem) -> None:
        body = problem.body("")
        told = {"Content-Type": MEDIA, "Content-Length": str(len(body)), **problem.headers}
        headers = [(name.lower().encode(), value.encode()) for name, value in told.items()]
        await self._answer({"type": "http.response.start", "status": problem.status, "headers": headers})
        await self._answer({"type": "http.response.body", "body": body, "more_body": False})

    async def _answer(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if message["status"] in _ASTRAY:
                await self._edge.stray(self._scope)
            self._status = message["status"]
            headers = self._with_allow(list(message.get("headers", ())))
            given = {name.lower() for name, _ in headers}
            headers += _ALWAYS
            headers += [pair for pair in _UNLESS_SET if pair[0] not in given]
            headers.append((b"x-request-id", self._request_id.encode()))
            for name, value in self._scope["state"].get("rate", {}).items():
                headers.append((name.lower().encode(), value.encode()))
            message["headers"] = headers
        elif message["type"] == "http.response.body":
            self._size += len(message.get("body", b""))
            if self._head:
                message["body"] = b""
        await self._send(message)

    def _with_allow(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """A 405 names the same methods as ``OPTIONS``: the framework does not know of all."""
        allowed = self._edge.allowed(self._scope["path"]) if self._status == 405 else None
        if allowed is None:
            return headers
        return [pair for pair in headers if pair[0].lower() != b"allow"] + [(b"allow", allowed.encode())]


def _request_id(scope: Any) -> str:
    """The client's own id if it sent a sensible one, so that both logs tell one story."""
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _CLIENTS_ID.fullmatch(value):
            return str(value, "ascii")
    return secrets.token_hex(8)
