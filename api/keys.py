"""``kleos keys``: the keys that a server signs with, and a new one in the place of the newest.

Works on the key file alone; a running server goes on with the key it started with until it is started again.
Exit codes: 0 done, 1 it cannot be done, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import msgspec

from kleos.api.settings import KEY_FILE, SettingsError, read_settings
from kleos.api.wording import in_plain_words
from kleos.events.keys import Keys, KeyUnusable, keys_in, rotate
from kleos.events.rotation import Rotation, keys_of
from kleos.projections.timeline import rfc3339


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("list", "rotate"), help="list the keys, or let a new one follow")
    parser.add_argument("--data", metavar="DIR", help="the data folder, where the key file is")
    parser.add_argument(
        "--stolen",
        action="store_true",
        help="with rotate: the old key is in wrong hands; invitations made with it count no more",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object, as /v1/keys answers")


def main(chosen: argparse.Namespace) -> int:
    try:
        settings = read_settings(os.environ, data=chosen.data)
        path = settings.data / KEY_FILE
        if not path.exists() or (chosen.stolen and chosen.what != "rotate"):
            wrong = (
                "--stolen goes with rotate" if path.exists() else f"there is no signing key in {path.parent}"
            )
            print(f"kleos keys: {wrong}", file=sys.stderr)
            return 2
        if chosen.what == "rotate":
            keys = rotate(path, settings.origin, int(time.time()), stolen=chosen.stolen)
        else:
            keys = keys_in(path)
        _tell(keys, settings.origin, as_json=chosen.json)
    except SettingsError as error:
        print(f"kleos keys: {error}", file=sys.stderr)
        return 2
    except (KeyUnusable, OSError) as error:
        print(f"kleos keys: {in_plain_words(error)}", file=sys.stderr)
        return 1
    if chosen.what == "rotate" and not chosen.json:
        _advise(path)
    return 0


def _tell(keys: Keys, host: str, *, as_json: bool) -> None:
    signer = keys.signer(host)
    every = keys_of(signer)
    if as_json:
        told = {"keys": [each.vkey for each in every], "rotations": signer.rotations}
        print(msgspec.json.encode(told).decode())
        return
    since = [Rotation.parse(note).at for note in reversed(signer.rotations)]
    for place, key in enumerate(every):
        when = f"since {rfc3339(since[place] * 1000)}" if place < len(since) else "the first"
        print(f"{key.vkey}  {when}")


def _advise(path: Path) -> None:
    print(
        "The new key stands first. Start the server again to have it sign, and copy "
        f"{path.name} to the data folder of every other process of the service."
    )
