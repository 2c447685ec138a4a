"""Which keys there are, and which of them live together.

A match or a player belongs to one of ``buckets`` buckets, chosen by a stable hash of its id. The bucket's tag
is the hash tag of all its keys, so a bucket is in one slot of a cluster and one Function can touch it all::

    kleos:{b07}:m:<id>:events     stream  <version>-0 -> p, the public bytes; s, the openings
    kleos:{b07}:m:<id>:commands   hash    command id -> version and fingerprint
    kleos:{b07}:m:<id>:head       hash    the tail's version and notice, what its writer left for the next,
                                          and of a match in the archive the stub
    kleos:{b07}:m:<id>:snapshot   hash    a cache
    kleos:{b07}:m:<id>:cosignatures  hash  each witness's newest cosignature
    kleos:{b07}:feed              stream  every event of the bucket, in the order of their commits

The ledger is one for all buckets, and its keys live together under a tag of their own; see ``ledger``.
"""

from __future__ import annotations

import zlib

from msgspec import Struct


class Keyspace(Struct, frozen=True):
    """The names of keys. ``prefix`` keeps services apart that share a server."""

    prefix: str
    buckets: int

    def bucket(self, identifier: str) -> int:
        """The bucket of a match or a player: stable across processes and releases."""
        return zlib.crc32(identifier.encode()) % self.buckets

    def key(self, bucket: int, name: str) -> str:
        """The key of that name in a bucket."""
        return f"{self.prefix}:{{b{bucket:02d}}}:{name}"

    def apart(self, tag: str, name: str) -> str:
        """The key of that name outside all buckets; keys of one ``tag`` live together."""
        return f"{self.prefix}:{{{tag}}}:{name}"

    def match(self, match: str, part: str) -> str:
        """The key of one part of a match."""
        return self.key(self.bucket(match), f"m:{match}:{part}")
