"""Proof: checkpoints, receipts, and the keys that signed them."""

from __future__ import annotations

from typing import Annotated

import msgspec
from litestar import get
from litestar.params import FromPath, QueryParameter
from litestar.response.base import ASGIResponse

from kleos.api import replies
from kleos.api.access import Asked, backend_of, caller, seats_of, visible
from kleos.api.operation import answer, op
from kleos.api.problems import Problem
from kleos.core.kernel.visibility import audience
from kleos.events.notary import everything

TEXT = "text/plain"
ZIP = "application/zip"
VARY = "Authorization, Accept"


@get(
    "/v1/matches/{match_id:str}/checkpoint",
    opt=op(
        summary="Read the checkpoint",
        tag="Proof",
        answers={200: str},
        auth="optional",
        media=(TEXT,),
    ),
)
async def read_checkpoint(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """The signed head of the match's log, as a C2SP tlog-checkpoint."""
    await visible(request, match_id, await caller(request))
    text = await backend_of(request).log.checkpoint(match_id)
    return _text(text, "private, no-cache")


@get(
    "/v1/matches/{match_id:str}/proof",
    opt=op(
        summary="Read a receipt, or a proof of growth",
        tag="Proof",
        answers={200: str},
        auth="optional",
        media=(TEXT,),
    ),
)
async def read_proof(
    request: Asked,
    match_id: FromPath[str],
    version: Annotated[int | None, QueryParameter(ge=1)] = None,
    old: Annotated[int | None, QueryParameter(name="from", ge=1)] = None,
    new: Annotated[int | None, QueryParameter(name="to", ge=1)] = None,
) -> ASGIResponse:
    """With `version`: the proof that an event is in the log, as a C2SP tlog-proof, to be checked offline, for
    ever. With `from` and `to`: the proof that the log at the one version is the beginning of the log at the
    other (RFC 9162, section 2.1.4).
    """
    await visible(request, match_id, await caller(request))
    log = backend_of(request).log
    if version is not None and old is None and new is None:
        return _text(await log.receipt(match_id, version), "private, no-cache")
    if version is None and old is not None and new is not None:
        return _text(await log.growth(match_id, old, new), "private, no-cache")
    raise Problem("malformed", "give version, or from and to")


@get(
    "/v1/matches/{match_id:str}/bundle",
    opt=op(
        summary="Take the match with you",
        tag="Proof",
        answers={200: str},
        auth="optional",
        media=(ZIP,),
    ),
)
async def read_bundle(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """The whole match in one file: every event, every signature, and what you may have of the sealed parts,
    which is everything once the match is over. `kleos verify` checks it offline.
    """
    player = await caller(request)
    match = await visible(request, match_id, player)
    mine = {audience(seat) for seat in seats_of(match, player)}
    shows = everything if match.opened else lambda _version, name: name in mine
    headers = {
        "Vary": VARY,
        "Cache-Control": "private, no-cache",
        "Content-Disposition": f'attachment; filename="{match_id}.kleos"',
    }
    return answer(await backend_of(request).log.bundle(match_id, shows), media=ZIP, headers=headers)


@get(
    "/v1/keys",
    opt=op(summary="List the signing keys", tag="Proof", answers={200: replies.Keys}),
    sync_to_thread=False,
)
def list_keys(request: Asked) -> ASGIResponse:
    """The verifier keys of the service, in the C2SP form `name+id+key`. Keep them from before a dispute."""
    keys = [backend_of(request).signer.verifier.vkey]
    return answer(msgspec.json.encode({"keys": keys}), headers={"Cache-Control": "public, max-age=300"})


def _text(text: str, caching: str) -> ASGIResponse:
    return answer(text.encode(), media=TEXT, headers={"Vary": VARY, "Cache-Control": caching})
