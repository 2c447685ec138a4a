"""What an accepted move is compared with: a Litestar route that decodes the same body and makes one append.

No accounts, no rules, no proofs. It is a process of its own, served as `kleos serve` is:
``python -m kleos.api.bench.bare STORE_URL GAME PORT``.
"""

from __future__ import annotations

import gc
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import uvicorn
from litestar import Litestar, get, post
from litestar.params import FromPath, JSONBody
from msgspec import Struct

from kleos.api.bench.sample import Sample, sample
from kleos.events.command import Command
from kleos.events.store import Store


class Played(Struct, frozen=True):
    """The body of a move."""

    seat: int
    move: dict[str, Any]


def application(url: str, game: str) -> Litestar:
    versions: defaultdict[str, int] = defaultdict(int)

    @asynccontextmanager
    async def opened(app: Litestar) -> AsyncIterator[None]:
        app.state.store = await Store.connect(url)
        app.state.sample = await sample(app.state.store, game)
        gc.collect()
        gc.freeze()
        yield
        await app.state.store.close()

    @post("/{match:str}/moves")
    async def move(match: FromPath[str], data: JSONBody[Played]) -> dict[str, Any]:
        store: Store = app.state.store
        carried: Sample = app.state.sample
        versions[match] = version = versions[match] + 1
        appended = await store.append(
            f"bare-{match}",
            expected=version - 1,
            command=Command.named("bench", b"%d" % version),
            **msgspec.structs.asdict(carried),
        )
        return {"version": appended.version, "seat": data.seat}

    @get("/readyz")
    async def ready() -> dict[str, str]:
        return {}

    app = Litestar([move, ready], lifespan=[opened], openapi_config=None)
    return app


if __name__ == "__main__":
    store_url, game_name, port = sys.argv[1:]
    uvicorn.run(
        application(store_url, game_name), port=int(port), loop="uvloop", http="httptools", access_log=False,
        log_level="warning",
    )  # fmt: skip
