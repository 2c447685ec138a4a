"""What a server says to whoever started it: where it is, and its logs. Knows no socket but by its address."""

from __future__ import annotations

import logging
import socket
import sys
from typing import Any

from msgspec.structs import replace

from kleos.api.program import first_move
from kleos.api.routes.games import newest
from kleos.api.settings import Settings


def with_access_log(settings: Settings) -> Settings:
    """The settings with the access log decided on.

    Where somebody watches, a line a request would bury what the server says of itself.
    """
    if settings.access_log is not None:
        return settings
    return replace(settings, access_log=not sys.stderr.isatty())


def set_up_logging() -> None:
    """Everything to the standard error; the access log is JSON, a line a request."""
    plain = logging.StreamHandler()
    plain.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logging.getLogger().addHandler(plain)
    lines = logging.StreamHandler()
    lines.setFormatter(logging.Formatter("%(message)s"))
    access = logging.getLogger("kleos.access")
    access.addHandler(lines)
    access.setLevel(logging.INFO)
    access.propagate = False


def greet(settings: Settings, listener: socket.socket) -> None:
    """Where the server is, and what to do there."""
    host, port, *_ = listener.getsockname()
    shown = "127.0.0.1" if host == "0.0.0.0" else f"[{host}]" if ":" in host else host
    url = settings.public_url or f"http://{shown}:{port}"
    lines: list[tuple[str, Any]] = [
        ("Kleos is at", url),
        ("read the docs", f"{url}/docs"),
        ("play at once", first_move(newest(), url)),
        ("data", settings.redis_url or settings.data),
    ]
    for label, text in lines:
        print(f"{label:>14}  {text}")
    silent = "" if settings.access_log else " Requests are not logged; --access-log logs them."
    print(f"Ctrl-C stops it.{silent}", flush=True)
