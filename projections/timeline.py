"""The timeline: what one seat, or a spectator, may see of a match at any of its versions.

Everything here is a pure function of matches and entries that the log gave. The shapes are those that clients
rely on; how they travel is not known here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from kleos.core.kernel import Malformed, Outcome, Viewer, choices
from kleos.core.kernel.registry import pinned
from kleos.core.kernel.visibility import Builtin, audience
from kleos.core.match import OVER, Cost, Due, Match, Proposal, codec, dues, foreseen, seats_to_act
from kleos.core.match.actions import Deadline, Parent, UndoPolicy, Visibility
from kleos.core.match.state import Status
from kleos.events.envelope import Entry
from kleos.events.standing import SeatStanding, Standing
from kleos.projections.drawing import painter


class ListedMove(Struct, frozen=True, kw_only=True):
    """A legal move; with ``range``, every integer from low to high in that field is legal too.

    ``undo`` is what taking it back right afterwards would take: ``free`` is a promise, and where chance or
    hidden cards have a say it is the dearer cost.
    """

    move: Builtin
    range: dict[str, tuple[int, int]] | UnsetType = UNSET
    undo: Cost


class View(Struct, frozen=True, kw_only=True):
    """A match as ``seat`` (null: a spectator) may see it at ``version``, when ``head`` was in force.

    ``read_only``: this is a copy of a match that was brought in under way. Nobody acts here any more, though
    ``status`` and ``to_act`` say how it stood. ``moves`` is empty then, as it is in a view of the past, for a
    seat that has nothing to decide, and once all is over.
    ``proposals`` are those open at ``version``, ``due`` when the time of those who are to act is over.
    """

    match: str
    game: str
    seat: int | None
    version: int
    head: int
    status: Status
    to_act: tuple[int, ...]
    state: Builtin
    moves: tuple[ListedMove, ...]
    proposals: tuple[Proposal, ...]
    due: tuple[SummaryDue, ...]
    adjourned: bool
    read_only: bool
    outcome: Outcome | None


class Person(Struct, frozen=True):
    """An account; ``name`` is null once it is forgotten."""

    id: str
    name: str | None


class SummarySeat(Struct, frozen=True, kw_only=True):
    """Who sits where: a person, a mechanical player, or nobody."""

    seat: int
    player: Person | None
    bot: str | None
    resigned: bool


class SummaryDue(Struct, frozen=True):
    """The time of a seat is over ``at`` (RFC 3339 in UTC)."""

    seat: int
    at: str


class Links(Struct, frozen=True):
    """Where to read on."""

    view: str
    moves: str
    events: str
    board: str | None
    """The table as a picture; null for a game that draws none."""
    report: str


class Summary(Struct, frozen=True, kw_only=True):
    """A match without its game's state. Times are RFC 3339 in UTC.

    ``read_only``: a copy of a match that was brought in under way. It stands as it stood then, nobody is
    waited for, and commands are refused (409 ``frozen``).
    """

    id: str
    game: str
    rules: str
    status: Status
    seats: tuple[SummarySeat, ...]
    to_act: tuple[int, ...]
    version: int
    head: int
    options: dict[str, Any]
    undo: UndoPolicy
    visibility: Visibility
    created_at: str
    updated_at: str
    outcome: Outcome | None
    parent: Parent | None
    deadline: Deadline | None
    due: tuple[SummaryDue, ...]
    rated: bool
    rematch_of: str | None
    referee: str | None
    adjourned: bool
    read_only: bool
    signed: bool
    links: Links


def view(match: Match, seat: int | None, latest: Match, *, listed: bool = True, goes_on: bool = True) -> View:
    """``match``, one version of ``latest``, as ``seat`` may see it; everything once ``latest`` is over.

    Its legal moves are ``listed`` at the head only, and only if the match ``goes_on``: one that does not, and
    is not over, is a copy. Without them it stays the same when it does.

    It is what that seat could see then: the caller sees to it that only its player asks before the end.
    Raises ``Malformed`` for a seat that the match does not have.
    """
    if seat is not None and not 0 <= seat < len(match.seats):
        raise Malformed(f"seat is one of 0 to {len(match.seats) - 1}, or spectator, not {seat}")
    return View(
        match=match.id,
        game=match.game,
        seat=seat,
        version=match.version,
        head=match.head,
        status=match.status,
        to_act=seats_to_act(match),
        state=codec(match.rules).view(match.state, Viewer(seat, open=latest.opened)),
        moves=_moves(match, seat) if listed and goes_on and match.version == latest.version else (),
        proposals=match.proposals,
        due=_told(dues(match)),
        adjourned=match.adjourned,
        read_only=not (goes_on or latest.opened),
        outcome=match.outcome,
    )


def _moves(match: Match, seat: int | None) -> tuple[ListedMove, ...]:
    if seat is None or match.status != "playing" or match.adjourned or not match.seats[seat].attended:
        return ()
    legal = choices(pinned(match.rules), match.state, seat)
    cost_of = foreseen(match, seat)
    return tuple(
        ListedMove(
            move=msgspec.to_builtins(each.move),
            range=each.range or UNSET,
            undo=cost_of(each.move),
        )
        for each in legal
    )


def summary(match: Match | Standing, names: Mapping[str, str]) -> Summary:
    """A match for lists and for its own page; ``names`` are those of its players, by id."""
    standing = match if isinstance(match, Standing) else Standing.of(match)
    place = f"/v1/matches/{standing.match}"
    return Summary(
        id=standing.match,
        game=standing.game,
        rules=standing.rules,
        status=standing.status,
        seats=tuple(_seat(each, names) for each in standing.seats),
        to_act=standing.to_act,
        version=standing.version,
        head=standing.head,
        options=standing.options,
        undo=standing.undo,
        visibility=standing.visibility,
        created_at=rfc3339(standing.created_at),
        updated_at=rfc3339(standing.updated_at),
        outcome=standing.outcome,
        parent=standing.parent,
        deadline=standing.deadline,
        due=_told(standing.due),
        rated=standing.rated,
        rematch_of=standing.rematch_of,
        referee=standing.referee,
        adjourned=standing.adjourned,
        read_only=standing.imported and standing.status not in OVER,
        signed=standing.signed,
        links=Links(
            view=f"{place}/view",
            moves=f"{place}/moves",
            events=f"{place}/events",
            board=f"{place}/board.svg" if painter(standing.rules) else None,
            report=f"{place}/report",
        ),
    )


def _told(due: Iterable[Due]) -> tuple[SummaryDue, ...]:
    return tuple(SummaryDue(each.seat, rfc3339(each.at)) for each in due)


def _seat(standing: SeatStanding, names: Mapping[str, str]) -> SummarySeat:
    player = standing.player
    return SummarySeat(
        seat=standing.seat,
        player=None if player is None else Person(player, names.get(player)),
        bot=standing.bot,
        resigned=standing.resigned,
    )


class Item(Struct, frozen=True):
    """An event as it is in the log, and the openings that the viewer may have, by audience."""

    event: Raw
    opened: dict[str, Raw]


def item(entry: Entry, seats: Collection[int], *, opened: bool) -> Item:
    """An entry for somebody who holds ``seats``; everything once the match is ``opened``.

    The bytes are embedded as they were hashed, never encoded again.
    """
    mine = {audience(seat) for seat in seats}
    openings = {name: raw for name, raw in entry.openings.items() if opened or name in mine}
    return Item(Raw(entry.public), openings)


def rfc3339(milliseconds: int) -> str:
    """A time since the epoch as text, in UTC."""
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"
