"""``kleos simulate``: matches between bots in this process, without server or store, and what they show.

Bots change seats from match to match, so that no bot profits from a better place.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any, TextIO

import msgspec
from msgspec import Struct

from kleos.api.wording import in_json_words, in_plain_words
from kleos.core.kernel import Game, KeyedChance, Outcome, Refused, transcript
from kleos.core.kernel.playout import playout
from kleos.core.kernel.registry import current

REDRAWN_EVERY = 0.1  # seconds between two pictures of the progress bar


class Played(Struct, frozen=True):
    """One match: which bot sat where, what was decided and from how many moves, what followed, its end.

    ``decided`` has the kind of move that was made and how many were listed, for each decision. ``facts`` and
    ``rules`` count the effects by their type and by the paragraph they cite.
    """

    players: tuple[str, ...]
    decided: tuple[tuple[str, int], ...]
    facts: Counter[str]
    rules: Counter[str]
    outcome: Outcome


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help="the name of an installed game, such as iliad")
    parser.add_argument("--seats", type=int, metavar="N", help="default: the fewest the game allows")
    parser.add_argument("--matches", type=int, default=100, metavar="M", help="default: 100")
    parser.add_argument("--bots", default="random", metavar="A,B", help="who plays (default: random)")
    parser.add_argument("--seed", default="kleos", metavar="TEXT", help="the same seed, the same matches")
    parser.add_argument("--options", default="{}", metavar="JSON", help="options of the game")
    parser.add_argument("--rules", action="store_true", help="tell which rules and facts occurred, how often")
    parser.add_argument(
        "--save",
        type=Path,
        metavar="DIR",
        help="write each match there as a transcript, for programs; `kleos replay` reads logs and bundles",
    )
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")


def main(args: argparse.Namespace) -> int:
    try:
        game = current(args.game)
        seats = game.seats[0] if args.seats is None else args.seats
        options, bots = _settled(game, seats, args.options), _bots(game, args.bots)
        if args.matches < 1:
            raise ValueError("--matches must be 1 or more")
    except (Refused, ValueError) as error:
        print(f"kleos simulate: {error}", file=sys.stderr)
        return 2
    began = time.perf_counter()
    matches = simulate(
        game, seats, options=options, bots=bots, matches=args.matches, seed=args.seed, save=args.save
    )
    try:
        played = list(_with_progress(matches, args.matches, sys.stderr))
    except OSError as error:
        print(f"kleos simulate: --save: {in_plain_words(error)}", file=sys.stderr)
        return 1
    figures = summary(game, seats, played, time.perf_counter() - began)
    if args.json:
        print(msgspec.json.encode(figures).decode())
    else:
        print("\n".join([*told(figures), *(covered(figures) if args.rules else ())]))
    return 0


def _settled(game: Game[Any, Any, Any], seats: int, text: str) -> Any:
    if seats not in game.seats:
        raise ValueError(f"{game.title} has {game.seats[0]} to {game.seats[-1]} seats, not {seats}")
    try:
        options: Any = msgspec.json.decode(text, type=game.Options)
    except msgspec.DecodeError as error:
        raise ValueError(f"--options: {in_json_words(str(error))}") from None
    return game.settle(options, seats)


def _bots(game: Game[Any, Any, Any], text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        if name not in game.bots:
            raise ValueError(f"{game.title} has no bot {name!r}; there are: {', '.join(game.bots)}")
    return names


def simulate(
    game: Game[Any, Any, Any],
    seats: int,
    *,
    options: Any,
    bots: Sequence[str],
    matches: int,
    seed: str,
    save: Path | None = None,
) -> Iterator[Played]:
    """Play the matches one by one. ``save`` is a folder for transcripts, made if it is missing."""
    if save is not None:
        save.mkdir(parents=True, exist_ok=True)
    for number in range(matches):
        players = tuple(bots[(seat + number) % len(bots)] for seat in range(seats))
        key = hashlib.sha256(msgspec.json.encode([seed, game.rules, seats, number])).digest()
        fortune = KeyedChance(key)
        opened = game.open(options, seats, fortune)
        steps = playout(
            game, opened.state, [game.bots[name] for name in players], fortune, KeyedChance(key[::-1])
        )
        decided: list[tuple[str, int]] = []
        lines = [
            transcript.heading(game.rules, seats, options, players, seed),
            transcript.opening(opened.effects),
        ]
        state, effects = opened.state, list(opened.effects)
        for step in steps:
            state = step.after
            decided.append((_type_of(step.move), len(step.legal)))
            effects += step.effects
            if save is not None:
                lines.append(transcript.decision(step))
        outcome = game.outcome(state)
        assert outcome is not None
        if save is not None:
            text = b"\n".join([*lines, transcript.ending(outcome), b""])
            (save / f"{game.name}-{seats}-{seed}-{number}.jsonl").write_bytes(text)
        facts = Counter(map(_type_of, effects))
        yield Played(players, tuple(decided), facts, Counter(each.rule for each in effects), outcome)


def _type_of(value: Any) -> str:
    """The ``type`` of a move or an effect."""
    return str(value.__struct_config__.tag)


def summary(
    game: Game[Any, Any, Any], seats: int, played: Sequence[Played], seconds: float
) -> dict[str, Any]:
    """The figures of ``--json``.

    ``won`` of a bot counts seats: with two bots at two seats, one half is fair. ``won_by_seat`` counts
    matches, whoever sat there.
    """
    lengths = [len(match.decided) for match in played]
    choices = [number for match in played for _, number in match.decided]
    kinds: dict[str, list[int]] = {}
    facts, rules = Counter[str](), Counter[str]()
    for match in played:
        facts.update(match.facts)
        rules.update(match.rules)
        for kind, number in match.decided:
            kinds.setdefault(kind, []).append(number)
    seated, won = Counter[str](), Counter[str]()
    for match in played:
        for seat, name in enumerate(match.players):
            seated[name] += 1
            won[name] += seat in match.outcome.winners
    return {
        "rules": game.rules,
        "seats": seats,
        "matches": len(played),
        "decisions": {"mean": round(mean(lengths), 1), "median": median(lengths), "max": max(lengths)},
        "moves": {"median": median(choices or [0]), "max": max(choices, default=0)},
        "kinds": {
            kind: {"times": len(listed), "median": median(listed), "max": max(listed)}
            for kind, listed in sorted(kinds.items())
        },
        "facts": dict(sorted(facts.items())),
        "paragraphs": dict(sorted(rules.items())),
        "bots": {name: {"seats": seated[name], "won": won[name]} for name in seated},
        "won_by_seat": [sum(seat in match.outcome.winners for match in played) for seat in range(seats)],
        "endings": dict(Counter(match.outcome.reason for match in played).most_common()),
        "seconds": round(seconds, 3),
        "actions_per_second": round(sum(lengths) / seconds),
    }


def told(figures: dict[str, Any]) -> Iterator[str]:
    """The figures as lines for people."""
    decisions, moves = figures["decisions"], figures["moves"]
    yield f"{figures['matches']} matches of {figures['rules']} with {figures['seats']} seats"
    middle = f"mean {decisions['mean']:g}, median {decisions['median']:g}"
    yield f"decisions a match  {middle}, at most {decisions['max']}"
    yield f"moves a decision   median {moves['median']:g}, at most {moves['max']}"
    bots, matches = figures["bots"], figures["matches"]
    for name, bot in bots.items():
        won = f"won {bot['won']} of {bot['seats']} seats ({bot['won'] / bot['seats']:.1%})"
        yield f"{name:<18} {won if len(bots) > 1 else 'at every seat'}"
    for seat, won in enumerate(figures["won_by_seat"]):
        yield f"seat {seat:<13} won {won} of {matches} matches ({won / matches:.1%})"
    yield f"endings            {', '.join(f'{why} {times}' for why, times in figures['endings'].items())}"
    yield f"speed              {figures['actions_per_second']:,} actions/s in {figures['seconds']:.1f} s"


def covered(figures: dict[str, Any]) -> Iterator[str]:
    """What occurred, and how often: kinds of decisions, facts, and the paragraphs they follow."""
    yield "decisions"
    for kind, listed in figures["kinds"].items():
        moves = f"{listed['median']:g} moves in the middle, at most {listed['max']}"
        yield f"  {kind:<24} {listed['times']:>9,}  {moves}"
    for heading in ("facts", "paragraphs"):
        yield heading
        for name, times in figures[heading].items():
            yield f"  {name:<24} {times:>9,}"


def _with_progress(matches: Iterator[Played], total: int, out: TextIO) -> Iterator[Played]:
    """The matches, with a bar on a terminal and silence elsewhere."""
    if not out.isatty():
        yield from matches
        return
    drawn = 0.0
    for done, match in enumerate(matches, start=1):
        yield match
        if time.perf_counter() - drawn > REDRAWN_EVERY:
            drawn = time.perf_counter()
            filled = 40 * done // total
            out.write(f"\r[{'█' * filled}{'·' * (40 - filled)}] {done} of {total}")
            out.flush()
    out.write("\r\x1b[K")
    out.flush()
