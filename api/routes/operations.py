"""For whoever runs the service: is the process up, can it serve."""

from __future__ import annotations

from litestar import get
from litestar.response.base import ASGIResponse

from kleos.api import forms
from kleos.api.access import Asked, backend_of
from kleos.api.operation import answer, op

OK = b'{"status":"ok"}'


@get(
    "/healthz",
    opt=op(summary="Is it up?", tag="Operations", answers={200: forms.Health}),
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
        answers={200: forms.Health},
        problems=("store_unavailable",),
    ),
)
async def readyz(request: Asked) -> ASGIResponse:
    """The store answers too: send traffic."""
    await backend_of(request).store.ping()
    return answer(OK)
