"""For whoever runs the service: is the process up, can it serve."""

from __future__ import annotations

from litestar import get
from litestar.response.base import ASGIResponse

from kleos.api import replies
from kleos.api.access import Asked, backend_of
from kleos.api.meter import MEDIA
from kleos.api.operation import TEXT, answer, op
from kleos.api.problems import Problem

OK = b'{"status":"ok"}'


@get(
    "/healthz",
    opt=op(summary="Is it up?", tag="Operations", answers={200: replies.Health}),
    sync_to_thread=False,
)
def healthz() -> ASGIResponse:
    """The process answers. Says nothing of the store: restarting us would not mend it."""
    return answer(OK)


@get(
    "/readyz",
    opt=op(
        summary="Can it serve?",
        tag="Operations",
        answers={200: replies.Health},
        problems=("store_unavailable",),
    ),
)
async def readyz(request: Asked) -> ASGIResponse:
    """The store answers, and its news come in: send traffic. Not while the process is stopping."""
    backend = backend_of(request)
    await backend.store.ping()
    if backend.herald.silent or not backend.herald.following:
        raise Problem("store_unavailable", "no news come in here", headers={"Retry-After": "1"})
    return answer(OK)


@get(
    "/metrics",
    opt=op(summary="Count", tag="Operations", answers={200: None}, media=(TEXT,)),
    sync_to_thread=False,
)
def metrics(request: Asked) -> ASGIResponse:
    """What this process has done since it started, in the text format of Prometheus."""
    return answer(backend_of(request).meter.text().encode(), media=MEDIA)
