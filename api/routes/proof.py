"""Proof: checkpoints, receipts, what witnesses say of them, and the keys that signed them."""

from __future__ import annotations

from typing import Annotated

import msgspec
from litestar import get, post
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.response.base import ASGIResponse

from kleos.api import forms, replies
from kleos.api.access import Asked, backend_of, caller, required, seats_of, visible
from kleos.api.bodies import decode
from kleos.api.conditions import PRIVATE
from kleos.api.operation import TEXT, answer, op
from kleos.api.problems import Problem
from kleos.core.kernel.visibility import audience
from kleos.core.match import Match
from kleos.events.notary import everything
from kleos.events.rotation import keys_of

ZIP = "application/zip"


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
    """The signed head of the match's log, as a C2SP tlog-checkpoint; below the server's own signature those
    of the witnesses who have cosigned it.
    """
    await visible(request, match_id, await caller(request))
    backend = backend_of(request)
    text = await backend.log.checkpoint(match_id)
    return _text(await backend.witnesses.below(match_id, text))


@post(
    "/v1/matches/{match_id:str}/cosignatures",
    opt=op(
        summary="Cosign the log",
        tag="Proof",
        answers={200: replies.Cosignature},
        body=forms.CosignatureRequest,
        auth="required",
        rights=("play",),
        problems=("forbidden",),
    ),
    status_code=200,
)
async def cosign(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """Be a witness: say, with the key of your account, that you have seen the log grow to this head, and
    nothing else. The line is that of a C2SP tlog-cosignature under the name `<host>/p/<your id>`. Of each
    witness the cosignature of the longest log is kept, and answered with; it is shown with the checkpoint and
    goes into the bundle.
    """
    player = await required(request)
    match = await visible(request, match_id, player)
    asked = decode(await request.body(), forms.CosignatureRequest)
    kept = await backend_of(request).witnesses.cosign(match, player, asked.size, asked.cosignature)
    return answer(msgspec.json.encode(replies.Cosignature(kept.size, kept.key, kept.line)))


@get(
    "/v1/matches/{match_id:str}/proof",
    opt=op(
        summary="Read a receipt, a proof of growth, or one from the server's own log",
        tag="Proof",
        answers={200: str},
        auth="optional",
        media=(TEXT,),
        problems=("frozen",),
    ),
)
async def read_proof(
    request: Asked,
    match_id: FromPath[str],
    *,
    version: Annotated[int | None, QueryParameter(ge=1)] = None,
    old: Annotated[int | None, QueryParameter(name="from", ge=1)] = None,
    new: Annotated[int | None, QueryParameter(name="to", ge=1)] = None,
    log: FromQuery[bool] = False,
) -> ASGIResponse:
    """With `version`: the proof that an event is in the log, as a C2SP tlog-proof, to be checked offline, for
    ever. With `from` and `to`: the proof that the log at the one version is the beginning of the log at the
    other (RFC 9162, section 2.1.4). With `log=true`: the proof that the newest head of the match is in the
    server's own log (`/v1/log`), again a C2SP tlog-proof, with the entry as its `extra`.
    """
    table = await visible(request, match_id, await caller(request))
    backend = backend_of(request)
    match (version, old, new, log):
        case (int(), None, None, False):
            text = await backend.log.receipt(match_id, version)
        case (None, int(), int(), False):
            text = await backend.log.growth(match_id, old, new)
        case (None, None, None, True):
            text = await _inscribed(request, table)
        case _:
            raise Problem("malformed", "give version, or from and to, or log=true")
    return _text(text)


async def _inscribed(request: Asked, match: Match) -> str:
    proof = await backend_of(request).scribe.proof(match.id, match.version)
    if proof is None:
        raise Problem("not_found", "the server's own log does not have this match")
    return proof


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
    """The whole match in one file: every event, every signature, the proof that it is in the server's own
    log, what witnesses have cosigned, and what you may have of the sealed parts, which is everything once the
    match is over. `kleos verify` checks it offline.
    """
    player = await caller(request)
    match = await visible(request, match_id, player)
    mine = {audience(seat) for seat in seats_of(match, player)}
    shows = everything if match.opened else lambda _version, name: name in mine
    headers = {
        **PRIVATE,
        "Content-Disposition": f'attachment; filename="{match_id}.kleos"',
    }
    backend = backend_of(request)
    said = await backend.said(match)
    return answer(await backend.log.bundle(match_id, shows, said), media=ZIP, headers=headers)


@get(
    "/v1/keys",
    opt=op(summary="List the signing keys", tag="Proof", answers={200: replies.Keys}),
    sync_to_thread=False,
)
def list_keys(request: Asked) -> ASGIResponse:
    """The verifier keys of the service, in the C2SP form `name+id+key`, the newest first, and the notes by
    which each follows from the one before. Keep them from before a dispute.
    """
    signer = backend_of(request).signer
    told = replies.Keys([each.vkey for each in keys_of(signer)], list(signer.rotations))
    return answer(msgspec.json.encode(told), headers={"Cache-Control": "public, max-age=300"})


def _text(text: str) -> ASGIResponse:
    return answer(text.encode(), media=TEXT, headers=PRIVATE)
