"""What a match is at every version, rebuilt from its stream alone.

``python -m tests.scenarios.rebuilt STORE PREFIX`` reads ids of matches, one a line, and answers each with
one line of digests, one a version. The same function gives the digests of live matches.
"""

import asyncio
import hashlib
import sys

import msgspec
from msgspec.structs import replace

from kleos.core.match import Match, codec
from kleos.events.envelope import Entry
from kleos.events.replay import replay
from kleos.events.store import Store


def fingerprint(match: Match) -> str:
    """A digest of everything a match is, the hidden included."""
    shell = msgspec.json.encode(replace(match, state=None), order="sorted")
    return hashlib.sha256(shell + b"\n" + codec(match.rules).state_bytes(match.state)).hexdigest()[:16]


async def main(url: str, prefix: str) -> None:
    store = await Store.connect(url, prefix=prefix)
    for line in sys.stdin:
        stored = await store.read(line.strip())
        entries = [Entry.of(each.version, each.public, each.sealed) for each in stored]
        print(*(fingerprint(match) for match in replay(entries)))
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
