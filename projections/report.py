"""The dispute report: a whole match as its evidence tells it, with the verdict of the verifier.

It is made from what a viewer may have, and from states redacted for that viewer, so it tells no more. What
is not known is told as hidden. How a report looks is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from kleos.core.kernel import Game
from kleos.core.kernel.registry import pinned
from kleos.core.kernel.visibility import merge
from kleos.core.match import words as match_words
from kleos.core.match.state import Status
from kleos.events import verifier
from kleos.events.snapshot import code_digest
from kleos.projections.draws import ASTRAY, Draw, Stream, decided_again, shown
from kleos.projections.evidence import JSON, Evidence
from kleos.projections.explain import Cited
from kleos.projections.history import Doer, History, Note, Offer, Sitting, Turning, history
from kleos.projections.rulebook import place
from kleos.projections.sight import Change, Picture, Tables, pictures

AnyGame = Game[Any, Any, Any]


class Line(Struct, frozen=True, kw_only=True):
    """An event in the timeline.

    ``words`` tell what was asked for and ``effects`` what followed. ``undone`` is the event that took it
    back, ``signed`` whether its player signed it. Its draws have the numbers from ``first_draw`` on; null
    where that cannot be known. ``changes`` is null where the table is not known.
    """

    version: int
    at: int
    kind: str
    doer: Doer
    words: str
    effects: tuple[Cited, ...]
    undone: int | None
    signed: bool
    head: int
    first_draw: int | None
    draws: tuple[Draw, ...]
    streams: tuple[Stream, ...]
    changes: tuple[Change, ...] | None


class MatchReport(Struct, frozen=True, kw_only=True):
    """All that can be told of a match to one viewer. Times are milliseconds since the epoch.

    ``seat`` is whose eyes these are, ``open`` whether nothing is hidden from them. ``people`` are the names
    that are known of players, by id. ``code`` is a digest of the rules that told it; ``anchor`` and ``seed``
    (in hexadecimal) are what the chance of the match hangs on.
    """

    match: str
    game: str
    title: str
    rules: str
    code: str | None
    seat: int | None
    open: bool
    status: Status
    version: int
    head: int
    options: dict[str, Any]
    undo: str
    parent: JSON | None
    rematch_of: str | None
    referee: str | None
    signed: bool
    deadline: JSON | None
    outcome: JSON | None
    anchor: str | None
    seed: str | None
    people: dict[str, str | None]
    sittings: tuple[Sitting, ...]
    timeline: tuple[Line, ...]
    turnings: tuple[Turning, ...]
    offers: tuple[Offer, ...]
    notes: tuple[Note, ...]
    pictures: tuple[Picture, ...]
    verdict: verifier.Report


def report(known: Evidence, verdict: verifier.Report, people: Mapping[str, str | None]) -> MatchReport:
    """The report of a match from what is known of it, with the verdict on the whole of it.

    Raises one of ``ASTRAY`` for events that have not the form of events; the verdict then says what is wrong.
    """
    first = known.events[0]
    past = history(known.events)
    created = merge(first, known.opened[0])["effects"][0]
    rules: str = first["rules"]
    game = installed(rules)
    return MatchReport(
        match=first["match"],
        game=created["game"],
        title=created["game"] if game is None else game.title,
        rules=rules,
        code=None if game is None else code_digest(rules),
        seat=known.viewer.seat,
        open=known.viewer.open,
        status=past.status,
        version=len(known.events),
        head=past.heads[-1],
        options=created["options"],
        undo=created["undo"],
        parent=created["parent"],
        rematch_of=created.get("rematch_of"),
        referee=_referee(known),
        signed=created.get("signed", False),
        deadline=created.get("deadline"),
        outcome=past.outcome,
        anchor=created.get("dice"),
        seed=created.get("seed"),
        people=dict(people),
        sittings=past.sittings,
        timeline=_timeline(known, past, game),
        turnings=past.turnings,
        offers=past.offers,
        notes=past.notes,
        pictures=pictures(known.matches, known.viewer),
        verdict=verdict,
    )


def installed(rules: str) -> AnyGame | None:
    """The rules, if they are there to be asked."""
    try:
        return pinned(rules)
    except LookupError:
        return None


def _referee(known: Evidence) -> str | None:
    """Whoever was appointed last."""
    named = [
        effect["referee"]
        for event in known.events
        for effect in event["effects"]
        if effect["type"] in ("match_created", "referee_appointed")
    ]
    found: str | None = named[-1]
    return found


def _timeline(known: Evidence, past: History, game: AnyGame | None) -> tuple[Line, ...]:
    lines: list[Line] = []
    tables = Tables(known.matches, known.viewer)
    count: int | None = 0
    for place_in_log, event in enumerate(known.events):
        draws, streams, certain = _chance(known, place_in_log)
        count = count if certain else None
        words, effects = told(event, known.opened[place_in_log], game)
        version: int = event["version"]
        lines.append(
            Line(
                version=version,
                at=event["at"],
                kind=event["kind"],
                doer=past.doers[place_in_log],
                words=words,
                effects=effects,
                undone=past.undone.get(version),
                signed="signature" in event,
                head=past.heads[place_in_log],
                first_draw=count,
                draws=draws,
                streams=streams,
                changes=tables.changes(place_in_log),
            )
        )
        count = None if count is None else count + len(draws)
    return tuple(lines)


def told(event: JSON, opened: Sequence[JSON], game: AnyGame | None) -> tuple[str, tuple[Cited, ...]]:
    """An event in words, with what the opened payloads add: what was asked for, and what followed."""
    about = [{at: part for at, part in each.items() if at != "/signature"} for each in opened]
    whole = merge({key: event[key] for key in ("action", "effects")}, about)
    return (
        _asked(game, event["kind"], whole),
        tuple(_cited(game, each) for each in whole["effects"]),
    )


def _chance(known: Evidence, at: int) -> tuple[tuple[Draw, ...], tuple[Stream, ...], bool]:
    """The draws of an event as the viewer may know them, and whether these are surely all."""
    if at >= len(known.full):
        return (), (), False
    witness, effects = decided_again(known.matches[at - 1] if at else None, known.full[at])
    return *shown(witness, opened=known.viewer.open), effects is None or witness is not None


def _asked(game: AnyGame | None, kind: str, event: JSON) -> str:
    action: JSON = event["action"]
    try:
        if kind != "move":
            proposed = any(each["type"] == "proposed" for each in event["effects"])
            return match_words.say(action, proposed=proposed)
        if game is not None:
            return game.say(action)
    except ASTRAY:
        pass
    return _bare(action)


def _cited(game: AnyGame | None, effect: JSON) -> Cited:
    rule = effect.get("rule")
    rule = rule if isinstance(rule, str) else "none"
    return Cited(rule, _told(game, effect, rule), place(rule))


def _told(game: AnyGame | None, effect: JSON, rule: str) -> str:
    try:
        if rule.startswith("match."):
            return match_words.tell(effect)
        if game is not None:
            return game.tell(effect)
    except ASTRAY:
        pass
    return f"{_bare(effect).capitalize()}."


def _bare(fact: JSON) -> str:
    """What is left to say where no rules have words: rules that are not installed, facts that never were."""
    return str(fact.get("type")).replace("_", " ")
