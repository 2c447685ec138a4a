"""Being forgotten, over HTTP."""

import pytest

from kleos.api.client import Client, Problem
from tests.api.conftest import Newcomer


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


def test_a_copy_of_a_match_is_not_good_any_more_once_a_name_in_it_is_forgotten(newcomer: Newcomer) -> None:
    anna, ben = newcomer(), newcomer()
    match = anna.create("tiny", 2)
    ben.join(match, 1)
    assert anna.ask("DELETE", f"{match}/seats/0").status == 200
    before = ben.ask("GET", match)
    assert before.json["status"] == "finished"
    etag = before.headers["etag"]
    assert ben.ask("GET", match, If_None_Match=etag).status == 304
    assert anna.ask("DELETE", "/v1/players/me").status == 204
    after = ben.ask("GET", match, If_None_Match=etag)
    assert (after.status, after.json["version"]) == (200, before.json["version"])
    assert after.json["seats"][0]["player"]["name"] is None
    assert after.headers["etag"] != etag
