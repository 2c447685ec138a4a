"""Plays a whole match with random legal moves, by the generated client and nothing else.

    openapi-python-client generate --path openapi.json --config python/config.yaml \\
        --meta none --output-path kleos_client
    python3 play.py http://127.0.0.1:8000 iliad

Prints each move as a line of JSON, and at the end the outcome.
"""

import json
import random
import sys
from typing import Any, TypeVar
from uuid import uuid4

from kleos_client import AuthenticatedClient, Client
from kleos_client.api.matches import create_match, join, read_match
from kleos_client.api.players import register
from kleos_client.api.playing import play, read_view
from kleos_client.models import (
    CycladesPlay,
    IliadPlay,
    ListedMove,
    NewMatch,
    NewPlayer,
    NewSeat,
    ProblemBody,
)
from kleos_client.types import Response

T = TypeVar("T")
PLAYS = {"cyclades": CycladesPlay, "iliad": IliadPlay}


def good(answer: "Response[T | ProblemBody]") -> T:
    """What a request was answered with; a problem is raised."""
    if answer.parsed is None or isinstance(answer.parsed, ProblemBody):
        raise RuntimeError(answer.content.decode())
    return answer.parsed


def any_of(listed: list[ListedMove]) -> Any:
    """A random entry of the list; where it has a range, a random number of it."""
    chosen = random.choice(listed)
    if chosen.range_:
        for field, (low, high) in chosen.range_.additional_properties.items():
            setattr(chosen.move, field, random.randint(low, high))
    return chosen.move


def main(url: str, game: str) -> None:
    players = []
    for name in ("Ariadne", "Bacchus"):
        made = good(register.sync_detailed(client=Client(url), body=NewPlayer(name=name)))
        players.append(AuthenticatedClient(url, token=made.token))
    match = good(create_match.sync_detailed(client=players[0], body=NewMatch(game=game, seats=2))).id
    good(join.sync_detailed(match, client=players[1], body=NewSeat(seat=1)))
    while True:
        now = good(read_match.sync_detailed(match, client=players[0]))
        if not now.to_act:
            break
        seat = now.to_act[0]
        read = read_view.sync_detailed(match, client=players[seat], seat=str(seat))
        body = PLAYS[game](seat=seat, move=any_of(good(read).moves))
        played = good(
            play.sync_detailed(
                match,
                client=players[seat],
                body=body,
                if_match=read.headers["etag"],
                idempotency_key=str(uuid4()),
            )
        )
        print(json.dumps({"version": played.event.version, "action": played.event.action.to_dict()}))
    print(json.dumps(now.outcome.to_dict() if now.outcome else None))


if __name__ == "__main__":
    main(*sys.argv[1:])
