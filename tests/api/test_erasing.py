"""Being forgotten, over HTTP."""

import pytest

from kleos.api.client import Client, Problem


def test_whoever_is_forgotten_has_no_name_no_token_and_no_seat_that_others_wait_for(served: str) -> None:
    anna, ben = Client(served), Client(served)
    anna.register("Anna-who-leaves")
    ben.register("Ben")
    playing = anna.create("tiny", 2)["id"]
    ben.take_seat(playing)
    waiting = anna.create("tiny", 2)["id"]
    assert ben.match(playing)["seats"][0]["player"]["name"] == "Anna-who-leaves"
    anna.forget_me()
    with pytest.raises(Problem, match="unknown, expired or revoked"):
        anna.me()
    over = ben.match(playing)
    assert (over["status"], over["outcome"]["winners"]) == ("finished", [1])
    assert over["seats"][0]["player"]["name"] is None
    assert ben.match(waiting)["status"] == "abandoned"
