"""Everything a request may need, opened once and closed once: store, log, accounts, herald, house …"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from typing import TYPE_CHECKING

from kleos.api.conditions import Tags
from kleos.api.house import House
from kleos.api.identity import Identities
from kleos.api.meter import MeteredStore
from kleos.api.rates import Rates
from kleos.api.reporting import Reports
from kleos.api.settings import HEADS_FILE, KEY_FILE, Settings
from kleos.api.stored import archive_of
from kleos.api.telling import Frames
from kleos.api.turnstile import Turnstile
from kleos.api.webhooks import Courier
from kleos.core.match import Match
from kleos.events.accounts import Accounts
from kleos.events.bookmarks import Bookmarks
from kleos.events.erasure import Erasure
from kleos.events.heads import FLUSHED_EVERY, Frozen, Heads
from kleos.events.keys import keys_in, require_same
from kleos.events.ledger import Ledger
from kleos.events.log import Log
from kleos.events.notary import Testimony
from kleos.events.note import Signer
from kleos.events.reading import untraced
from kleos.events.rotation import keys_of
from kleos.events.webhooks import Webhooks
from kleos.events.witnesses import Witnesses
from kleos.projections.catalogue import Catalogue
from kleos.projections.herald import Herald
from kleos.projections.news import NewsDesk
from kleos.projections.ratings import Ratings
from kleos.projections.scribe import Scribe

if TYPE_CHECKING:
    from kleos.api.oidc import Provider
    from kleos.api.tracing import Tracing


class Backend:
    """The open parts. Attributes are what routes use; nothing here is about HTTP."""

    def __init__(
        self,
        settings: Settings,
        store: MeteredStore,
        signer: Signer,
        *,
        secrets: tuple[bytes, ...],
        heads: Heads,
        tracing: Tracing | None = None,
    ) -> None:
        """``secrets`` are what keyed hashes are made with, the newest first; older ones are still taken."""
        self.store = store
        self.signer = signer
        self.heads = heads
        self.tracing = tracing
        self.step = untraced if tracing is None else tracing.step
        self.log = Log(store, signer, heads=heads, step=self.step)
        self.ledger = Ledger(store, signer, heads=heads)
        self.scribe = Scribe(store, self.ledger, signer)
        self.witnesses = Witnesses(store, self.log, signer.name)
        self.accounts = Accounts(store)
        self.bookmarks = Bookmarks(store)
        self.identities = Identities(self.accounts, _provider(self.accounts, settings))
        self.erasure = Erasure(store, self.accounts)
        self.catalogue = Catalogue(store)
        self.herald = Herald(store, self.log)
        self.ratings = Ratings(self.catalogue)
        self.webhooks = Webhooks(store)
        self.courier = Courier(self.webhooks, self.log, private=settings.webhooks_private)
        self.house = House(self.log, self.catalogue)
        self.meter = store.meter
        self.frames = Frames()
        self.turnstile = Turnstile(settings)
        self.news = NewsDesk(store, self.catalogue, self.herald)
        self.rates = Rates(store, settings)
        self.reports = Reports(self.log, self.accounts, keys_of(signer))
        self.tags = Tags(secrets[0])
        self._secrets = secrets

    async def said(self, match: Match) -> Testimony:
        """What there is beside the log; a ledger that is frozen keeps nobody from taking a match along."""
        try:
            ledger = await self.scribe.proof(match.id, match.version)
        except Frozen:
            ledger = None
        return Testimony(ledger, await self.witnesses.of(match.id))

    def invite(self, match: str, invitation: str | None = None) -> str:
        """What is shown on joining: the invitation to a private match, or to a seat that is kept.

        It is a keyed hash, so that nothing secret has to be stored.
        """
        return _invite(self._secrets[0], match, invitation)

    def invited(self, match: str, shown: str) -> tuple[bool, str | None]:
        """Whether what is shown is one of ours for this match, and which invitation it is of, if of one."""
        name, dot, _ = shown.partition(".")
        invitation = name if dot else None
        known = any(
            hmac.compare_digest(shown.encode(), _invite(secret, match, invitation).encode())
            for secret in self._secrets
        )
        return known, invitation if known else None


def _invite(secret: bytes, match: str, invitation: str | None) -> str:
    if invitation is None:
        mac = hmac.digest(secret, b"kleos/invite/v1\0" + match.encode(), hashlib.sha256)
        return urlsafe_b64encode(mac[:18]).decode()
    text = f"{match} {invitation}".encode()
    mac = hmac.digest(secret, b"kleos/invitation/v1\0" + text, hashlib.sha256)
    return f"{invitation}.{urlsafe_b64encode(mac[:18]).decode()}"


def _provider(accounts: Accounts, settings: Settings) -> Provider | None:
    if settings.oidc_issuer is None or settings.oidc_audience is None or settings.oidc_jwks is None:
        return None
    from kleos.api.oidc import Provider  # noqa: PLC0415 - an extra that most do not have

    return Provider(accounts, settings.oidc_issuer, settings.oidc_audience, settings.oidc_jwks)


@asynccontextmanager
async def open_backend(
    settings: Settings, url: str, tracing: Tracing | None = None
) -> AsyncIterator[Backend]:
    """Connect to the store at ``url``, start herald and house; leaves nothing running.

    Processes that share a store share the signing key too, by the data folder: from it come the keyed hashes
    that all of them must agree on.
    """
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    keys = keys_in(settings.data / KEY_FILE)
    secrets = tuple(
        hmac.digest(each.private_bytes_raw(), b"kleos/api/secret/v1", hashlib.sha256) for each in keys.private
    )
    async with AsyncExitStack() as stack:
        store = await MeteredStore.connect(
            url,
            allow_unsafe=settings.allow_unsafe,
            prefix=settings.prefix,
            archive=archive_of(settings),
            replicas=settings.replicas,
        )
        stack.push_async_callback(store.close)
        heads = stack.enter_context(closing(Heads(settings.data / HEADS_FILE)))
        signer = keys.signer(settings.origin)
        require_same(signer, heads, settings.data / KEY_FILE)
        backend = Backend(settings, store, signer, secrets=secrets, heads=heads, tracing=tracing)
        stack.push_async_callback(_ended, asyncio.create_task(_flushed(heads), name="heads"))
        await backend.herald.start()
        stack.push_async_callback(backend.herald.close)
        watch = asyncio.create_task(backend.house.watch(), name="house")
        stack.push_async_callback(_ended, watch)
        courier = asyncio.create_task(backend.courier.watch(), name="courier")
        stack.push_async_callback(_ended, courier)
        stack.push_async_callback(backend.house.close)
        writing = asyncio.create_task(backend.scribe.watch(), name="scribe")
        stack.push_async_callback(_ended, writing)
        tidying = asyncio.create_task(backend.erasure.attend(), name="erasure")
        stack.push_async_callback(_ended, tidying)
        yield backend


async def _flushed(heads: Heads) -> None:
    """Write down what was signed, now and then, for ever."""
    while True:
        await asyncio.sleep(FLUSHED_EVERY)
        heads.flush()


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
