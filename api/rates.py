"""Limits of rate: players by themselves, everybody else by address, told in ``RateLimit`` headers.

The headers are those of draft-ietf-httpapi-ratelimit-headers. A request counts once: for the player whose
token is found good, else for the address it came from, so nobody can use up the allowance of another.
"""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

from kleos.api.problems import Problem
from kleos.api.settings import Settings
from kleos.events.allowance import Rate, Taken, take
from kleos.events.store import Store

Headers = dict[str, str]


class Rates:
    """The limits of one service."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._player = Rate.parse(settings.rate_player)
        self._address = Rate.parse(settings.rate_address)

    async def player(self, player: str) -> Headers:
        """Count a request of a player; the headers that say what is left. Raises 429."""
        return await self._count("player", player, self._player)

    async def address(self, address: str) -> Headers:
        """Count a request from an address; the headers that say what is left. Raises 429."""
        return await self._count("address", network(address), self._address)

    async def _count(self, policy: str, who: str, rate: Rate | None) -> Headers:
        if rate is None:
            return {}
        taken = await take(self._store, f"{policy}:{who}", rate)
        headers = _headers(policy, rate, taken)
        if not taken.granted:
            wait = -(-taken.wait // 1000)
            raise Problem(
                "rate_limited",
                f"the limit is {rate.most} requests in {rate.seconds} s for each {policy}",
                headers={**headers, "Retry-After": str(wait)},
                policy=policy,
            )
        return headers


def _headers(policy: str, rate: Rate, taken: Taken) -> Headers:
    return {
        "RateLimit-Policy": f'"{policy}";q={rate.most};w={rate.seconds}',
        "RateLimit": f'"{policy}";r={taken.left};t={-(-taken.wait // 1000)}',
    }


def network(address: str) -> str:
    """Whoever has one IPv6 address has its whole /64."""
    try:
        found = ip_address(address)
    except ValueError:
        return "unknown"
    return str(ip_network((found, 64), strict=False)) if isinstance(found, IPv6Address) else str(found)
