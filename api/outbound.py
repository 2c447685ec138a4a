"""Requests to addresses that strangers gave us: they must not reach what only we can reach.

A name is resolved once; unless every address it has is a public one, nothing is sent; and the connection goes
to the address that was looked at, so that a name cannot change its mind. Redirects are not followed, answers
are read no further than their status. Must not know what is sent, or why.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Final
from urllib.parse import SplitResult, urlsplit

TIMEOUT: Final = 10.0
"""Seconds from the look-up of the name to the status."""
RESOLVERS: Final = 16
"""Names that are looked up at once. A server of names that never answers must not use up the threads in which
bots think.
"""
_STATUS_LINE: Final = re.compile(rb"HTTP/1\.[0-9] ([1-9][0-9]{2})[ \r\n]")
_SWITCHING: Final = 101
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_UNICAST = ipaddress.ip_network("2000::/3")
"""What of IPv6 is given out to anybody at all."""
_SPECIAL = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")))
"""Not for the open internet (IANA's registries of special addresses), which not every Python knows."""
_lookups = ThreadPoolExecutor(RESOLVERS, thread_name_prefix="lookup")


class Refused(Exception):
    """The address is not one that may be asked; the text says why."""


class Unanswered(Exception):
    """No answer came; the text says why, and nothing of what is behind the address."""


def checked(url: str, *, private: bool) -> SplitResult:
    """The parts of a URL that may be asked; ``private`` allows plain HTTP, for trying out and for tests."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise Refused(f"not a URL: {error}") from None
    if parts.scheme != "https" and not (private and parts.scheme == "http"):
        raise Refused(f"the URL begins with https://{' or http://' * private}")
    if not parts.hostname or port == 0 or parts.username is not None or parts.password is not None:
        raise Refused("the URL names a host, and no user")
    if not url.isascii() or any(each <= " " or each == "\x7f" for each in url) or parts.fragment:
        raise Refused("the URL is ASCII without spaces, and has no fragment")
    literal = _literal(parts.hostname)
    if literal is not None and not private and not is_public(literal):
        raise Refused("the address is not public")
    return parts


def _literal(host: str) -> str | None:
    """The address that a host already is, also in the old forms (``127.1``); None for a name."""
    with suppress(ValueError):
        return str(ipaddress.ip_address(host))
    with suppress(OSError):
        return socket.inet_ntoa(socket.inet_aton(host))
    return None


def is_public(address: str) -> bool:
    """Whether an address belongs to the open internet, whatever form it is dressed in."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if found in _NAT64:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        if found.teredo is not None or found not in _UNICAST:
            return False
    if any(found in each for each in _SPECIAL if each.version == found.version):
        return False
    return found.is_global and not found.is_multicast and not found.is_reserved


async def _addresses(host: str, port: int) -> list[str]:
    look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    try:
        found = await asyncio.get_running_loop().run_in_executor(_lookups, look_up)
    except (OSError, UnicodeError):
        raise Unanswered("the name cannot be resolved") from None
    return list(dict.fromkeys(str(each[4][0]) for each in found))


async def post(url: str, body: bytes, headers: Mapping[str, str], *, private: bool = False) -> int:
    """POST ``body``; the status of the answer. Raises ``Refused`` or ``Unanswered``."""
    parts = checked(url, private=private)
    assert parts.hostname is not None
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        async with asyncio.timeout(TIMEOUT):
            addresses = await _addresses(parts.hostname, port)
            if not private and not all(is_public(each) for each in addresses):
                raise Refused("the name leads to an address that is not public")
            return await _exchange(parts, addresses[0], port, body, headers)
    except TimeoutError:
        raise Unanswered(f"no answer within {TIMEOUT:g} s") from None
    except ssl.SSLError:
        raise Unanswered("no secure connection") from None
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
        raise Unanswered("no answer") from None


async def _exchange(
    parts: SplitResult, address: str, port: int, body: bytes, headers: Mapping[str, str]
) -> int:
    secure = parts.scheme == "https"
    reader, writer = await asyncio.open_connection(
        address,
        port,
        ssl=ssl.create_default_context() if secure else None,
        server_hostname=parts.hostname if secure else None,
        limit=16 * 1024,
    )
    try:
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        lines = [f"POST {target} HTTP/1.1", f"Host: {parts.netloc}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        lines += [f"Content-Length: {len(body)}", "", ""]
        writer.write("\r\n".join(lines).encode("latin-1") + body)
        await writer.drain()
        return await _status(reader)
    finally:
        writer.close()


async def _status(reader: asyncio.StreamReader) -> int:
    """The status of the final answer; interim ones (1xx but 101, RFC 9110, section 15.2) come before it."""
    while True:
        found = _STATUS_LINE.match(await reader.readuntil(b"\n"))
        if found is None:
            raise Unanswered("the answer is not HTTP/1.1")
        status = int(found[1])
        if status >= 200 or status == _SWITCHING:
            return status
        while (await reader.readuntil(b"\n")).rstrip(b"\r\n"):
            pass
