"""Citing: the proofs of a match in the archive, from the signatures in its bundle.

They are those that were given when the match was played, whatever key the server has by now, and whichever
server it was. Nothing is signed here.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from kleos.events.bundle import Bundle, opening_of, pack
from kleos.events.cosignature import Cosigned, Witness
from kleos.events.notary import SORTED, Proofs, Shown
from kleos.events.note import Checkpoint


class Cited(Proofs):
    """What the bundle of a match proves."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle

    def checkpoint(self, match_id: str, size: int, root: bytes) -> str:
        """The checkpoint over the first ``size`` events, as it was signed."""
        assert match_id == self._bundle.manifest.match
        text = Checkpoint(self._bundle.manifest.origin, size, root).text
        return f"{text}\n{self._bundle.signatures[size - 1]}\n"

    def shown(self, shows: Shown, cosignatures: Iterable[Cosigned] = ()) -> bytes:
        """The bundle, of whose openings only those are put in that ``shows`` allows.

        ``cosignatures`` are those that are kept by now: a match in the archive can still be cosigned.
        """
        openings = (
            {name: raw for name, raw in opening_of(line).items() if shows(version, name)}
            for version, line in enumerate(self._bundle.openings, 1)
        )
        return pack(
            replace(
                self._bundle,
                openings=tuple(SORTED.encode(each) for each in openings),
                cosignatures=tuple(each.text for each in self._newest(cosignatures)),
            )
        )

    def _newest(self, later: Iterable[Cosigned]) -> list[Cosigned]:
        """Of each witness the cosignature of the longest log, here or ``later``, in the order of bundles."""
        here = (Cosigned.parse(each) for each in self._bundle.cosignatures)
        return sorted({Witness.parse(each.key).name: each for each in sorted((*here, *later))}.values())
