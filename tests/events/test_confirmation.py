"""What is said about where a write is: never more than the server confirmed."""

from __future__ import annotations

import pytest
from redis.exceptions import ResponseError

from kleos.events.confirmation import Confirmation


@pytest.mark.parametrize(
    ("wanted", "reply", "verdict"),
    [
        (0, [1, 0], "fsync"),
        (0, [1, 2], "fsync"),
        (1, [1, 1], "replicated:1"),
        (1, [1, 2], "replicated:1"),
        (2, [1, 1], "fsync"),
        (1, [0, 1], "memory"),
        (0, [0, 0], "memory"),
        (
            1,
            ResponseError("WAITAOF cannot be used when numlocal is set but appendonly is disabled"),
            "memory",
        ),
    ],
)
def test_the_verdict_is_what_the_server_confirmed(wanted: int, reply: object, verdict: str) -> None:
    assert Confirmation(wanted).verdict([reply]) == verdict


def waits_for(confirmation: Confirmation) -> set[int]:
    """How many replicas are waited for."""
    return {int(replicas) for _, _, replicas, _ in confirmation.commands()}


def test_replicas_that_are_late_are_not_waited_for_during_a_second() -> None:
    now = 0.0
    confirmation = Confirmation(1, clock=lambda: now)
    assert waits_for(confirmation) == {1}
    assert confirmation.verdict([[1, 0]]) == "fsync"
    assert waits_for(confirmation) == {0}
    now = 0.9
    assert confirmation.verdict([[1, 0]]) == "fsync", "which does not make the second longer"
    now = 1.0
    assert waits_for(confirmation) == {1}
    assert confirmation.verdict([[1, 0], [1, 1]]) == "replicated:1"
