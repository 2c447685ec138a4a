"""Being forgotten, over HTTP."""

import pytest
from bundles import cosigned, key_of

from kleos.api.client import Client, Problem
from kleos.events.note import Verifier, b64, open_checkpoint
from tests.api.conftest import Newcomer
from tests.scenarios.client import Client as Stranger


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


def test_the_key_of_who_is_forgotten_is_not_shown_below_the_checkpoint_any_more(stranger: Stranger) -> None:
    key = b64(key_of("anna").public_key().public_bytes_raw())
    made = stranger.ask("POST", "/v1/players", {"name": "Anna", "key": key}).json
    player, hers = made["player"]["id"], {"Authorization": f"Bearer {made['token']}"}
    match = stranger.ask("POST", "/v1/matches", {"game": "tiny", "seats": 2}, **hers).json["id"]
    note = stranger.ask("GET", f"/v1/matches/{match}/checkpoint").body.decode()
    signer = Verifier.parse(stranger.get("/v1/keys")["keys"][0])
    head = open_checkpoint(note, f"{signer.name}/m/{match}", [signer])
    line = cosigned("anna", head, host=signer.name, player=player).line
    stranger.ask("POST", f"/v1/matches/{match}/cosignatures", {"size": 1, "cosignature": line}, **hers)
    assert stranger.ask("GET", f"/v1/matches/{match}/checkpoint").body.decode() == f"{note}{line}\n"
    assert stranger.ask("DELETE", "/v1/players/me", **hers).status == 204
    after = stranger.ask("GET", f"/v1/matches/{match}/checkpoint").body.decode()
    assert f"/p/{player}" not in after
