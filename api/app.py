"""The application: all routes, and the layers around them."""

from __future__ import annotations

from functools import reduce
from pathlib import Path
from typing import Any, Final

import msgspec
from litestar import Litestar
from litestar.config.cors import CORSConfig
from litestar.datastructures import State
from litestar.routes import HTTPRoute
from litestar.types import ASGIApp, ControllerRouterHandler

from kleos.api.access import Asked, count_stranger, count_stray
from kleos.api.backend import Backend
from kleos.api.document import document
from kleos.api.edge import Edge
from kleos.api.operation import negotiate
from kleos.api.problems import answer_problem
from kleos.api.routes import (
    events,
    games,
    ledger,
    lobby,
    matches,
    news,
    operations,
    past,
    players,
    proof,
    ratings,
    referee,
    report,
    seats,
    site,
    table,
    time,
    webhooks,
)
from kleos.api.settings import Settings

ROUTES: Final[tuple[ControllerRouterHandler, ...]] = (
    games.list_games,
    games.read_game,
    players.register,
    players.read_me,
    players.erase,
    players.revoke,
    players.issue_token,
    players.list_tokens,
    players.revoke_token,
    news.read_news,
    webhooks.add_webhook,
    webhooks.list_webhooks,
    webhooks.delete_webhook,
    webhooks.ping_webhook,
    webhooks.list_deliveries,
    ratings.leaderboard,
    ratings.read_player,
    matches.create_match,
    matches.list_matches,
    matches.read_match,
    seats.join,
    seats.leave,
    seats.claim,
    seats.start,
    lobby.vacate,
    lobby.abandon,
    lobby.rematch,
    lobby.invite,
    lobby.list_invitations,
    lobby.revoke_invitation,
    referee.appoint,
    referee.annotate,
    referee.adjourn,
    referee.resume,
    referee.adjudicate,
    table.read_view,
    table.read_board,
    table.list_moves,
    table.play,
    table.check,
    time.read_undo,
    time.undo,
    time.redo,
    time.consent,
    time.refuse,
    time.withdraw,
    time.fork,
    past.diff,
    past.read_explanation,
    past.ask,
    past.list_bookmarks,
    past.put_bookmark,
    past.delete_bookmark,
    events.list_events,
    events.read_event,
    proof.read_checkpoint,
    proof.cosign,
    proof.read_proof,
    proof.read_bundle,
    proof.list_keys,
    ledger.read_ledger,
    ledger.read_tile,
    ledger.read_entries,
    report.read_report,
    operations.healthz,
    operations.readyz,
    operations.metrics,
    site.front,
    site.docs,
    site.openapi,
    site.asyncapi,
    site.static,
    site.problems,
    site.problem,
)
EXPOSED: Final = [
    *("ETag", "Link", "Location", "Allow", "Retry-After", "X-Request-Id", "Idempotency-Replayed"),
    *("Preference-Applied", "RateLimit", "RateLimit-Policy"),
]
HEADERS: Final = [
    *("Authorization", "Content-Type", "Accept", "If-Match", "If-None-Match", "Idempotency-Key"),
    *("Last-Event-ID", "Prefer", "X-Request-Id"),
]


async def _admit(request: Asked) -> None:
    """Before a handler runs: leave word of where it leads. Can it be answered, and may it be asked?"""
    state = request.scope["state"]
    state["route"] = request.scope["path_template"]
    state["match"] = request.path_params.get("match_id")
    await negotiate(request)
    await count_stranger(request)


def create_litestar(settings: Settings, backend: Backend | None = None) -> Litestar:
    """The Litestar application on an open backend; without one it can only be described."""
    return Litestar(
        route_handlers=list(ROUTES),
        state=State({"settings": settings, "backend": backend}),
        exception_handlers={Exception: answer_problem},
        before_request=_admit,
        openapi_config=None,
        request_max_body_size=settings.max_body,
        cors_config=CORSConfig(
            allow_origins=list(settings.cors_origins),
            allow_methods=["GET", "POST", "PUT", "DELETE"],
            allow_headers=HEADERS,
            expose_headers=EXPOSED,
            max_age=86400,
        ),
        logging_config=None,
    )


def create_app(settings: Settings, backend: Backend) -> ASGIApp:
    """The whole ASGI application: what a server serves. Whoever opened ``backend`` closes it afterwards."""
    app = create_litestar(settings, backend)
    app.state.document = msgspec.json.encode(document(app, games.newest().values()))
    return Edge(
        app,
        paths_of(app),
        access_log=settings.access_log is not False,
        count=backend.meter.count,
        stray=lambda scope: count_stray(backend, scope),
        tracing=backend.tracing,
    )


def paths_of(app: Litestar) -> dict[str, frozenset[str]]:
    """The methods of every path, as they were declared; ``{name:path}`` stands for more than one segment."""
    return {
        _shape(route): frozenset(
            str(method)
            for handler in route.route_handlers
            for method in handler.http_methods
            if method != "OPTIONS"
        )
        for route in app.routes
        if isinstance(route, HTTPRoute)
    }


def _shape(route: HTTPRoute) -> str:
    deep = [each for each in route.path_parameters.values() if each.type is Path]
    return reduce(
        lambda path, each: path.replace(f"{{{each.name}}}", f"{{{each.name}:path}}"), deep, route.path_format
    )


def describe(found: Any) -> bytes:
    """The OpenAPI document for the games given, in the bytes that are published."""
    app = create_litestar(Settings())
    pretty: bytes = msgspec.json.format(msgspec.json.encode(document(app, found)), indent=2)
    return pretty + b"\n"
