"""Ratings: how strong players of a game are, by the matches they finished.

The model is Plackett-Luce for teams of any size (Weng and Lin, 2011) as ``openskill`` has it, with its
standard parameters. Results count in the order of their ends, equal ones in the order of their ids, so
whoever folds the same results gets the same numbers. The store keeps which matches ended when, folded in
together with the position in the feed; the ratings themselves are held in memory, and made anew whenever a
result turns up that belongs before one that was counted.

Not every match counts: ``result`` says which. Must not know rules or states.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct
from openskill.models import PlackettLuce

from kleos.events.standing import Standing
from kleos.projections.catalogue import Catalogue, Ended

LATE: Final = 60_000
"""Milliseconds by which a result may come to be known later than one that ended after it."""
HISTORY: Final = 50
"""Results of a player that are told one by one."""
_BREATH: Final = 200
"""Results counted before other requests get their turn."""
_MODEL = PlackettLuce()


class Result(Struct, frozen=True):
    """Who played together against whom: the players of each side, and the side's place (0 is the first)."""

    match: str
    at: int
    sides: tuple[tuple[str, ...], ...]
    places: tuple[int, ...]


class Point(Struct, frozen=True):
    """What a match made of a rating."""

    match: str
    at: int
    rating: float
    place: int


class Rating(Struct, frozen=True):
    """A player's strength at a game: ``mu`` give or take ``sigma``; ``rating`` is what it is at least."""

    player: str
    mu: float
    sigma: float
    matches: int = 0
    wins: int = 0
    history: tuple[Point, ...] = ()

    @property
    def rating(self) -> float:
        """``mu`` less three ``sigma``: to be sure of somebody takes matches."""
        return self.mu - 3 * self.sigma


def result(standing: Standing) -> Result | None:
    """The result that counts; None for a match that does not: unrated, casual, with bots, or with somebody on
    two sides.
    """
    outcome = standing.outcome
    if standing.status != "finished" or outcome is None or not standing.rated or standing.undo == "casual":
        return None
    players = {each.seat: each.player for each in standing.seats if each.player is not None}
    if len(players) < len(standing.seats) or len({*players.values()}) < len(players):
        return None
    if len(standing.sides) < 2:
        return None
    place_of = {seat: place for place, seats in enumerate(outcome.ranking) for seat in seats}
    return Result(
        match=standing.match,
        at=standing.updated_at,
        sides=tuple(tuple(players[seat] for seat in side) for side in standing.sides),
        places=tuple(min(place_of[seat] for seat in side) for side in standing.sides),
    )


class Board(Struct, frozen=True):
    """The ratings of one game, with the ends of all matches that they are made of, in order."""

    ends: tuple[Ended, ...] = ()
    ratings: dict[str, Rating] = {}

    def ranked(self) -> list[Rating]:
        """The strongest first; equal ones by their ids."""
        return sorted(self.ratings.values(), key=lambda each: (-each.rating, each.player))


def counted(ratings: dict[str, Rating], found: Result) -> dict[str, Rating]:
    """The ratings after one more result."""
    before = [[ratings.get(player) or _newcomer(player) for player in side] for side in found.sides]
    teams = [[_MODEL.rating(mu=each.mu, sigma=each.sigma) for each in side] for side in before]
    rated = _MODEL.rate(teams, ranks=[float(place) for place in found.places])
    after = dict(ratings)
    for side, place, numbers in zip(before, found.places, rated, strict=True):
        for known, number in zip(side, numbers, strict=True):
            point = Point(found.match, found.at, number.mu - 3 * number.sigma, place)
            after[known.player] = Rating(
                player=known.player,
                mu=number.mu,
                sigma=number.sigma,
                matches=known.matches + 1,
                wins=known.wins + (place == 0),
                history=(*known.history[1 - HISTORY :], point),
            )
    return after


def _newcomer(player: str) -> Rating:
    fresh = _MODEL.rating()
    return Rating(player, fresh.mu, fresh.sigma)


class Ratings:
    """The boards of all games over a catalogue; share one in a process."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._boards: dict[str, Board] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def board(self, game: str) -> Board:
        """The ratings of a game, with every match that ended before this was asked."""
        async with self._locks.setdefault(game, asyncio.Lock()):
            board = self._boards.get(game, Board())
            since = board.ends[-1].at - LATE if board.ends else 0
            total, ends = await self._catalogue.ended(game, since)
            news = sorted(ends.difference(board.ends))
            if len(board.ends) + len(news) != total or (news and board.ends and news[0] < board.ends[-1]):
                _, ends = await self._catalogue.ended(game, 0)
                board, news = Board(), sorted(ends)
            if news:
                board = await self._counted(board, news)
                self._boards[game] = board
            return board

    async def _counted(self, board: Board, news: Sequence[Ended]) -> Board:
        ratings = board.ratings
        for start in range(0, len(news), _BREATH):
            some = news[start : start + _BREATH]
            items = await self._catalogue.items([each.match for each in some])
            for standing in msgspec.convert(items, list[Standing]):
                found = result(standing)
                if found is not None:
                    ratings = counted(ratings, found)
        return Board((*board.ends, *news), ratings)
