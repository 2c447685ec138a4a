"""``kleos import``: a match from a file becomes one of a store, to be read, replayed, explained and forked.

Exit codes: 0 it is there, now or since earlier, 1 it is not, with why, 2 wrong usage. As for ``kleos
archive``, the server need not be stopped if the store is not the embedded one.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import closing
from pathlib import Path

import msgspec

from kleos.api.settings import HEADS_FILE, KEY_FILE, Settings, SettingsError
from kleos.api.stored import add_where, opened_store, where
from kleos.api.verify import told
from kleos.api.wording import in_plain_words
from kleos.events.archive import ArchiveFault
from kleos.events.embedded import NoServer
from kleos.events.heads import Heads
from kleos.events.importing import Imported, NotImported, take_in
from kleos.events.keys import KeyUnusable, keys_in
from kleos.events.note import Verifier
from kleos.events.rotation import keys_of
from kleos.events.store import StoreUnavailable, UnsafeStore


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a bundle, as `kleos export` writes it")
    add_where(parser)
    parser.add_argument(
        "--key",
        metavar="VKEY",
        action="append",
        default=[],
        help="a key that must have signed it, <name>+<id>+<base64>; default: those in the file are believed",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")


def main(chosen: argparse.Namespace) -> int:
    try:
        settings = where(chosen)
        trusted = [Verifier.parse(each) for each in chosen.key]
        data = chosen.file.read_bytes()
        imported = asyncio.run(_import(settings, data, trusted))
    except SettingsError as error:
        print(f"kleos import: {error}", file=sys.stderr)
        return 2
    except NotImported as error:
        if not chosen.json:
            print("\n".join(told(error.report)))
        print(f"kleos import: {chosen.file}: {error}", file=sys.stderr)
        return 1
    except (NoServer, KeyUnusable, StoreUnavailable, UnsafeStore, ArchiveFault, ValueError, OSError) as error:
        print(f"kleos import: {in_plain_words(error)}", file=sys.stderr)
        return 1
    if chosen.json:
        print(msgspec.json.encode(imported).decode())
    else:
        print("\n".join(told(imported.report)))
        print(f"match {imported.match} {'was there already' if imported.there else 'is in the store now'}")
    return 0


async def _import(settings: Settings, data: bytes, trusted: list[Verifier]) -> Imported:
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    own = keys_of(keys_in(settings.data / KEY_FILE).signer(settings.origin))
    async with opened_store(settings) as store:
        with closing(Heads(settings.data / HEADS_FILE)) as heads:
            return await take_in(store, own, data, trusted, heads)
