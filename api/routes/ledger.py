"""The ledger, the server's own log of its matches' heads, as C2SP ``tlog-tiles`` has it served."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from litestar import get
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from kleos.api.access import Asked, backend_of
from kleos.api.operation import TEXT, answer, op, takes_gzip
from kleos.api.problems import Problem
from kleos.events.tiles import Span, Tile

OCTETS: Final = "application/octet-stream"
FOREVER: Final = "public, max-age=31536000, immutable"
BRIEFLY: Final = "public, max-age=2"


@get(
    "/v1/log/checkpoint",
    opt=op(
        summary="Read the head of the server's own log",
        tag="Proof",
        answers={200: str},
        media=(TEXT,),
        problems=("frozen", "store_unavailable"),
    ),
)
async def read_ledger(request: Asked) -> ASGIResponse:
    """The signed head of the one log in which the server writes down the heads of all its matches, as a C2SP
    tlog-checkpoint. Its origin is `<host>/v1/log`; entries and hashes are served as tiles.
    """
    text = await backend_of(request).ledger.checkpoint()
    return answer(text.encode(), media=TEXT, headers={"Cache-Control": BRIEFLY})


@get(
    "/v1/log/tile/{level:int}/{tile:path}",
    opt=op(
        summary="Read a tile of the server's own log",
        tag="Proof",
        answers={200: bytes},
        media=(OCTETS,),
        problems=("not_found", "store_unavailable"),
    ),
)
async def read_tile(request: Asked, level: FromPath[int], tile: FromPath[Path]) -> ASGIResponse:
    """Consecutive hashes of one level of the log's tree, 32 bytes each: 256 of a full tile. They stay."""
    wanted = _span(request, level, tile)
    found = _all(wanted, await backend_of(request).ledger.hashes(wanted))
    return answer(b"".join(found), media=OCTETS, headers={"Cache-Control": FOREVER})


@get(
    "/v1/log/tile/entries/{tile:path}",
    opt=op(
        summary="Read entries of the server's own log",
        tag="Proof",
        answers={200: bytes},
        media=(OCTETS,),
        problems=("not_found", "store_unavailable"),
    ),
)
async def read_entries(request: Asked, tile: FromPath[Path]) -> ASGIResponse:
    """The entries under a tile of level 0, each behind its length as two bytes, big-endian. They stay.

    An entry is the head of a match, in the form of a checkpoint under a name that only those can find who
    know the match's id, or a rotation of the server's key.
    """
    wanted = _span(request, 0, tile)
    found = _all(wanted, await backend_of(request).ledger.entries(wanted.start, wanted.count))
    body = b"".join(len(each).to_bytes(2, "big") + each for each in found)
    headers = {"Cache-Control": FOREVER, "Vary": "Accept-Encoding"}
    if takes_gzip(request.headers.get("accept-encoding")):
        body, headers["Content-Encoding"] = gzip.compress(body, mtime=0), "gzip"
    return answer(body, media=OCTETS, headers=headers)


def _all(wanted: Span, found: Sequence[bytes]) -> Sequence[bytes]:
    if len(found) < wanted.count:
        raise Problem("not_found", "the log does not have so many")
    return found


def _span(request: Asked, level: int, tile: Path) -> Span:
    """What is wanted of a level. A needless slash is taken out of ``tile`` and of the path, so the address is
    compared as it came.
    """
    place = tile.as_posix().removeprefix("/")
    try:
        if place != unquote(request.scope["raw_path"].decode()).split("/", 5)[-1]:
            raise ValueError("a tile's address has no needless slashes")
        found = Tile.parse(place)
    except ValueError as error:
        raise Problem("not_found", str(error)) from None
    span = Span(level, found.start, found.width)
    if not span.possible:
        raise Problem("not_found", "no log reaches so far")
    return span
