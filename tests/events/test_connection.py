"""Where keys live, and how a server is reached."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from kleos.events.address import Address
from kleos.events.connection import Connection, StoreUnavailable


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("redis://example.org", "example.org:6379"),
        ("rediss://:s%40cret@h:1", "h:1"),
        ("redis://me:secret@h", "h:6379"),
        ("unix:///tmp/a%20b.sock?db=2", "/tmp/a b.sock"),
        ("redis+sentinel://me:secret@a,b:1/kleos", "kleos@a,b:1"),
    ],
)
def test_an_address_tells_the_place_but_not_how_to_enter(url: str, place: str) -> None:
    address = Address.parse(url)
    assert str(address) == place
    assert "cret" not in f"{address} {address!r}"


@pytest.mark.anyio
async def test_a_database_of_its_own_keeps_its_keys_apart(store_url: str, prefix: str) -> None:
    first, second = await Connection.open(store_url), await Connection.open(f"{store_url}?db=1")
    await second.call(prefix, "SET", prefix, "here")
    assert await second.call(prefix, "GET", prefix) == b"here"
    assert await first.call(prefix, "GET", prefix) is None
    await first.close()
    await second.close()


# TLS: the bundled server has none, so something in front of it speaks it, as with many hosted ones.


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for 127.0.0.1 that signs itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "the store of a test")])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / "certificate.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture
async def tls_url(store_url: str, certificate: Path) -> AsyncIterator[str]:
    """The embedded server behind TLS."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while received := await reader.read(1 << 16):
            writer.write(received)
        writer.close()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream, downstream = await asyncio.open_unix_connection(unquote(urlsplit(store_url).path))
        ends = await asyncio.gather(
            carry(reader, downstream), carry(upstream, writer), return_exceptions=True
        )
        assert all(end is None or isinstance(end, OSError) for end in ends)

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    listener = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context)
    yield f"rediss://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    listener.close()


@pytest.mark.anyio
async def test_a_server_behind_tls_is_reached_if_its_certificate_is_trusted(
    tls_url: str, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoreUnavailable, match="certificate"):
        await Connection.open(tls_url, patience=0.1)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    connection = await Connection.open(tls_url)
    assert await connection.call("k", "ECHO", bytes(100_000)) == bytes(100_000)
    await connection.close()
