"""kleos keys: a rotation from one end to the other, with what people hold from before it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kleos.api.client import Client
from kleos.api.command import main
from kleos.events.keys import keys_in
from kleos.events.note import Verifier, open_checkpoint
from kleos.events.rotation import chain
from kleos.events.tiles import Tile
from kleos.events.verifier import verify
from tests.scenarios.server import Server


def listed(data: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, list[str]]:
    assert main(["keys", "list", "--data", str(data), "--json"]) == 0
    found: dict[str, list[str]] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.slow
def test_who_has_an_old_key_believes_the_new_one_and_old_receipts_stay_good(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server, data = Server(tmp_path), tmp_path / "data"
    server.start()
    player = Client(server.url)
    player.register("Ariadne")
    match = player.create("tiny", 2, seat=0, visibility="private")
    player.take_seat(match["id"], seat=1, bot="random")
    move = player.view(match["id"])["moves"][0]["move"]
    receipt = player.play(match["id"], 0, move)["receipt"]
    old = Verifier.parse(listed(data, capsys)["keys"][0])
    waiting = player.create("tiny", 2, seat=0, visibility="private")
    assert server.stop() == 0

    assert main(["keys", "rotate", "--data", str(data)]) == 0
    assert "since 20" in capsys.readouterr().out
    server.start()
    told = listed(data, capsys)
    assert player.keys() == told
    keys = [Verifier.parse(each) for each in told["keys"]]
    assert tuple(keys) == chain(keys[0], told["rotations"])
    assert keys[1] == old
    guest = Client(server.url)
    guest.register("Bacchus")
    guest.take_seat(waiting["id"], invite=waiting["invite"])
    report = verify(player.bundle(match["id"]), [old], [receipt])
    assert (report.failure, report.trusted) == (None, True)
    assert report.signed_by == (keys[0].vkey,)
    assert report.passed[:5] == ("bundle", "form", "signatures", "receipts", "ledger")
    size = open_checkpoint(player.ledger(), "kleos/v1/log", keys[:1]).size
    assert told["rotations"][0].encode() in player.tile("entries", Tile(0, size).place)
    assert server.stop() == 0
    assert main(["fsck", "--data", str(data)]) == 0, capsys.readouterr().out


def test_wrong_usage_and_unusable_files_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "list", "--data", str(tmp_path)]) == 2
    assert "no signing key" in capsys.readouterr().err
    path = tmp_path / "signing-key.pem"
    keys_in(path)
    assert main(["keys", "list", "--stolen", "--data", str(tmp_path)]) == 2
    assert main(["keys", "rotate", "--stolen", "--data", str(tmp_path)]) == 0
    assert len(keys_in(path).private) == 1
    path.chmod(0o644)
    assert main(["keys", "rotate", "--data", str(tmp_path)]) == 1
    assert "chmod 600" in capsys.readouterr().err
