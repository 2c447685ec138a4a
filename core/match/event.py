"""An event in full: one accepted action with all its effects, nothing hidden.

This is what rules see. What is stored, hashed and sent is the public part, made by ``kleos.events``.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

Kind = Literal[
    "create",
    "join",
    "leave",
    "start",
    "move",
    "resign",
    "undo",
    "redo",
    "propose",
    "consent",
    "refuse",
    "withdraw",
    "invite",
    "revoke",
    "vacate",
    "abandon",
    "appoint",
    "annotate",
    "adjourn",
    "resume",
    "adjudicate",
]


class Signature(Struct, frozen=True, forbid_unknown_fields=True):
    """What a player signed a move with (match.12): at which head, and the 64 bytes, in base64.

    ``size`` and ``root`` (in base64) are those of the checkpoint that the player saw.
    """

    size: Annotated[int, Meta(ge=0)]
    """The size of the checkpoint that the player saw."""
    root: Annotated[str, Meta(pattern=r"^[A-Za-z0-9+/]{43}=\Z")]
    """The root of that checkpoint, in base64."""
    signature: Annotated[str, Meta(pattern=r"^[A-Za-z0-9+/]{86}==\Z")]
    """64 bytes, in base64."""


class Event(Struct, frozen=True):
    """Event *n* turns version *n - 1* of ``match`` into version *n*.

    ``seat`` is the seat it was done for and ``player`` who did it: None when the house did (a bot's move,
    a move for an absent seat). ``at`` is in milliseconds since the epoch.
    """

    match: str
    version: int
    at: int
    kind: Kind
    seat: int | None
    player: str | None
    rules: str
    action: Any
    effects: tuple[Any, ...]
    signature: Signature | None = None
