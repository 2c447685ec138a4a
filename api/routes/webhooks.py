"""Webhooks: be told of your turn and of the end, instead of asking."""

from __future__ import annotations

import secrets

import msgspec
from litestar import delete, get, post
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from kleos.api import forms, outbound, records
from kleos.api.access import Asked, backend_of, required
from kleos.api.bodies import decode
from kleos.api.conditions import PRIVATE
from kleos.api.operation import answer, op
from kleos.api.problems import Problem
from kleos.api.webhooks import delivery, secret_text
from kleos.events.webhooks import Delivery, Hook
from kleos.projections.timeline import rfc3339

PLACE = "/v1/players/me/webhooks"


def _told(hook: Hook) -> records.Webhook:
    return records.Webhook(id=hook.id, url=hook.url, events=hook.events, created_at=rfc3339(hook.created_at))


async def _mine(request: Asked, hook_id: str) -> Hook:
    player = await required(request)
    hook = await backend_of(request).webhooks.hook(player.id, hook_id)
    if hook is None:
        raise Problem("not_found", "you have no such webhook")
    return hook


@post(
    PLACE,
    opt=op(
        summary="Register a webhook",
        tag="Webhooks",
        body=forms.NewWebhook,
        examples={"all there is": {"url": "https://bot.example/kleos"}},
        answers={201: records.NewlyHooked},
        auth="required",
    ),
)
async def add_webhook(request: Asked) -> ASGIResponse:
    """From now on your turns (`match.your_turn`) and the ends of your matches (`match.over`) are POSTed to
    the URL, signed in the form of Standard Webhooks with the `secret`, which is shown this once.

    Messages are repeated until the answer is 2xx, so one may come twice: `webhook-id` tells. Only public
    addresses are called, by HTTPS; redirects are not followed; 410 ends it.
    """
    player = await required(request)
    wanted = decode(await request.body(), forms.NewWebhook)
    try:
        outbound.checked(wanted.url, private=request.app.state.settings.webhooks_private)
    except outbound.Refused as error:
        raise Problem("malformed", f"url: {error}") from error
    backend = backend_of(request)
    events = tuple(dict.fromkeys(wanted.events))
    hook = await backend.webhooks.add(player.id, wanted.url, events, backend.log.now())
    body = records.NewlyHooked(**msgspec.structs.asdict(_told(hook)), secret=secret_text(hook))
    headers = PRIVATE | {"Location": f"{PLACE}/{hook.id}"}
    return answer(msgspec.json.encode(body), status=201, headers=headers)


@get(
    PLACE,
    opt=op(summary="List your webhooks", tag="Webhooks", answers={200: records.WebhookList}, auth="required"),
)
async def list_webhooks(request: Asked) -> ASGIResponse:
    """Without their secrets."""
    player = await required(request)
    found = await backend_of(request).webhooks.of(player.id)
    return answer(msgspec.json.encode(records.WebhookList([_told(each) for each in found])), headers=PRIVATE)


@delete(
    f"{PLACE}/{{hook_id:str}}",
    status_code=204,
    opt=op(
        summary="Delete a webhook",
        tag="Webhooks",
        answers={204: None},
        auth="required",
    ),
)
async def delete_webhook(request: Asked, hook_id: FromPath[str]) -> None:
    """Nothing more is sent there, and what was is forgotten."""
    hook = await _mine(request, hook_id)
    await backend_of(request).webhooks.remove(hook.player, hook.id)


@post(
    f"{PLACE}/{{hook_id:str}}/ping",
    status_code=202,
    opt=op(
        summary="Test a webhook",
        tag="Webhooks",
        body=forms.Nothing,
        body_optional=True,
        answers={202: records.DeliveryAnswer},
        auth="required",
    ),
)
async def ping_webhook(request: Asked, hook_id: FromPath[str]) -> ASGIResponse:
    """A message of the type `ping` is sent like any other; the list of deliveries tells what became of it."""
    hook = await _mine(request, hook_id)
    if body := await request.body():
        decode(body, forms.Nothing)
    backend = backend_of(request)
    told = delivery(hook, "ping", {"player": hook.player}, backend.log.now(), f"ping {secrets.token_hex(8)}")
    await backend.webhooks.enqueue(told, told.created_at)
    return answer(msgspec.json.encode(_delivery(told)), status=202, headers=PRIVATE)


@get(
    f"{PLACE}/{{hook_id:str}}/deliveries",
    opt=op(
        summary="See what was delivered",
        tag="Webhooks",
        answers={200: records.DeliveryList},
        auth="required",
    ),
)
async def list_deliveries(request: Asked, hook_id: FromPath[str]) -> ASGIResponse:
    """The last hundred messages, the newest first, each with its attempts."""
    hook = await _mine(request, hook_id)
    found = await backend_of(request).webhooks.deliveries(hook.player, hook.id)
    return answer(
        msgspec.json.encode(records.DeliveryList([_delivery(each) for each in found])), headers=PRIVATE
    )


def _delivery(told: Delivery) -> records.DeliveryAnswer:
    return records.DeliveryAnswer(
        id=told.id,
        type=told.type,
        state=told.state,
        created_at=rfc3339(told.created_at),
        attempts=[records.AttemptAnswer(rfc3339(each.at), each.status, each.error) for each in told.attempts],
    )
