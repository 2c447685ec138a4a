"""Tokens of an identity provider: taken if all of it is right, and for nobody else otherwise."""

import base64
import hashlib
import hmac
import json
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from kleos.api.identity import Identities
from kleos.api.oidc import REFRESH, Provider, player_of
from kleos.api.settings import SettingsError, read_settings
from kleos.events.accounts import Accounts
from kleos.events.store import Store

pytestmark = pytest.mark.anyio

ISSUER, AUDIENCE = "https://id.example", "kleos"
KEYS: dict[str, Any] = {
    "RS256": rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": Ed25519PrivateKey.generate(),
}
_FORMS: dict[str, Any] = {"RS256": RSAAlgorithm, "ES256": ECAlgorithm, "EdDSA": OKPAlgorithm}


def key_set(*names: str) -> str:
    keys = [
        {**_FORMS[name].to_jwk(KEYS[name].public_key(), as_dict=True), "kid": name, "alg": name}
        for name in names
    ]
    return json.dumps({"keys": keys})


def token(signed: str = "RS256", /, kid: str | None = None, **changes: Any) -> str:
    now = int(time.time())
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "u1", "name": "Ariadne", "iat": now, "exp": now + 600}
    told = {claim: value for claim, value in (claims | changes).items() if value is not None}
    return jwt.encode(told, KEYS[signed], algorithm=signed, headers={"kid": kid or signed})


def _confused(claims: str) -> str:
    """Signed by the public key, as if it were a secret."""
    header = base64.urlsafe_b64encode(b'{"alg":"HS256","kid":"RS256"}').decode().rstrip("=")
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    public = KEYS["RS256"].public_key().public_bytes(serialization.Encoding.PEM, form)
    mac = hmac.digest(public, f"{header}.{claims}".encode(), hashlib.sha256)
    return f"{header}.{claims}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}"


class Tick:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def jwks(tmp_path: Path) -> Path:
    file = tmp_path / "jwks.json"
    file.write_text(key_set(*KEYS))
    return file


def provider(store: Store, jwks: Path, clock: Tick | None = None) -> Provider:
    return Provider(Accounts(store), ISSUER, AUDIENCE, str(jwks), clock=clock or Tick())


@pytest.mark.parametrize("name", sorted(KEYS))
async def test_a_subject_is_the_same_player_every_time(store: Store, jwks: Path, name: str) -> None:
    identities = Identities(Accounts(store), provider(store, jwks))
    player = await identities.authenticate(token(name))
    assert player is not None
    assert (player.id, player.name, player.scope.kind) == (player_of(ISSUER, "u1"), "Ariadne", "full")
    again = await identities.authenticate(token(name, name="Somebody else"))
    assert again == player
    other = await identities.authenticate(token(name, sub="u2"))
    assert other is not None
    assert other.id != player.id


async def test_our_own_tokens_are_good_beside_them(store: Store, jwks: Path) -> None:
    accounts = Accounts(store)
    player, own = await accounts.register("Bacchus")
    assert await Identities(accounts, provider(store, jwks)).authenticate(own) == player


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://evil.example"},
        {"aud": "somebody"},
        {"exp": 1},
        {"nbf": int(time.time()) + 3600},
        {"exp": None},
        {"sub": None},
        {"aud": None},
        {"iss": None},
        {"sub": ""},
        {"sub": "x" * 256},
    ],
)
async def test_a_token_with_one_thing_wrong_is_nobodys(store: Store, jwks: Path, changes: Any) -> None:
    assert await provider(store, jwks).authenticate(token(**changes)) is None


async def test_forged_signatures_are_nobodys(store: Store, jwks: Path) -> None:
    asked = provider(store, jwks)
    assert await asked.authenticate(token("ES256", kid="RS256")) is None
    header, claims, signature = token().split(".")
    assert await asked.authenticate(f"{header}.{claims}.{signature[:-4]}AAAA") is None
    unsigned = jwt.encode({"iss": ISSUER}, "", algorithm="none", headers={"kid": "RS256"})
    assert await asked.authenticate(unsigned) is None
    assert await asked.authenticate(_confused(claims)) is None
    for nonsense in ("..", "a.b.c", "\u03ba.\u03bb.\u03bc"):
        assert await asked.authenticate(nonsense) is None


async def test_new_keys_of_the_provider_are_found_and_looked_for_now_and_then(
    store: Store, jwks: Path
) -> None:
    clock = Tick()
    jwks.write_text(key_set("RS256"))
    asked = provider(store, jwks, clock)
    assert await asked.authenticate(token("RS256")) is not None
    jwks.write_text(key_set("ES256"))
    assert await asked.authenticate(token("ES256")) is None, "looked a moment ago"
    clock.now += REFRESH
    assert await asked.authenticate(token("ES256")) is not None
    assert await asked.authenticate(token("RS256")) is None, "withdrawn by the provider"
    jwks.unlink()
    clock.now += REFRESH
    assert await asked.authenticate(token("EdDSA")) is None
    assert await asked.authenticate(token("ES256")) is not None, "a provider that is away takes nothing back"


async def test_a_name_that_is_not_shown_is_replaced(store: Store, jwks: Path) -> None:
    player = await provider(store, jwks).authenticate(token(name="\u202eevil"))
    assert player is not None
    assert player.name.startswith("Player ")


def test_the_settings_go_together() -> None:
    with pytest.raises(SettingsError, match="set together"):
        read_settings({"KLEOS_OIDC_ISSUER": ISSUER})
    whole = {"ISSUER": ISSUER, "AUDIENCE": AUDIENCE, "JWKS": "keys.json"}
    settings = read_settings({f"KLEOS_OIDC_{name}": value for name, value in whole.items()})
    assert settings.oidc_issuer == ISSUER
