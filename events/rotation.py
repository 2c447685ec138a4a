"""Rotations: how a signing key follows from an earlier one, so that who knows the old one finds the new.

The statement is a C2SP signed note, which both keys sign::

    kleos/key-rotation/v1
    play.example+9bcfdd96+AQOh…     the old key
    play.example+f0a4c2b1+AQ9x…     the new one
    1767225600                      when, in seconds since the epoch

    — play.example m8/dlg…          by the old key: this is my successor
    — play.example 8KTCsQ…          by the new one: and I am there

It stands in the key file, in the ledger and in every bundle. It knows keys and no files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from kleos.events.note import Signer, Unverified, Verifier, open_note

HEADING: Final = "kleos/key-rotation/v1"
_SECONDS: Final = re.compile(r"0|[1-9][0-9]{0,14}")


class Rotation(Struct, frozen=True):
    """Key ``new`` took the place of ``old`` at a time, in seconds since the epoch; both have said so."""

    old: Verifier
    new: Verifier
    at: int

    @classmethod
    def parse(cls, note: str) -> Rotation:
        """The rotation that a note states; raises ``Unverified``."""
        text, _, _ = note.rpartition("\n\n")
        try:
            heading, old, new, at = text.split("\n")
            rotation = cls(Verifier.parse(old), Verifier.parse(new), int(at))
        except ValueError as error:
            raise Unverified(f"not a rotation: {error}") from None
        if heading != HEADING or not _SECONDS.fullmatch(at):
            raise Unverified(f"not a rotation: {HEADING}, two keys, and seconds")
        if rotation.old == rotation.new or rotation.old.name != rotation.new.name:
            raise Unverified("a rotation leads to another key of the same name")
        for key in (rotation.old, rotation.new):
            open_note(note, [key])
        return rotation


def rotate(old: Signer, new: Signer, at: int) -> str:
    """The note by which ``new`` follows ``old``, at a time in seconds since the epoch."""
    text = f"{HEADING}\n{old.verifier.vkey}\n{new.verifier.vkey}\n{at}\n"
    return f"{old.sign(text)}{new.line(text)}\n"


def chain(newest: Verifier, rotations: Sequence[str]) -> tuple[Verifier, ...]:
    """All keys of a server, the newest first, from the notes that lead to it, the oldest first.

    Raises ``Unverified`` unless each note begins where the one before ended, and the last ends at ``newest``.
    """
    found = [Rotation.parse(note) for note in rotations]
    keys = [*(each.old for each in found), newest]
    if any(each.new != after for each, after in zip(found, keys[1:], strict=True)):
        raise Unverified("the rotations do not lead from key to key")
    if len(set(keys)) != len(keys):
        raise Unverified("the rotations come back to a key that was left")
    return tuple(reversed(keys))


def followed(trusted: Sequence[Verifier], keys: Sequence[Verifier]) -> tuple[Verifier, ...]:
    """The keys that are trusted, and those of a ``chain`` (the newest first) that follow from any of them."""
    known = [place for place, key in enumerate(keys) if key in trusted]
    later = keys[: max(known)] if known else ()
    return (*trusted, *(key for key in later if key not in trusted))


def keys_of(signer: Signer) -> tuple[Verifier, ...]:
    """All keys of a signer, the newest first; raises ``Unverified`` if its rotations are not its own."""
    return chain(signer.verifier, signer.rotations)
