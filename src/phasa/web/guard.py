"""Which network addresses a fetch may reach, judged on the address that the socket really connects to.

A name is resolved once, every address it has is judged, and the connection goes to one of those very addresses. The
socket factory judges again, so that literal addresses and whatever else finds its way to a connect are covered too.
`allow_private` turns the judgement off.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, NamedTuple

from aiohttp.abc import AbstractResolver, ResolveResult

from phasa.errors import SettingsError

Lookup = Callable[[str], Awaitable[list[str]]]
_LOG = logging.getLogger(__name__)


def _networks(words: str) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(word) for word in words.split())


# The IANA registries of special-purpose addresses, and what is multicast or reserved. Written out, for what Python
# calls global differs from one version to the next. A few blocks in them do reach somewhere (AS112, AMT), but no
# page. Of IPv6 only 2000::/3 is given out at all; in it, 6to4 and Teredo are IPv4 addresses in other clothes.
_SPECIAL_4 = _networks(
    "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 "
    "192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 "
    "203.0.113.0/24 224.0.0.0/4 240.0.0.0/4"
)
_SPECIAL_6 = _networks("2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20")
_GIVEN_OUT_6 = ip_network("2000::/3")


class BlockedAddressError(OSError):
    """An address that a public crawl must not reach."""


@lru_cache(maxsize=16_384)
def is_public(address: str) -> bool:
    """Whether this IP address (text, with or without brackets or zone) belongs to the public internet."""
    try:
        parsed = ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        return parsed in _GIVEN_OUT_6 and not any(parsed in network for network in _SPECIAL_6)
    return not any(parsed in network for network in _SPECIAL_4)


class _Answer(NamedTuple):
    addresses: list[str]
    expires: float
    problem: OSError | None


async def system_lookup(host: str) -> list[str]:
    """The addresses of a name as the operating system resolves it. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@lru_cache(maxsize=16_384)
def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


class Server(NamedTuple):
    """The one server that every request goes to, whatever its address says."""

    address: str
    port: int


def one_server(where: str) -> Server:
    """The server that a setting names as address:port. Raises SettingsError."""
    address, _, port = where.rpartition(":")
    if not (port.isascii() and port.isdigit() and len(port) < 6) or not _is_address(address.strip("[]")):
        raise SettingsError(f"setting 'server': {where!r} is not an address and a port, as 127.0.0.1:8080")
    return Server(address.strip("[]"), int(port))


class GuardedResolver(AbstractResolver):
    """Names to addresses with a cache for good and bad answers; refuses names that lead inside.

    One lookup at a time per name: requests that ask meanwhile share its answer. A name of which *any* address is not
    public is refused as a whole, since the next lookup may well give that one (DNS rebinding). With `server`, every
    name leads there, and a connection to anything else is refused.
    """

    def __init__(
        self,
        lookup: Lookup | None = None,
        *,
        allow_private: bool = False,
        server: Server | None = None,
        seconds: float = 300.0,
        seconds_bad: float = 60.0,
        most: int = 100_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.lookup = lookup or system_lookup
        self.allow_private = allow_private
        self.server = server
        self.seconds = seconds
        self.seconds_bad = seconds_bad
        self.most = most
        self.clock = clock
        self._answers: dict[str, _Answer] = {}
        self._pending: dict[str, asyncio.Task[_Answer]] = {}

    async def addresses(self, host: str) -> list[str]:
        """The addresses of a host name or of a literal address. Raises OSError (BlockedAddressError when refused)."""
        if self.server is not None:
            return [self.server.address]
        answer = self._answers.get(host)
        if answer is None and _is_address(literal := host.strip("[]")):
            answer = _Answer([literal], float("inf"), None)
        if answer is None or answer.expires <= self.clock():
            answer = await self._ask(host)
        if answer.problem is not None:
            raise answer.problem
        self._judge(host, answer.addresses)
        return answer.addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """What aiohttp's connector asks: judged addresses, ready to connect to."""
        wanted = [
            (address, socket.AF_INET6 if ":" in address else socket.AF_INET) for address in await self.addresses(host)
        ]
        results = [
            ResolveResult(
                hostname=host,
                host=address,
                port=self.server.port if self.server else port,
                family=kind,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address, kind in wanted
            if family in (socket.AF_UNSPEC, kind)
        ]
        if not results:
            raise OSError(f"{host} has no address of the wanted family")
        return results

    async def close(self) -> None:
        """Nothing is held open."""

    def open_socket(self, info: tuple[Any, ...]) -> socket.socket:
        """A socket for an address that passes the judgement: the last gate before a connection. Raises OSError."""
        family, kind, protocol, _, where = info
        if self.server is None:
            self._judge(str(where[0]), [str(where[0])])
        elif (ip_address(where[0]), where[1]) != (ip_address(self.server.address), self.server.port):
            raise BlockedAddressError(f"{where[0]}:{where[1]} is not the server that the settings name")
        return socket.socket(family=family, type=kind, proto=protocol)

    def _judge(self, host: str, addresses: list[str]) -> None:
        if self.allow_private:
            return
        for address in addresses:
            if not is_public(address):
                _LOG.info("refused: %s leads to %s, which is not a public address", host, address)
                raise BlockedAddressError(f"{host} leads to {address}, which is not a public address")

    async def _ask(self, host: str) -> _Answer:
        task = self._pending.get(host)
        if task is None:
            task = self._pending[host] = asyncio.ensure_future(self._look_up(host))
            task.add_done_callback(lambda _: self._pending.pop(host, None))
        # One impatient request must not cancel the lookup that others wait for.
        return await asyncio.shield(task)

    async def _look_up(self, host: str) -> _Answer:
        try:
            found = await self.lookup(host)
            problem = None if found else OSError(f"{host} has no address")
        except (OSError, UnicodeError) as trouble:
            found = []
            problem = trouble if isinstance(trouble, OSError) else OSError(f"{host} is no name that can be looked up")
        life = self.seconds if problem is None else self.seconds_bad
        answer = _Answer(found, self.clock() + life, problem)
        if len(self._answers) >= self.most:
            # The oldest tenth goes: dictionaries keep the order of insertion.
            for name in list(self._answers)[: self.most // 10 + 1]:
                del self._answers[name]
        self._answers.pop(host, None)
        self._answers[host] = answer
        return answer
