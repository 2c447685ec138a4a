"""The types of a match's actions and effects, the match's own together with those of its game.

``split`` takes an event apart into public part and sealed parts, ``join`` puts it together again: the two
are each other's inverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import GenericAlias
from typing import Any, Union

import msgspec

from kleos.core.kernel.registry import pinned
from kleos.core.kernel.visibility import Builtin, Parts, Viewer, audience, merge, redact, split
from kleos.core.match.actions import MatchAction
from kleos.core.match.event import Event, Signature
from kleos.core.match.facts import MatchFact
from kleos.core.match.fork import position_taken


class Codec:
    """Actions, effects and states of one set of rules, to and from JSON-ready builtins."""

    def __init__(self, rules: str) -> None:
        game = pinned(rules)
        self.rules = rules
        self.game = game
        self.action: Any = Union[MatchAction, game.Move]  # noqa: UP007 - a value, made at run time
        self.effect: Any = Union[MatchFact, position_taken(rules), game.Effect]  # noqa: UP007
        # A struct, because msgspec prepares those once for all, and unions anew at every use.
        effects = GenericAlias(tuple, (self.effect, ...))
        self._body = msgspec.defstruct("Body", [("action", self.action), ("effects", effects)], frozen=True)

    def split(self, event: Event) -> tuple[dict[str, Builtin], Parts]:
        """The public form of the event, and for each audience the parts only it may see."""
        action, parts = split(event.action, kind=self.action, owner=event.seat, at="/action")
        hidden = bool(parts)
        effects = []
        for place, effect in enumerate(event.effects):
            public, more = split(effect, kind=self.effect, owner=event.seat, at=f"/effects/{place}")
            effects.append(public)
            for named, places in more.items():
                parts.setdefault(named, {}).update(places)
        header = {field: getattr(event, field) for field in _HEADER}
        public = {**header, "action": action, "effects": effects}
        if event.signature is not None:
            _sign(public, event, parts, hidden=hidden)
        return public, parts

    def join(self, public: dict[str, Builtin], parts: Sequence[dict[str, Builtin]]) -> Event:
        """The event with this public form and these sealed parts. ``ValueError`` if they do not fit."""
        whole = merge(public, parts)
        header = {field: whole[field] for field in _HEADER}
        body: Any = msgspec.convert({"action": whole["action"], "effects": whole["effects"]}, self._body)
        signature = msgspec.convert(whole.get("signature"), Signature | None)
        return Event(**{**header, "action": body.action, "effects": body.effects, "signature": signature})

    def move(self, raw: Builtin) -> Any:
        """A move of the game from JSON-ready builtins; ``msgspec.ValidationError`` says what is wrong."""
        return msgspec.convert(raw, self.game.Move)

    def options(self, raw: Builtin) -> Any:
        """The game's options from JSON-ready builtins; ``msgspec.ValidationError`` says what is wrong."""
        return msgspec.convert(raw, self.game.Options)

    def state_bytes(self, state: Any) -> bytes:
        """The whole state in canonical bytes: what the state digest is taken over, and what is cached."""
        return _SORTED.encode(state)

    def state(self, data: bytes) -> Any:
        """The state that ``state_bytes`` gave ``data`` for."""
        return None if data == b"null" else msgspec.json.decode(data, type=self.game.State)

    def view(self, state: Any, viewer: Viewer) -> Builtin:
        """The state as a viewer sees it; None before the start."""
        return None if state is None else redact(state, viewer)


def _sign(public: dict[str, Builtin], event: Event, parts: Parts, *, hidden: bool) -> None:
    """Put the signature in: beside the action, or with its hidden parts, for whoever could try out all
    actions under a signature would find the hidden one.
    """
    signature = msgspec.to_builtins(event.signature)
    public["signature"] = None if hidden else signature
    if hidden:
        assert event.seat is not None, "a move is made for a seat"
        parts.setdefault(audience(event.seat), {})["/signature"] = signature


_HEADER = tuple(field for field in Event.__struct_fields__ if field != "signature")
_SORTED = msgspec.json.Encoder(order="sorted")


@cache
def codec(rules: str) -> Codec:
    """The codec of an installed set of rules (``LookupError`` if it is not)."""
    return Codec(rules)
