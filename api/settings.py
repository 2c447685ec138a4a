"""What can be set from outside: environment variables `KLEOS_*`, overridden by flags of the command line.

Read once, at the edge; everything else is handed a frozen ``Settings``. A name or value that is not
understood is an error in one line, never silently ignored.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from kleos.api.wording import in_json_words
from kleos.events.objects import objects_at

KEY_FILE: Final = "signing-key.pem"
HEADS_FILE: Final = "signed-heads.sqlite"
"""What a server keeps in its data folder beside the store."""
PREFIX: Final = "KLEOS_"
RATE: Final = r"^([1-9][0-9]{0,5}/[1-9][0-9]{0,4})?\Z"


class SettingsError(ValueError):
    """A setting is unknown or ill-typed; the text is one line for the person who set it."""


def user_data_folder() -> Path:
    """Where programs of this platform keep what they own, in a folder of our name."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "kleos"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "kleos"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "kleos"


class Settings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All settings. ``KLEOS_REDIS_URL`` sets ``redis_url``, and so on."""

    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8000
    """0 takes any free port."""
    data: Path = msgspec.field(default_factory=user_data_folder)
    """The folder of the embedded store and of the signing key."""
    redis_url: str | None = None
    """A Redis, Valkey, cluster or Sentinel to use instead of the embedded store."""
    archive: str | None = None
    """Where matches go that are over: a folder, or ``s3://bucket/prefix``; the data folder's ``archive``."""
    replicas: Annotated[int, Meta(ge=0, le=16)] = 0
    """How many replicas are to confirm a move; receipts say ``replicated:k`` when they did."""
    repair: bool = False
    """Cut off what a power cut or a full disk left half-written at the end of the embedded store's log."""
    workers: Annotated[int, Meta(ge=1, le=64)] = 1
    allow_unsafe: bool = False
    """Accept a store that may lose acknowledged events; receipts then say ``memory``."""
    prefix: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,32}\Z")] = "kleos"
    """The first part of every key in the store."""
    public_url: Annotated[str, Meta(pattern=r"^(https?://[^/ ]+)?\Z")] = ""
    """How clients reach the server (``https://kleos.example``), if that is not what they put in ``Host``."""
    origin: Annotated[str, Meta(pattern=r"^[A-Za-z0-9.:-]{1,100}\Z")] = "kleos"
    """The name under which checkpoints are signed: the host of the service."""
    cors_origins: tuple[str, ...] = ("*",)
    """Web pages of these origins may call the API; tokens are never in cookies, so any may by default."""
    heartbeat: Annotated[float, Meta(gt=0, le=15)] = 10.0
    """Seconds after which a stream that has nothing to tell shows that it is alive."""
    patience: Annotated[float, Meta(gt=0, le=300)] = 30.0
    """Seconds for which a stream waits for a client that takes nothing."""
    rate_player: Annotated[str, Meta(pattern=RATE)] = ""
    """What one player may ask: ``50/1`` is 50 requests in any second at a stretch; empty is no limit."""
    rate_address: Annotated[str, Meta(pattern=RATE)] = ""
    """The same for what comes without a token, by the address it comes from (IPv6: by its /64)."""
    streams_player: Annotated[int, Meta(ge=1)] = 200
    """How many streams and long polls a player may have open at a time, in each process."""
    streams_address: Annotated[int, Meta(ge=1)] = 2000
    """The same for those that were opened without a token, by address."""
    access_log: bool | None = None
    """Log every request as a line of JSON. Left out: unless the standard error is a terminal."""
    oidc_issuer: str | None = None
    """Take the tokens of this identity provider too; needs the other two settings, and `kleos[oidc]`."""
    oidc_audience: str | None = None
    """For whom such tokens must be."""
    oidc_jwks: str | None = None
    """The provider's key set: a file, or an address that begins with https://."""
    webhooks_private: bool = False
    """Let webhooks lead to private addresses and plain HTTP: to try out, never where strangers register."""
    max_body: Annotated[int, Meta(ge=1024)] = 64 * 1024
    """Bytes of a request body beyond which it is refused unread."""


def _folder(_kind: type, text: Any) -> Path:
    return Path(text).expanduser()


def read_settings(environment: Mapping[str, str], **flags: Any) -> Settings:
    """Settings from ``KLEOS_*`` variables, overridden by the ``flags`` that are not None.

    Raises ``SettingsError``.
    """
    known = {PREFIX + field.upper(): field for field in Settings.__struct_fields__}
    wanted: dict[str, Any] = {}
    for name, text in environment.items():
        if not name.startswith(PREFIX):
            continue
        if name not in known:
            raise SettingsError(f"{name} is not a setting; there are: {', '.join(sorted(known))}")
        field = known[name]
        wanted[field] = [part.strip() for part in text.split(",")] if field == "cors_origins" else text
    wanted |= {field: value for field, value in flags.items() if value is not None}
    try:
        settings = msgspec.convert(wanted, Settings, strict=False, dec_hook=_folder)
    except msgspec.ValidationError as error:
        said, _, path = in_json_words(str(error)).partition(" - at `$.")
        field = path.rstrip("`")
        name = PREFIX + field.upper() if field else "a setting"
        raise SettingsError(
            f"{name} (or --{field.replace('_', '-')}): {said[0].lower()}{said[1:]}"
        ) from error
    try:
        objects_at(settings.archive or settings.data)
    except ValueError as error:
        raise SettingsError(f"KLEOS_ARCHIVE (or --archive): {error}") from error
    given = [settings.oidc_issuer, settings.oidc_audience, settings.oidc_jwks]
    if any(given) and not all(given):
        raise SettingsError("KLEOS_OIDC_ISSUER, KLEOS_OIDC_AUDIENCE and KLEOS_OIDC_JWKS are set together")
    if any(given) and find_spec("jwt") is None:
        raise SettingsError("KLEOS_OIDC_ISSUER needs an extra: pip install 'kleos[oidc]'")
    return settings
