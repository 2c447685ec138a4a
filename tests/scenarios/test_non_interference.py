"""What a caller may not know makes no difference to anything that it is sent, whatever it asks.

Two servers begin with copies of one store. The same players do the same in both, and callers of every kind
ask for every operation, as in ``test_every_endpoint``; but each match has a seed of its own, so other cards.
``sameness`` tells what may then be different.
"""

import random
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from tests.scenarios.client import Answer, Client
from tests.scenarios.conftest import Join
from tests.scenarios.leaks import Heard, Knowledge
from tests.scenarios.sameness import World, told_apart
from tests.scenarios.server import Server
from tests.scenarios.test_every_endpoint import THROUGH_A_SEAT, Hall
from tests.scenarios.test_leaks import effects

Twins = Callable[[str, str], tuple[World, World]]
ADDRESS = "https://kleos.example"
PEOPLE = ("Player 0", "Player 1", "Referee", "Stranger")


@pytest.fixture
def twins(tmp_path: Path, player: Join, rng: random.Random) -> Twins:
    """Plays a match in two worlds that differ in its seed: ``twins("canary", "public")``."""
    servers = [Server(tmp_path / name, KLEOS_PUBLIC_URL=ADDRESS) for name in ("one", "other")]
    servers[0].start()
    accounts = {name: player(servers[0], name) for name in PEOPLE}
    assert servers[0].stop() == 0
    shutil.copytree(servers[0].home, servers[1].home)
    seed = rng.random()

    def again(server: Server, name: str) -> Client:
        client = Client(server.url)
        client.id, client.token = accounts[name].id, accounts[name].token
        return client

    def play(server: Server, game: str, visibility: str) -> World:
        server.start()
        with closing(Hall(server, again, game, visibility)) as hall:
            hall.play(random.Random(seed), pries=1)
            assert hall.asked == hall.operations
            made = (each for each, _ in effects(list(hall.seats[1].events(hall.match))))
            deck = next(each["deck"] for each in made if each["type"] == "deck_made")
            world = World([each for each in hall.heard if not _only_alive(each)], hall.knowledge(), deck)
        assert server.stop() == 0
        return world

    def both(game: str, visibility: str) -> tuple[World, World]:
        with ThreadPoolExecutor(2) as side_by_side:
            one, other = side_by_side.map(lambda server: play(server, game, visibility), servers)
        return one, other

    return both


def _only_alive(heard: Heard) -> bool:
    """A comment in a stream, sent when there was nothing else to say."""
    return heard.asked == "the live stream" and heard.answer.body.startswith(b":")


@pytest.mark.parametrize("visibility", ["public", pytest.param("private", marks=pytest.mark.slow)])
def test_no_caller_can_tell_two_worlds_apart(twins: Twins, visibility: str) -> None:
    one, other = twins("canary", visibility)
    assert not set(one.deck) & set(other.deck)
    assert list(told_apart(one, other)) == []


@pytest.mark.slow
@pytest.mark.parametrize("game", ["leaky", "telltale"])
def test_a_refusal_that_hangs_on_the_deck_tells_worlds_apart(twins: Twins, game: str) -> None:
    found = list(told_apart(*twins(game, "public")))
    assert {each.reader.rpartition(" ")[2] for each in found} <= set(THROUGH_A_SEAT)
    assert any("/moves" in each.asked for each in found)


DECKS = ("a" * 32, "b" * 40)
"""The one card of two worlds."""
TAG = '"7-AAAAAABBBBBBBB"'
EVENT = b'{"at":1767225600123,"sealed":{"seat:0":"%s"},"state":"%s"}'


def answers(one: Answer, other: Answer, *, known: bool = False) -> tuple[World, World]:
    """Two worlds in which a spectator got one answer each, and may know the card or not."""
    worlds = []
    for card, answer in zip(DECKS, (one, other), strict=True):
        knowledge = Knowledge(["spectator"])
        knowledge.add(card, *(["spectator"] if known else []))
        sized = answer._replace(headers=answer.headers | {"content-length": str(len(answer.body))})
        worlds.append(World([Heard("spectator", 7, sized, "GET /v1/matches/m/view")], knowledge, [card]))
    return worlds[0], worlds[1]


def _event(opening: str = "A" * 43, state: str = "A" * 22) -> Answer:
    return Answer(200, {}, EVENT % (opening.encode(), state.encode()))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(*(Answer(200, {}, each.encode()) for each in DECKS), id="a card"),
        pytest.param(Answer(200, {}, b"[null]"), Answer(200, {}, b"[null,null]"), id="how many"),
        pytest.param(Answer(200, {}, b"{}"), Answer(200, {}, b"{} "), id="a length"),
        pytest.param(Answer(200, {}, b"{}"), Answer(404, {}, b"{}"), id="a status"),
        pytest.param(Answer(200, {"etag": TAG}, b""), Answer(200, {"etag": TAG.lower()}, b""), id="a tag"),
        pytest.param(Answer(200, {"etag": TAG}, b""), Answer(200, {}, b""), id="a header"),
        pytest.param(
            Answer(201, {"location": "/8"}, b""), Answer(201, {"location": "/9"}, b""), id="a place"
        ),
        pytest.param(_event(), _event(opening="A" * 44), id="the size of what stands for an opening"),
        pytest.param(_event(), _event(state="A" * 21), id="the size of what stands for the state"),
    ],
)
def test_what_differs_with_the_card_tells_worlds_apart(one: Answer, other: Answer) -> None:
    assert len(list(told_apart(*answers(one, other)))) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(_event(), _event(opening="b" * 43, state="c" * 22), id="digests"),
        pytest.param(
            Answer(
                200, {"date": "Thu, 01 Jan 2026 00:00:00 GMT"}, b'{"created_at":"2026-01-01T00:00:00.001Z"}'
            ),
            Answer(
                200, {"date": "Thu, 01 Jan 2026 00:00:01 GMT"}, b'{"created_at":"2026-01-01T00:00:01.234Z"}'
            ),
            id="times",
        ),
    ],
)
def test_what_is_random_by_nature_does_not(one: Answer, other: Answer) -> None:
    assert list(told_apart(*answers(one, other))) == []


def test_a_card_that_may_be_known_does_not() -> None:
    shown = [Answer(200, {}, f'{{"card":"{card}"}}'.encode()) for card in DECKS]
    assert list(told_apart(*answers(*shown, known=True))) == []
