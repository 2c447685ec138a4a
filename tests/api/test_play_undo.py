"""Time in the terminal: undo, redo and proposals, alone with bots and by two people in two terminals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.api.ptys import Screen

Sit = Callable[..., Screen]
MOVE = "your move (? for help): "
WAITING = "waiting for seat {} (? for help): "
HOW_MANY = "(enter: none, ? for help) "
YES_NO = "(yes/no) "


@pytest.fixture
def sit(served: str, tmp_path: Path) -> Iterator[Sit]:
    """``sit("ann", "new", "tiny")``: Ann at her terminal."""
    with ExitStack() as screens:

        def play(who: str, *words: str) -> Screen:
            screen = Screen(tmp_path / who, "play", *words, "--server", served, "--name", who.title())
            return screens.enter_context(screen)

        yield play


def match_of(screen: Screen) -> str:
    found = re.search(r"match (\w+)", screen.until("\n"))
    assert found
    return found[1]


@pytest.fixture
def two(sit: Sit) -> tuple[Screen, Screen]:
    """Ann at seat 0 and Ben at seat 1 of a match of Tiny that has just begun: both are to pledge a card."""
    ann = sit("ann", "new", "tiny", "--open")
    match = match_of(ann)
    ann.until("waiting for the other players to sit down (? for help):")
    ben = sit("ben", match)
    ben.until(MOVE)
    ann.until("Seat 1 is taken.")
    ann.until(MOVE)
    return ann, ben


def test_what_only_oneself_decided_is_taken_back_at_once_and_the_other_sees_it(
    two: tuple[Screen, Screen],
) -> None:
    """Fault 10. What Ben has half typed when his table changes is dropped: it was meant for another."""
    ann, ben = two
    ben.type("2")
    ann.type("1\n")
    ann.until(WAITING.format(1))
    ann.type("1\n")
    ann.until("it is not your turn: waiting for seat 1")
    ben.until("Seat 0 pledges a card.")
    ben.until(MOVE)
    ann.type("undo\n")
    assert re.search(r"  1 seat 0: pledge the \d +\(free\)", ann.until(HOW_MANY))
    ann.type("?\n")
    assert "never: it cannot be had" in ann.until(HOW_MANY)
    ann.type("q\n")
    ann.answer(WAITING.format(1), "undo")
    ann.answer(HOW_MANY, "undo 1")
    assert "Back from version 3 to 2." in ann.until(MOVE)
    ben.until("Back from version 3 to 2.")
    ben.until(MOVE)
    ben.type("3\n")
    ben.until("Seat 1 pledges")
    assert "please" not in ben.seen


def pledged(ann: Screen, ben: Screen) -> None:
    """Both have pledged and the cards lie open, so going back takes both."""
    ann.type("1\n")
    ann.until("Seat 0 pledges")
    ben.until("Seat 0 pledges")
    ben.until(MOVE)
    ben.type("1\n")
    ben.until("leads.")
    ann.until("leads.")
    for each in (ann, ben):
        each.until("(? for help): ")


def test_what_others_learned_from_is_proposed_and_done_when_they_agree(two: tuple[Screen, Screen]) -> None:
    """Fault 45: each holds what its own seat sees, and nothing more is needed."""
    ann, ben = two
    pledged(ann, ben)
    ann.type("u\n")
    shown = ann.until(HOW_MANY)
    assert shown.count("(seat 1 must agree)") == 2
    assert "seat 1: pledge a card" in shown
    ann.type("2\n")
    ann.until("You proposed to go back to version 2; seat 1 may answer.")
    asked = ben.until("Seat 0 asks to go back to version 2. yes: agree   no: refuse")
    assert "Seat 0 proposes" in asked
    assert re.search(r"seat 1: pledge the \d\s+seat 0: pledge a card", ben.until("pledge a card"))
    ben.type("yes\n")
    ben.until("Back from version 4 to 2.")
    ann.until("Seat 1 agrees.")
    ann.until("Back from version 4 to 2.")
    ann.until(MOVE)
    ann.type("redo 2\n")
    ann.answer("Seat 1 must agree. Ask? " + YES_NO, "yes")
    ben.until("Seat 0 asks to go forward to version 4.")
    ben.type("no\n")
    ann.until("Seat 1 refuses.")


def test_a_proposal_is_withdrawn_and_then_nobody_is_asked(two: tuple[Screen, Screen]) -> None:
    ann, ben = two
    pledged(ann, ben)
    ben.type("undo 1\n")
    ben.answer("Seat 0 must agree. Ask? " + YES_NO, "yes")
    ann.until("Seat 1 asks to go back to version 3.")
    ben.until("You proposed to go back to version 3; seat 0 may answer.")
    ben.type("withdraw\n")
    ann.until("Seat 1 withdraws the proposal.")
    ann.type("yes\n")
    ann.until("nobody asks you for anything")
    ben.until("Seat 1 withdraws the proposal.")
    ben.type("undo 1\n")
    ben.answer(YES_NO, "?")
    assert "anything else leaves everything as it is" in ben.until(YES_NO)
    ben.type("no\n")
    ben.until("(? for help): ")
    ben.type("withdraw\n")
    ben.until("you have no proposal to withdraw")


def test_bots_agree_to_nothing_and_what_that_means_is_told_before(sit: Sit) -> None:
    ann = sit("ann", "new", "tiny", "--bot", "random")
    ann.answer(MOVE, "1")
    ann.until("leads.")
    ann.until(MOVE)
    ann.type("undo\n")
    assert "(never)" in ann.until("None of these can be had; undo 1 tells why.")
    ann.answer(MOVE, "undo 1")
    ann.until("bots agree to nothing")
    ann.answer(MOVE, "undo 99")
    ann.until("there is no more to go over than ")
    ann.answer(MOVE, "undo some")
    ann.until("say over how many decisions, for example: 1")


def test_among_bots_a_decision_that_told_nobody_anything_is_taken_back(sit: Sit) -> None:
    """In Cyclades a turn has many steps. One that is listed as free is made and taken back, once a turn goes
    on after it."""
    ann = sit("ann", "new", "cyclades")
    step = re.compile(r"(\d+) (?:recruit|build|take|move) [^\r]*")
    for _ in range(100):
        shown = ann.until(MOVE)
        if "Back from version" in shown:
            return
        free = [
            each[1]
            for each in step.finditer(shown)
            if "(undo: free)" in each[0] or "(undo of any of these: free)" in shown
        ]
        most = re.search(r" 1 [^\r]*any number from \d+ to (\d+)", shown)
        ann.type(f"{free[0]}\n" if free else f"1 {most[1]}\n" if most else "1\n")
        if free:
            ann.answer(MOVE, "undo 1")
    raise AssertionError("in 100 decisions none was free to take back")


def test_ctrl_c_leaves_in_order_and_the_match_is_gone_on_with(sit: Sit) -> None:
    ann = sit("ann", "new", "tiny", "--seat", "1")
    match = match_of(ann)
    ann.until("Ann   <- you")
    ann.until("seat 1, " + MOVE)
    ann.interrupt()
    assert ann.ended() == 0
    assert f"To go on: kleos play {match}" in re.sub(r"\S+/kleos", "kleos", ann.seen)
    assert "Traceback" not in ann.seen
    again = sit("ann", match, "--seat", "1")
    again.answer("seat 1, " + MOVE, "resign")
    assert "the house moves on for it" in (again.answer(YES_NO, "?") + again.until(YES_NO))
    again.type("yes\n")
    again.until("You lost")
    assert again.ended() == 0


def test_who_watches_sees_it_live_and_is_told_that_the_table_decides(
    two: tuple[Screen, Screen], sit: Sit
) -> None:
    ann, _ = two
    found = re.search(r"match (\w+)", ann.seen)
    assert found
    cleo = sit("cleo", found[1])
    cleo.answer("waiting for seat 0, seat 1 (? for help): ", "undo")
    cleo.until("you watch; who sits at the table decides")
    ann.type("1\n")
    cleo.until("Seat 0 pledges a card.")
    cleo.answer(WAITING.format(1), "?")
    cleo.until("the latest news")
    cleo.type("q\n")
    assert cleo.ended() == 0
