"""A server that goes silent is tried again for a while, and who sits at the table is told so."""

from __future__ import annotations

from pathlib import Path

from kleos.api.outage import Outage
from tests.api.ptys import Screen
from tests.scenarios.server import Server

MOVE = "your move (? for help): "


def test_a_restart_of_the_server_is_sat_out_and_the_match_goes_on(tmp_path: Path) -> None:
    server = Server(tmp_path / "server")
    server.start()
    try:
        with Screen(tmp_path / "ann", "play", "new", "tiny", "--server", server.url) as ann:
            ann.until(MOVE)
            server.stop()
            ann.until("Trying again for 60 seconds")
            ann.type("1\n")
            server.start()
            ann.until("The server answers again.")
            ann.until("Seat 0 pledges")
            ann.answer(MOVE, "q")
            assert ann.ended() == 0
            assert ann.seen.count("Trying again") == 1
    finally:
        server.kill()


def test_silence_is_borne_so_long_and_no_longer_and_told_once() -> None:
    told: list[str] = []
    patient = Outage(3600, told.append)
    assert patient.borne("silence")
    assert patient.borne("silence")
    assert told == ["silence. Trying again for 3600 seconds …"]
    patient.over()
    patient.over()
    assert told[1:] == ["The server answers again."]
    assert not Outage(0, told.append).borne("silence")
    assert not Outage().borne("silence")
