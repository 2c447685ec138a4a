"""Evidence: a match as far as somebody has it, from a bundle or from the log of a server.

The public events are there for everybody. Of what was hidden there is what the viewer may have, and the
states of the game where all of it is known; who reports a match needs to know no more than this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from kleos.core.kernel import EVERYTHING, SPECTATOR, Viewer
from kleos.core.kernel.visibility import SERVER, audience
from kleos.core.match import Event, Match
from kleos.events.bundle import Bundle, opening_of
from kleos.events.envelope import Damaged, Entry, unseal
from kleos.events.replay import Diverged, replay
from kleos.projections.draws import ASTRAY

JSON = dict[str, Any]


class Evidence(Struct, frozen=True, kw_only=True):
    """What ``viewer`` has of a match.

    ``events`` are the public parts; ``opened``, for each, the payloads that the viewer may have. ``full`` and
    ``matches`` are the events with everything hidden and the match after each, as far as they are known: they
    must be told as the viewer may see them.
    """

    viewer: Viewer
    events: tuple[JSON, ...]
    opened: tuple[tuple[JSON, ...], ...]
    full: tuple[Event, ...] = ()
    matches: tuple[Match, ...] = ()


def evidence(entries: Sequence[Entry], matches: Sequence[Match], viewer: Viewer) -> Evidence:
    """The evidence of a log; ``matches`` are its first versions, none if something hidden is not known."""
    mine = None if viewer.seat is None else audience(viewer.seat)
    return Evidence(
        viewer=viewer,
        events=tuple(msgspec.json.decode(each.public) for each in entries),
        opened=tuple(
            tuple(
                msgspec.json.decode(raw)["payload"]
                for name, raw in each.openings.items()
                if viewer.open or name == mine
            )
            for each in entries
        ),
        full=tuple(unseal(each) for each, _ in zip(entries, matches, strict=False)),
        matches=tuple(matches),
    )


def of_bundle(bundle: Bundle, viewer: Viewer | None = None) -> Evidence:
    """The evidence in a bundle whose events have the form of events; by default for whom it was made."""
    pairs = zip(bundle.events, bundle.openings, strict=True)
    entries = [Entry(n, event, opening_of(line)) for n, (event, line) in enumerate(pairs, start=1)]
    return evidence(entries, _folded(entries), _made_for(entries) if viewer is None else viewer)


def _made_for(entries: Iterable[Entry]) -> Viewer:
    """Whoever could have taken this along: a spectator, one seat, or everybody when all was open."""
    audiences = {name for each in entries for name in each.openings}
    if len(audiences) > 1 or SERVER in audiences:
        return EVERYTHING
    return Viewer(int(audiences.pop().removeprefix("seat:"))) if audiences else SPECTATOR


def _folded(entries: Sequence[Entry]) -> list[Match]:
    """The match at each version, up to where something is missing or wrong: what, the verifier tells."""
    matches: list[Match] = []
    try:
        matches.extend(replay(entries))
    except (*ASTRAY, msgspec.MsgspecError, Damaged, Diverged):
        pass
    return matches


def players(events: Iterable[JSON]) -> frozenset[str]:
    """The ids of everybody who had a part in a match."""
    found = set()
    for event in events:
        found.add(event["player"])
        for effect in event["effects"]:
            if effect["type"] == "seat_filled":
                found.add(effect["player"])
            elif effect["type"] in ("match_created", "referee_appointed"):
                found.add(effect.get("referee"))
    return frozenset(found - {None})
