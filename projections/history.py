"""History: who did what in a match and for whom, which decisions stand, what came of each proposal.

It is read from the public log alone, so everybody comes to the same, and nobody can learn from it what is
hidden. Events are JSON-ready, as they are in the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from kleos.core.match.state import Status

JSON = dict[str, Any]
Role = Literal["player", "referee", "bot", "house"]
Why = Literal["late", "resigned"]
Ending = Literal["carried out", "refused", "withdrawn", "void", "open"]
_REFEREE = ("annotate", "adjourn", "resume", "adjudicate")


class Doer(Struct, frozen=True, kw_only=True):
    """Who did something, and on whose behalf.

    A ``player`` (an id) acts for the ``seat`` that is their ``own``, or about one that is not. The house acts
    for a seat whose bot is ``bot``, or whose player was ``late`` or has ``resigned``.
    """

    role: Role
    player: str | None = None
    bot: str | None = None
    seat: int | None = None
    own: bool = False
    why: Why | None = None


class Sitting(Struct, frozen=True, kw_only=True):
    """Somebody at a seat, from one version to another (null: to the end).

    ``resigned`` is the version in which they gave up, ``key`` the Ed25519 key (base64) they signed with.
    """

    seat: int
    player: str | None
    bot: str | None
    key: str | None
    since: int
    until: int | None = None
    resigned: int | None = None


class Turning(Struct, frozen=True, kw_only=True):
    """The head was moved, in event ``version``: ``decisions`` are those that it passed over.

    ``asked`` is whose wish it was, ``proposal`` the one that was agreed to, if others had to agree.
    """

    version: int
    left: int
    to: int
    decisions: tuple[int, ...]
    asked: int
    proposal: str | None


class Assent(Struct, frozen=True):
    """A seat agreed, in event ``version``."""

    seat: int
    version: int


class Offer(Struct, frozen=True, kw_only=True):
    """A proposal and what came of it, in event ``ended`` (null: nothing yet).

    ``seat`` is the one to be freed by a proposal to replace; ``by_seat`` who refused or withdrew.
    """

    id: str
    kind: str
    by: int
    to: int | None
    seat: int | None
    needs: tuple[int, ...]
    given: tuple[Assent, ...] = ()
    ending: Ending = "open"
    ended: int | None = None
    by_seat: int | None = None


class Note(Struct, frozen=True):
    """What the referee said in event ``version``, about the version ``about`` if one was named."""

    version: int
    kind: str
    text: str
    about: int | None


class History(Struct, frozen=True, kw_only=True):
    """A match as its public log tells it. ``doers`` and ``heads`` are by event, from the first.

    ``undone`` leads from a decision that does not stand to the event that took it back.
    """

    status: Status
    outcome: JSON | None
    doers: tuple[Doer, ...]
    heads: tuple[int, ...]
    sittings: tuple[Sitting, ...]
    turnings: tuple[Turning, ...]
    offers: tuple[Offer, ...]
    notes: tuple[Note, ...]
    undone: dict[int, int]


def doer(kind: str, seat: int | None, player: str | None, *, bot: str | None, own: bool, late: bool) -> Doer:
    """Who did it; ``bot`` sits at the seat, if one does, ``own`` tells whether the player does."""
    if player is not None:
        return Doer(role="referee" if kind in _REFEREE else "player", player=player, seat=seat, own=own)
    if bot is not None and not late:
        return Doer(role="bot", bot=bot, seat=seat)
    return Doer(role="house", seat=seat, why="late" if late else "resigned")


def history(events: Iterable[JSON]) -> History:
    """The history of a match, of which ``events`` are the first ones."""
    fold = _Fold()
    for event in events:
        fold.add(event)
    return fold.told()


class _Fold:
    """What is known after some events."""

    def __init__(self) -> None:
        self._status: Status = "open"
        self._outcome: JSON | None = None
        self._doers: list[Doer] = []
        self._heads: list[int] = []
        self._sittings: list[Sitting] = []
        self._turnings: list[Turning] = []
        self._offers: dict[str, Offer] = {}
        self._notes: list[Note] = []
        self._undone: dict[int, int] = {}
        self._before: dict[int, int] = {}
        """For each decision the head that it was made at."""

    def told(self) -> History:
        return History(
            status=self._status,
            outcome=self._outcome,
            doers=tuple(self._doers),
            heads=tuple(self._heads),
            sittings=tuple(self._sittings),
            turnings=tuple(self._turnings),
            offers=tuple(self._offers.values()),
            notes=tuple(self._notes),
            undone=dict(sorted(self._undone.items())),
        )

    def add(self, event: JSON) -> None:
        version: int = event["version"]
        played, head = self._status != "open", self._heads[-1] if self._heads else 0
        sat = self._at(event["seat"])
        for effect in event["effects"]:
            self._effect(event, effect, head)
        sits = self._at(event["seat"])
        player, kind, seat = event["player"], event["kind"], event["seat"]
        own = player is not None and player in (sat and sat.player, sits and sits.player)
        late = any(each["type"] == "time_ran_out" for each in event["effects"])
        self._doers.append(doer(kind, seat, player, bot=None if sat is None else sat.bot, own=own, late=late))
        if not played:
            head = version
        elif event["kind"] == "move":
            self._before[version], head = head, version
        elif self._turnings and self._turnings[-1].version == version:
            head = self._turnings[-1].to
        self._heads.append(head)
        moved = played and head != self._heads[-2]
        if moved or event["kind"] in ("resign", "join", "vacate", "abandon", "adjudicate"):
            self._close(version)

    def _at(self, seat: int | None) -> Sitting | None:
        return next((each for each in self._sittings if each.seat == seat and each.until is None), None)

    def _effect(self, event: JSON, effect: JSON, head: int) -> None:
        match effect["type"]:
            case "seat_filled" | "seat_vacated" | "seat_resigned":
                self._seat(event["version"], effect)
            case "match_started":
                self._status = "playing"
            case "match_ended":
                self._status, self._outcome = "finished", effect["outcome"]
            case "match_abandoned":
                self._status = "abandoned"
            case "head_moved":
                self._turn(event, effect["to"], head)
            case "proposed" | "consent_given" | "proposal_closed":
                self._offer(event["version"], effect)
            case "annotation_made" | "adjourned" | "resumed" | "adjudicated":
                about = effect.get("version")
                self._notes.append(Note(event["version"], event["kind"], effect["text"], about))

    def _seat(self, version: int, effect: JSON) -> None:
        if effect["type"] == "seat_filled":
            player, bot, key = effect["player"], effect["bot"], effect.get("key")
            made = Sitting(seat=effect["seat"], player=player, bot=bot, key=key, since=version)
            self._sittings.append(made)
            return
        left = {"seat_vacated": "until", "seat_resigned": "resigned"}[effect["type"]]
        self._sittings = [
            replace(each, **{left: version}) if each.seat == effect["seat"] and each.until is None else each
            for each in self._sittings
        ]

    def _turn(self, event: JSON, to: int, head: int) -> None:
        passed = tuple(self._between(head, to) if to < head else self._between(to, head))
        for decision in passed:
            if to < head:
                self._undone[decision] = event["version"]
            else:
                self._undone.pop(decision, None)
        agreed = event["action"].get("proposal")
        asked = event["seat"] if agreed is None else self._offers[agreed].by
        self._turnings.append(
            Turning(
                version=event["version"],
                left=head,
                to=to,
                decisions=passed[::-1],
                asked=asked,
                proposal=agreed,
            )
        )

    def _between(self, late: int, early: int) -> Iterator[int]:
        """The decisions on the line from one head back to another, the latest first."""
        while late != early and late in self._before:
            yield late
            late = self._before[late]

    def _offer(self, version: int, effect: JSON) -> None:
        if effect["type"] == "proposed":
            kind, by, to, seat = (effect[each] for each in ("kind", "by", "to", "seat"))
            needs = tuple(effect["needs"])
            made = Offer(id=effect["id"], kind=kind, by=by, to=to, seat=seat, needs=needs)
            self._offers[made.id] = made
            return
        offer = self._offers[effect["proposal"]]
        if effect["type"] == "proposal_closed":
            ending: Ending = "refused" if effect["reason"] == "refused" else "withdrawn"
            offer = replace(offer, ending=ending, ended=version, by_seat=effect["seat"])
        else:
            given = (*offer.given, Assent(effect["seat"], version))
            done = {each.seat for each in given} == set(offer.needs)
            offer = replace(
                offer, given=given, **({"ending": "carried out", "ended": version} if done else {})
            )
        self._offers[offer.id] = offer

    def _close(self, version: int) -> None:
        """No proposal outlives what it was made for."""
        for offer in self._offers.values():
            if offer.ending == "open":
                self._offers[offer.id] = replace(offer, ending="void", ended=version)
