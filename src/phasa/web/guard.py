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
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any, NamedTuple

from aiohttp.abc import AbstractResolver, ResolveResult

from phasa.errors import SettingsError

Lookup = Callable[[str], Awaitable[list[str]]]
_LOG = logging.getLogger(__name__)

# Refused whatever they embed: an IPv4 address in IPv6 clothes (mapped, compatible, NAT64, 6to4, Teredo) reaches what
# the IPv4 rules forbid, and site-local is private under an old name.
_REFUSED = tuple(
    IPv6Network(network)
    for network in (
        "::ffff:0:0/96",
        "::/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "2002::/16",
        "2001::/32",
        "fec0::/10",
    )
)


class BlockedAddressError(OSError):
    """An address that a public crawl must not reach."""


def is_public(address: str) -> bool:
    """Whether this IP address (text, with or without brackets or zone) belongs to the public internet."""
    try:
        parsed = ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and any(parsed in network for network in _REFUSED):
        return False
    return parsed.is_global and not (parsed.is_multicast or parsed.is_reserved or parsed.is_unspecified)


class _Answer(NamedTuple):
    addresses: list[str]
    expires: float
    problem: OSError | None


async def system_lookup(host: str) -> list[str]:
    """The addresses of a name as the operating system resolves it. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def one_server(where: str) -> tuple[Lookup, int]:
    """The lookup and the port that lead every name to one server, given as address:port. Raises SettingsError."""
    address, _, port = where.rpartition(":")
    if not address or not (port.isascii() and port.isdigit() and len(port) < 6):
        raise SettingsError(f"setting 'server': {where!r} is not an address and a port, as 127.0.0.1:8080")

    async def lookup(name: str) -> list[str]:
        return [address.strip("[]")]

    return lookup, int(port)


class GuardedResolver(AbstractResolver):
    """Names to addresses with a cache for good and bad answers; refuses names that lead inside.

    One lookup at a time per name: requests that ask meanwhile share its answer. A name of which *any* address is not
    public is refused as a whole, since the next lookup may well give that one (DNS rebinding). With `port`, every
    connection goes to that port, whatever the address says.
    """

    def __init__(
        self,
        lookup: Lookup | None = None,
        *,
        allow_private: bool = False,
        port: int = 0,
        seconds: float = 300.0,
        seconds_bad: float = 60.0,
        most: int = 100_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.lookup = lookup or system_lookup
        self.allow_private = allow_private
        self.port = port
        self.seconds = seconds
        self.seconds_bad = seconds_bad
        self.most = most
        self.clock = clock
        self._answers: dict[str, _Answer] = {}
        self._pending: dict[str, asyncio.Task[_Answer]] = {}

    async def addresses(self, host: str) -> list[str]:
        """The addresses of a host name or of a literal address. Raises OSError (BlockedAddressError when refused)."""
        literal = host.strip("[]")
        try:
            ip_address(literal)
        except ValueError:
            answer = self._answers.get(host)
            if answer is None or answer.expires <= self.clock():
                answer = await self._ask(host)
        else:
            answer = _Answer([literal], 0.0, None)
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
                hostname=host, host=address, port=self.port or port, family=kind, proto=0, flags=socket.AI_NUMERICHOST
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
        self._judge(str(where[0]), [str(where[0])])
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
