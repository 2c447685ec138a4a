"""Two worlds side by side: whatever a caller is sent must be the same in both, but for what may differ.

Both are the same players doing the same on copies of one store, so ids, invitations and ETags are equal to
the byte. What differs is the seed, and with it every card. A card that the caller may know goes by its place
in the deck; any other stays as it is, and tells the worlds apart, as does its length. What is drawn anew each
time, whatever is hidden, has a ``Mask``; nearly all are of a fixed length, so sizes are compared as well.

What this cannot see is whether a masked digest can be guessed; that is tested where digests are made.
"""

import base64
import io
import re
import zipfile
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tests.scenarios.leaks import Heard, Knowledge

CONTEXT = 60
"""Bytes before and after a difference that are shown of it."""


class World(NamedTuple):
    """What all callers were sent, who may know what of it, and the cards in the order of the deck."""

    heard: list[Heard]
    knowledge: Knowledge
    deck: list[str]


class Difference(NamedTuple):
    """By what a reader can tell the worlds apart, and what it had ``asked``."""

    reader: str
    version: int
    asked: str
    one: str
    other: str


class Mask(NamedTuple):
    """``varies``, which is random by nature, goes by a ``name`` where it stands after ``before``."""

    name: str
    before: str
    varies: str
    after: str = ""


_TEXT = r"[A-Za-z0-9_-]"
_BASE64 = r"[A-Za-z0-9+/]"

# The clock: the worlds are milliseconds apart, the length of a time is always the same.
CLOCK = (
    Mask("time", "", r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d\d\d", "(?:Z| UTC)"),
    Mask("time", r'"at":', r"\d{13}", "[,}]"),
    Mask("minute", r'">', r"\d\d? [A-Z][a-z]+ 20\d\d, \d\d:\d\d", " UTC"),
)
# The log: keyed with the seed, salted, or hashed and signed over such digests; all of a fixed length.
LOG = (
    Mask("digest of the state", r'"state":"', _TEXT + "{22}", '"'),
    Mask("digest of an opening", r'"(?:seat:\d|server)":"', _TEXT + "{43}", '"'),
    Mask("salt", r'"salt":"', _TEXT + "{22}", '"'),
    Mask(
        "anchor of the dice",
        r'(?:"(?:dice|anchor)":"|Anchor of the dice<dd><code>|anchor  +)',
        "[0-9a-f]{64}",
    ),
    Mask("root", r'(?:"root":"|<dt>Root<dd><code>|  root  )', _BASE64 + "{43}=", r'(?:"|<| over )'),
    Mask("hash of a tree", r"(?:^|\n|\\n)", _BASE64 + "{43}=", r"(?:\n|\\n|$)"),
    Mask("signature", "— kleos ", _BASE64 + "{91}=", r"(?:\n|\\n)"),
)
# What the server draws for whoever asks for it: tokens and their ids, secrets of webhooks, a new account.
DRAWN = (
    Mask("token", "kleos_(?:[a-z2-7]{16})_", _TEXT + "{43}", '"'),
    Mask("account", r'(?:"player":\{"id":"|"token":"kleos_)', "[a-z2-7]{16}", r'(?:","name":"Another"|_)'),
    Mask("id", r'(?:"id":"|/tokens/|/webhooks/)', "[0-9a-f]{16}", r'(?:"|$)'),
    Mask("secret of a webhook", "whsec_", _BASE64 + "{43}=", '"'),
)
# Where a stream goes on, places in the store's feeds, which tell the time; and how long a client is to wait.
STREAM = (
    Mask("cursor", r'(?:"cursor":"|^id: )', _TEXT + "{40,}", r'(?:"|\n)'),
    Mask("pause", "^retry: ", r"\d{4}", r"\n"),
)
BODY = (*CLOCK, *LOG, *DRAWN, *STREAM)
# The ledger takes the heads of all matches in, as many at a time as there are just then. So the proof from it
# in a bundle, all public digests and sizes, is of a length that hangs on the moment.
LEDGER = (
    Mask("size", r"kleos/v1/log\n", r"\d+", r"\n"),
    Mask("entry", r"kleos/v1/log/", _TEXT + "{43}\\n\\d+", r"\n"),
)
# Counts and seconds of the whole server, by process; their names are compared.
METRICS = (Mask("process", 'process="', r"\d+", '"'), Mask("number", r"^[^#\n]*\} ", r"[0-9.e+-]+", r"\n"))
_PICTURE = re.compile(rb"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")
"""A picture within a page; what it shows is compared as text."""
HEADERS = {"date": "the clock", "x-request-id": "drawn for every request"}
"""Headers whose values are not compared; that they are there, is."""


def told_apart(one: World, other: World) -> Iterator[Difference]:
    """Every pair of answers by which a reader can tell two worlds apart."""
    for here, there in zip(one.heard, other.heard, strict=True):
        assert (here.reader, here.version, here.asked) == (there.reader, there.version, there.asked)
        seen = [as_seen(each, world) for each, world in ((here, one), (there, other))]
        if seen[0] != seen[1]:
            yield Difference(here.reader, here.version, here.asked, *_around(*seen))


def as_seen(heard: Heard, world: World) -> bytes:
    """Status, headers and body, with names for what the reader may know and for what is random by nature."""
    answer = heard.answer
    body = b"".join(_named(part, heard, world) for part in _parts(heard))
    headers = dict(answer.headers) | {name: "" for name in HEADERS if name in answer.headers}
    if "content-length" in headers:  # right, so of what the reader may know as long as the names are
        assert int(headers["content-length"]) == len(answer.body), heard.asked
        headers["content-length"] = str(len(body))
    lines = "".join(f"{name}: {value}\n" for name, value in sorted(headers.items()))
    return b"%d\n%s\n%s" % (answer.status, _masked(lines.encode(), DRAWN), body)


def _parts(heard: Heard) -> Iterator[bytes]:
    """The body; of an archive each file with its entry, without the checksum and the sizes that follow."""
    body = heard.answer.body
    if heard.answer.headers.get("content-type") != "application/zip" or heard.answer.status != 200:
        yield body
        return
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        for entry in archive.infolist():
            told = (entry.filename, entry.compress_type, entry.date_time, entry.extra, entry.comment)
            yield f"{told}\n".encode()
            yield b"<proof from the ledger>" if entry.filename == "ledger" else archive.read(entry)
        yield archive.comment


def _named(body: bytes, heard: Heard, world: World) -> bytes:
    body = _PICTURE.sub(lambda found: base64.b64decode(found[1]), body)
    known = {card: place for place, card in enumerate(world.deck)}
    for card, place in known.items():
        if world.knowledge.may(heard.reader, card, heard.version):
            body = body.replace(card.encode(), b"<card %d>" % place)
    path = heard.asked.split(" ")[-1]
    if path.startswith("/v1/log/tile/") and "entries" not in path and heard.answer.status == 200:
        return b"<%d bytes of hashes>" % len(body)
    if path.startswith("/metrics"):
        return _masked(body, METRICS)
    return _masked(body, (*BODY, *LEDGER) if path.startswith("/v1/log") or b"kleos/v1/log" in body else BODY)


def _masked(text: bytes, masks: tuple[Mask, ...]) -> bytes:
    for each in masks:
        text = _compiled(each).sub(rb"\1<%s>" % each.name.encode(), text)
    return text


@cache
def _compiled(mask: Mask) -> re.Pattern[bytes]:
    return re.compile(f"({mask.before}){mask.varies}(?={mask.after})".encode(), re.MULTILINE)


def _around(one: bytes, other: bytes) -> tuple[str, str]:
    """The two, from a little before they part to a little after."""
    shared = min(len(one), len(other))
    start = next((n for n in range(shared) if one[n] != other[n]), shared)
    window = slice(max(0, start - CONTEXT), start + CONTEXT)
    return one[window].decode(errors="replace"), other[window].decode(errors="replace")
