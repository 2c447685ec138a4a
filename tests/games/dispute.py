"""The dispute of docs/proof.md: a match of Cyclades in which a battle is contested, and a forged copy of it.

python3 tests/games/dispute.py examples     writes both, when the rules have changed what they hold
"""

import hashlib
import re
import sys
from pathlib import Path
from typing import Final

from bundles import Record
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from kleos.core.match.actions import Annotate, Leave, Refuse, Undo
from kleos.events.notary import Notary
from kleos.events.note import Signer

FORGER: Final = Signer("play.example", Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33))))


class Contested(Record):
    """A match whose moves do not hang on what is sealed, so that the story stays as the page tells it."""

    def salt(self, size: int) -> bytes:
        return hashlib.sha256(b"%d" % len(self.entries)).digest()[:size]


def contested() -> tuple[Record, int]:
    """The match, and the version of the battle in it: the attacker wants it back, and is refused."""
    record = Contested("cyclades/1", seats=2, seed=18, referee="referee")
    record.sit()
    while not fought(record):
        record.step()
    battle = record.match.version
    attacker = record.match.step.seat if record.match.step else 0
    record.do(f"player{attacker}", attacker, Undo(to=battle - 1))
    proposal = record.match.proposals[0].id
    record.do(f"player{1 - attacker}", 1 - attacker, Refuse(proposal))
    record.do("referee", None, Annotate(text="The dice stand.", version=battle))
    record.step()
    record.do(f"player{attacker}", None, Leave(seat=attacker))
    return record, battle


def fought(record: Record) -> bool:
    return b'"type":"round_fought"' in record.entries[-1].public


def forged(record: Record, battle: int) -> Record:
    """The same with another die in the battle."""
    other = Contested("cyclades/1", seats=2, seed=18, referee="referee")
    other.entries = list(record.entries)
    entry = record.entries[battle - 1]
    public = re.sub(rb'"dice":\[(\d),(\d)\]', rb'"dice":[3,\2]', entry.public, count=1)
    assert public != entry.public
    other.entries[battle - 1] = replace(entry, public=public)
    return other


def files() -> dict[str, bytes]:
    """The two files by name."""
    record, battle = contested()
    return {
        "dispute.kleos": record.bundle(),
        "forged.kleos": forged(record, battle).bundle(notary=Notary(FORGER)),
    }


if __name__ == "__main__":
    for name, data in files().items():
        (Path(sys.argv[1]) / name).write_bytes(data)
