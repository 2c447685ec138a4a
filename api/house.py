"""The house moves for seats that nobody moves for: bots, players who resigned, and players who are late.

Every server process has one. Whoever accepted an event plays on at once; the others look now and then
whether a match waits in vain, in case that process died. A move of the house is named by match, version and
seat, so two processes that play it make one event, and one that comes late has lost a race and nothing else.
A bot is shown the view of its seat and no more.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
from typing import Any, Final, NamedTuple

from kleos.core.kernel import Chance, KeyedChance, Refused, Viewer, choices
from kleos.core.kernel.registry import pinned
from kleos.core.match import HOUSE, Match, codec, earliest_overdue, seats_to_act
from kleos.core.match.actions import Expire
from kleos.events.command import Command, Stale
from kleos.events.loading import UnknownMatch
from kleos.events.log import Log
from kleos.events.store import StoreUnavailable
from kleos.projections.catalogue import Catalogue

ROUND: Final = 2.0
"""Seconds between two looks at all matches that wait for the house."""
THINKING: Final = 10.0
"""Seconds that a bot may think; then the house makes the game's safe default for it."""
PATIENCE: Final = 1.0
"""Seconds to wait for a store that is away before trying again."""
_log = logging.getLogger("kleos.house")


def seat_to_move(match: Match) -> int | None:
    """The first seat for which the house has to move now."""
    return next((seat for seat in seats_to_act(match) if match.seats[seat].mechanical), None)


class Duty(NamedTuple):
    """What the house has to do next in a match: a move for ``seat``, or the end of waiting."""

    seat: int | None
    action: Any = None
    """None while a bot has yet to think of it."""


def duty(match: Match, now: int) -> Duty | None:
    """What has to be done at a time, if anything."""
    seat = seat_to_move(match)
    if seat is not None:
        return Duty(seat)
    if match.deadline is None or match.deadline.policy == "wait":
        return None
    late = earliest_overdue(match, now)
    if not late:
        return None
    if match.deadline.policy == "resign":
        return Duty(None, Expire())
    return Duty(late[0].seat, pinned(match.rules).fallback(match.state, late[0].seat))


def chance_of(match: Match, seat: int) -> Chance:
    """What a bot may gamble with: the same for every process, unrelated to the dice of the match."""
    text = f"kleos/house/v1 {match.id} {match.version} {seat}".encode()
    return KeyedChance(hmac.digest(bytes.fromhex(match.seed), text, hashlib.sha256))


def choose(match: Match, seat: int) -> Any:
    """The move that the house makes for a seat."""
    game = pinned(match.rules)
    held = match.seats[seat]
    if held.bot is None or held.resigned:
        return game.fallback(match.state, seat)
    view = codec(match.rules).view(match.state, Viewer(seat=seat))
    return game.bots[held.bot](view, choices(game, match.state, seat), seat, chance_of(match, seat))


async def thought_of(match: Match, seat: int) -> Any:
    """The move of a bot, or, when it takes too long or fails, the game's safe default."""
    try:
        return await asyncio.wait_for(asyncio.to_thread(choose, match, seat), THINKING)
    except TimeoutError:
        _log.warning("the bot of seat %d thinks too long in match %s", seat, match.id)
    except Exception:
        _log.exception("the bot of seat %d failed in match %s", seat, match.id)
    return pinned(match.rules).fallback(match.state, seat)


def _named(match: Match, seat: int | None) -> Command:
    return Command.named("kleos/house/v1", f"{match.id} {match.version} {seat}".encode())


class House:
    """Plays for mechanical seats, one task a match at most."""

    def __init__(self, log: Log, catalogue: Catalogue) -> None:
        self._log = log
        self._catalogue = catalogue
        self._wanted: dict[str, int] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def wake(self, match: Match) -> None:
        """Look at a match that has just changed."""
        if seat_to_move(match) is not None:
            self.look(match.id, match.version)

    def look(self, match_id: str, version: int) -> None:
        """Play on in a match, of which at least ``version`` is known to exist."""
        self._wanted[match_id] = max(version, self._wanted.get(match_id, 0))
        if match_id not in self._tasks:
            task = asyncio.create_task(self._play(match_id), name=f"house {match_id}")
            self._tasks[match_id] = task
            task.add_done_callback(lambda _: self._tasks.pop(match_id, None))

    async def watch(self) -> None:
        """Look after every match of the store, for ever: those that wait at the start, and those that waited
        at one version from one round to the next, so whoever should have played on there does not; and those
        in which somebody's time is over.
        """
        before: dict[str, int] | None = None
        while True:
            try:
                for match_id in await self._catalogue.overdue(self._log.now()):
                    self.look(match_id, 0)
                waiting = {item["match"]: item["version"] async for item in self._catalogue.unattended()}
                for match_id, version in waiting.items():
                    if before is None or before.get(match_id) == version:
                        self.look(match_id, version)
                before = waiting
            except StoreUnavailable:
                _log.warning("the store is away; the house will look again")
            except Exception:
                _log.exception("the house could not look around; it will look again")
            await asyncio.sleep(ROUND)

    async def close(self) -> None:
        """Stop between two moves."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _play(self, match_id: str) -> None:
        try:
            while await self._step(match_id):
                pass
        except UnknownMatch:
            self._wanted.pop(match_id, None)
        except Exception:
            self._wanted.pop(match_id, None)
            _log.exception("the house cannot go on in match %s", match_id)

    async def _step(self, match_id: str) -> bool:
        """Make one move; whether to look again."""
        try:
            match = await self._log.load(match_id)
            todo = duty(match, self._log.now())
            if todo is None:
                if match.version >= self._wanted[match_id]:
                    del self._wanted[match_id]
                    return False
                return True
            seat, action = todo
            if action is None:
                action = await thought_of(match, match.seats[seat or 0].seat)
            await self._log.submit(
                match_id, HOUSE, seat, action, command=_named(match, seat), expected=match.version
            )
        except StoreUnavailable:
            await asyncio.sleep(PATIENCE)
        except Stale:
            pass  # somebody was faster: look again
        except Refused as refused:
            raise RuntimeError(f"a move of the house was refused: {refused.reason}") from refused
        return True
