"""Objects: bytes under names that are written once, in a folder or in an S3-style store.

Knows writing, reading and what can go wrong with either. Must not know what the bytes are.
"""

from __future__ import annotations

import asyncio
import os
import re
import secrets
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from obstore.store import ClientConfig, ObjectStore, RetryConfig

REMOTE: Final = ("s3://", "gs://", "az://")
"""How the addresses of stores begin that are not folders."""
_PATIENCE: Final[ClientConfig] = {"timeout": "10s", "allow_http": True}
"""How long a store may take for one request; without TLS only if its address was given so."""
_PLAIN: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
"""What a name is made of, between its slashes: nothing that leads out of a folder."""
_TRIES: Final[RetryConfig] = {"max_retries": 3}


class NoObject(Exception):
    """There is no object of this name."""


class ObjectsUnavailable(Exception):
    """The objects cannot be reached; one sentence says why."""


class Objects(Protocol):
    """Where objects are. Both raise ``ObjectsUnavailable``."""

    async def put(self, name: str, content: bytes) -> None:
        """Write an object, whole or not at all; on disk, or wherever the store keeps it, before this returns.

        The same name is only ever written with the same content.
        """
        ...

    async def get(self, name: str) -> bytes:
        """The content of an object; raises ``NoObject``."""
        ...


def objects_at(place: str | Path) -> Objects:
    """The objects in a folder, or at an address that begins with one of ``REMOTE``; nothing is asked yet.

    Raises ``ValueError`` for any other address, and where the package for addresses is missing.
    """
    text = str(place)
    if "://" not in text:
        return Folder(Path(place).expanduser())
    if not text.startswith(REMOTE):
        raise ValueError(f"an archive is a folder, or begins with {' or '.join(REMOTE)}, unlike {text}")
    if find_spec("obstore") is None:
        raise ValueError(f"{text} needs an extra: pip install 'kleos[s3]'")
    return _Remote(text)


class Folder:
    """Objects as files, readable by their owner alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, name: str, content: bytes) -> None:
        try:
            await asyncio.to_thread(_write, self._path(name), content)
        except OSError as error:
            raise ObjectsUnavailable(f"{error.filename or self._folder}: {error.strerror}") from error

    async def get(self, name: str) -> bytes:
        try:
            return await asyncio.to_thread(self._path(name).read_bytes)
        except FileNotFoundError:
            raise NoObject(f"there is no {self._folder / name}") from None
        except OSError as error:
            raise ObjectsUnavailable(f"{error.filename or self._folder}: {error.strerror}") from error

    def _path(self, name: str) -> Path:
        """Where an object is: within the folder, whatever its name; ``ValueError`` for any other."""
        if not all(_PLAIN.fullmatch(part) for part in name.split("/")):
            raise ValueError(f"{name!r} is no name for an object")
        return self._folder / name


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f".{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as written:
            written.write(content)
            written.flush()
            os.fsync(written.fileno())
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
    for folder in (file.parent, file.parent.parent):
        _sync(folder)


def _sync(folder: Path) -> None:
    """Put the names in a folder on disk, on the platforms that can be asked to."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class _Remote:
    """Objects in a store that is reached over the network.

    Region, credentials and address are those of the environment (``AWS_ENDPOINT_URL``, …), as for every
    other program that talks to such stores.
    """

    def __init__(self, url: str) -> None:
        from obstore.store import from_url  # noqa: PLC0415 - an extra that most do not have

        self._url = url
        try:
            self._store: ObjectStore = from_url(url, client_options=_PATIENCE, retry_config=_TRIES)
        except Exception as error:  # of many kinds, none of them shared
            raise ValueError(f"{url}: {_first_line(error)}") from error

    async def put(self, name: str, content: bytes) -> None:
        from obstore.exceptions import BaseError  # noqa: PLC0415 - likewise

        try:
            await self._store.put_async(name, content)
        except (BaseError, OSError, ValueError) as error:
            raise ObjectsUnavailable(f"{self._url}: {_first_line(error)}") from error

    async def get(self, name: str) -> bytes:
        from obstore.exceptions import BaseError  # noqa: PLC0415 - likewise

        try:
            return bytes(await (await self._store.get_async(name)).bytes_async())
        except FileNotFoundError:
            raise NoObject(f"there is no {self._url.rstrip('/')}/{name}") from None
        except (BaseError, OSError, ValueError) as error:
            raise ObjectsUnavailable(f"{self._url}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
