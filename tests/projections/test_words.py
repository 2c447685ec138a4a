"""A match in words tells a viewer what the view and the events tell it, and no more."""

import msgspec
import tiny

from kleos.core.match import Match
from kleos.projections.timeline import item, view
from kleos.projections.words import log_in_words, offer_in_words, view_in_words
from tests.projections.test_timeline import ENTRIES, LAST, MATCHES, as_read


def log(seats: tuple[int, ...], *, opened: bool = False) -> str:
    return log_in_words(tiny.TINY, [as_read(item(each, seats, opened=opened)) for each in ENTRIES])


def table(match: Match, seat: int | None) -> str:
    return view_in_words(tiny.TINY, msgspec.to_builtins(view(match, seat, match)))


def test_every_event_is_told_with_its_version_and_who_did_it() -> None:
    lines = log((0,)).splitlines()
    heads = [line for line in lines if not line.startswith("   ")]
    assert [int(line.partition(".")[0]) for line in heads] == list(range(1, len(ENTRIES) + 1))
    assert heads[1] == "2. seat 1: join"
    assert all(line.strip() for line in lines)


def test_what_is_hidden_is_told_as_hidden_until_all_is_opened() -> None:
    mine, theirs, everything = log((0,)), log(()), log((), opened=True)
    assert len({mine, theirs, everything}) == 3
    assert theirs.count("hidden") > mine.count("hidden") > everything.count("hidden") == 0


def test_a_view_ends_with_whose_turn_it_is_and_the_viewers_moves() -> None:
    match = next(each for each in MATCHES if each.status == "playing")
    told, seen = table(match, 0), view(match, 0, match)
    assert told.startswith(f"Tiny, match {match.id}, version {match.version}, seen by seat 0: playing\n")
    assert told.endswith(f"{len(seen.moves):3}  {tiny.TINY.say(msgspec.to_builtins(seen.moves[-1].move))}\n")
    assert "To act: seat 0, seat 1" in told
    assert "a spectator" in table(match, None)


def test_a_view_of_the_end_says_who_won() -> None:
    assert LAST.outcome is not None
    assert f"({LAST.outcome.reason})." in table(LAST, None)


def test_before_the_start_there_is_only_a_headline() -> None:
    assert table(MATCHES[0], 0).count("\n") == 1


def test_an_offer_with_a_range_names_it() -> None:
    listed = {"move": {"type": "stake", "amount": 0}, "range": {"amount": (0, 7)}}
    assert offer_in_words(tiny.TINY, listed).endswith("(amount: any number from 0 to 7)")
