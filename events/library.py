"""Functions that run inside the store, one per Lua file, loaded as one library.

The library's name carries the digest of its source. Processes of two releases can therefore share a store,
each calling the functions it was written with, and loading is needed at most once per server and release.
"""

from __future__ import annotations

import hashlib
from importlib.resources import files

from msgspec import Struct


class Library(Struct, frozen=True):
    """Lua source and the name under which a server knows it."""

    name: str
    source: str

    @classmethod
    def read(cls, package: str, *functions: str) -> Library:
        """The functions of ``<package>/functions/<name>.lua``; each file returns one function(keys, args)."""
        registrations = "\n".join(
            f"redis.register_function('@_{name}', (function()\n{_source(package, name)}\nend)())"
            for name in functions
        )
        digest = hashlib.sha256(registrations.encode()).hexdigest()[:12]
        library = f"{package.replace('.', '_')}_{digest}"
        return cls(
            name=library, source=f"#!lua name={library}\n" + registrations.replace("'@_", f"'{library}_")
        )

    def function(self, name: str) -> str:
        """The name to FCALL."""
        return f"{self.name}_{name}"


def _source(package: str, name: str) -> str:
    return (files(package) / "functions" / f"{name}.lua").read_text("utf-8")
