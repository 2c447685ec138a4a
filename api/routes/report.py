"""The dispute report of a match: a page for people, the same as text and as data."""

from __future__ import annotations

from typing import Final

import msgspec
from litestar import get
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from kleos.api.access import Asked, backend_of, caller, viewpoint, visible
from kleos.api.conditions import PRIVATE, unchanged
from kleos.api.markup import policy
from kleos.api.operation import JSON, TEXT, answer, chosen_media, op
from kleos.api.report_page import report_page
from kleos.api.report_text import report_lines
from kleos.api.sighting import Eyes, viewer_name
from kleos.core.kernel import Viewer
from kleos.projections.report import MatchReport

HTML: Final = "text/html"
MEDIA: Final = (HTML, JSON, TEXT)


@get(
    "/v1/matches/{match_id:str}/report",
    opt=op(
        summary="Read the report of a match",
        tag="Proof",
        answers={200: MatchReport},
        auth="optional",
        media=MEDIA,
        conditional=True,
    ),
)
async def read_report(request: Asked, match_id: FromPath[str], seat: Eyes = None) -> ASGIResponse:
    """Who did what when and on whose behalf, what was undone and who agreed, what chance gave and how, what
    you could see at each version, and what the verifier finds. While the match goes on it tells what you
    may know; when it is over, everything. It is a page to keep and print, or text, or JSON.
    """
    player = await caller(request)
    match = await visible(request, match_id, player)
    viewer = Viewer(viewpoint(match, player, seat).seat, open=match.opened)
    backend, media = backend_of(request), chosen_media(request, MEDIA)
    people, said = await backend.reports.people(match), await backend.said(match)
    told = msgspec.json.encode((people, said.ledger is not None, said.cosignatures)).decode()
    etag = backend.tags.etag(
        match_id, match.version, f"{viewer_name(viewer)} report {viewer.open} {media} {told}"
    )
    headers = {"ETag": etag, **PRIVATE}
    if unchanged(request.headers.get("if-none-match"), etag):
        return answer(b"", status=304, headers=headers)
    report = await backend.reports.of(match, viewer, people, said)
    if media == JSON:
        return answer(msgspec.json.encode(report), headers=headers)
    if media == TEXT:
        text = "".join(f"{line}\n" for line in report_lines(report))
        return answer(text.encode(), media=TEXT, headers=headers)
    headers["Content-Security-Policy"] = f"{policy()}; frame-ancestors 'none'"
    return answer(report_page(report, served=True), media=HTML, headers=headers)
