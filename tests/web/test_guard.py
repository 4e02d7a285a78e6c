"""Which addresses may be reached, and the cache of names in front of them."""

from __future__ import annotations

import asyncio
import socket

import pytest
from tests.hostile.server import HostileServer

from phasa.errors import SettingsError
from phasa.web.fetch import Fetcher
from phasa.web.guard import BlockedAddressError, GuardedResolver, is_public, one_server
from phasa.web.url import Url


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.255.0.9", "10.0.0.1", "172.16.5.5", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "100.127.255.255", "0.0.0.0", "0.1.2.3", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
        "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1",
        "fd12:3456::1", "fec0::1", "ff02::1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "::10.0.0.1", "64:ff9b::a00:1",
        "64:ff9b:1::1", "2002:0a00:0001::", "2001::1", "2001:db8::1", "[::1]", "not an address", "",
    ],
)  # fmt: skip
def test_addresses_that_are_refused(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1", "2606:4700::1111"])
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(address)


class Names:
    """A name server in memory that counts."""

    def __init__(self, **names: list[str]) -> None:
        self.names = {name.replace("_", "."): addresses for name, addresses in names.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str) -> list[str]:
        self.asked.append(host)
        await asyncio.sleep(0)
        if host not in self.names:
            raise OSError(f"{host}: no such name")
        return self.names[host]


async def test_a_name_with_one_private_address_is_refused() -> None:
    resolver = GuardedResolver(Names(a_example=["93.184.216.34", "10.0.0.1"]))
    with pytest.raises(BlockedAddressError, match=r"10\.0\.0\.1"):
        await resolver.addresses("a.example")


async def test_names_are_looked_up_once_until_their_time_is_over() -> None:
    now = [0.0]
    names = Names(a_example=["93.184.216.34"])
    resolver = GuardedResolver(names, seconds=300, clock=lambda: now[0])
    assert await resolver.addresses("a.example") == ["93.184.216.34"]
    await asyncio.gather(*(resolver.addresses("a.example") for _ in range(5)))
    assert names.asked == ["a.example"]
    now[0] = 301.0
    await resolver.addresses("a.example")
    assert names.asked == ["a.example"] * 2


async def test_questions_at_the_same_time_share_one_lookup() -> None:
    names = Names(a_example=["93.184.216.34"])
    resolver = GuardedResolver(names)
    await asyncio.gather(*(resolver.addresses("a.example") for _ in range(10)))
    assert names.asked == ["a.example"]


async def test_a_name_that_does_not_exist_is_remembered_for_a_while() -> None:
    now = [0.0]
    names = Names()
    resolver = GuardedResolver(names, seconds_bad=60, clock=lambda: now[0])
    for _ in range(3):
        with pytest.raises(OSError, match="no such name"):
            await resolver.addresses("gone.example")
    assert names.asked == ["gone.example"]
    now[0] = 61.0
    with pytest.raises(OSError, match="no such name"):
        await resolver.addresses("gone.example")
    assert len(names.asked) == 2


async def test_the_cache_does_not_grow_without_bound() -> None:
    async def anything(_: str) -> list[str]:
        return ["93.184.216.34"]

    resolver = GuardedResolver(anything, most=100)
    for number in range(1000):
        await resolver.addresses(f"h{number}.example")
    assert len(resolver._answers) <= 100


async def test_the_socket_is_the_last_gate() -> None:
    resolver = GuardedResolver()
    with pytest.raises(BlockedAddressError):
        resolver.open_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 80)))
    resolver.open_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("8.8.8.8", 80))).close()


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://2130706433:{port}/",
        "http://0x7f.1:{port}/",
        "http://0:{port}/",
        "http://localhost:{port}/",
        "http://inside.example:{port}/",
    ],
)
async def test_no_spelling_of_an_inner_address_is_reached(address: str) -> None:
    from phasa.web.url import parse

    async def names(host: str) -> list[str]:
        return ["127.0.0.1"]

    async with HostileServer() as server, Fetcher(resolver=names) as fetcher:
        target = parse(address.format(port=server.port))
        assert target
        assert (await fetcher.fetch(target)).outcome == "blocked_address"
        assert server.requests == []


@pytest.mark.parametrize("inner", ["http://127.0.0.1:{port}/", "http://[::ffff:10.0.0.1]/", "http://inside.example/"])
async def test_a_redirect_inside_is_refused(inner: str) -> None:
    """The first hop is let through as if it were public; what it points to is judged on its own."""

    async def names(host: str) -> list[str]:
        return ["10.0.0.1"] if host == "inside.example" else ["127.0.0.1"]

    async with HostileServer() as server, Fetcher(resolver=names) as fetcher:
        judge = fetcher.resolver._judge

        def lenient(host: str, addresses: list[str]) -> None:
            if len(server.requests) == 0:
                return
            judge(host, addresses)

        fetcher.resolver._judge = lenient  # type: ignore[method-assign]
        exchange = await fetcher.fetch(
            Url(f"http://front.example:{server.port}/to?where={inner.format(port=server.port)}")
        )
        assert exchange.outcome == "blocked_address"
        assert [hop.status for hop in exchange.hops] == [302]
        assert len(server.requests) == 1


async def test_the_fetcher_tells_the_address_of_a_host() -> None:
    async with Fetcher(resolver=Names(a_example=["93.184.216.34"], b_example=["10.0.0.1"])) as fetcher:
        assert await fetcher.address("a.example") == "93.184.216.34"
        assert await fetcher.address("b.example") is None
        assert await fetcher.address("c.example") is None


async def test_one_server_stands_for_every_name() -> None:
    resolver = GuardedResolver(server=one_server("127.0.0.1:8090"))
    found = await resolver.resolve("www.example.co.th", 80)
    assert [(one["host"], one["port"], one["hostname"]) for one in found] == [("127.0.0.1", 8090, "www.example.co.th")]


@pytest.mark.parametrize("where", ["", "8090", "127.0.0.1", "127.0.0.1:", ":8090", "127.0.0.1:http", "localhost:8090"])
def test_a_server_needs_an_address_and_a_port(where: str) -> None:
    with pytest.raises(SettingsError, match="server"):
        one_server(where)


async def test_a_refusal_is_logged_with_the_name_and_the_address(caplog: pytest.LogCaptureFixture) -> None:
    async def inside(host: str) -> list[str]:
        return ["10.0.0.7"]

    with caplog.at_level("INFO", "phasa.web"), pytest.raises(BlockedAddressError):
        await GuardedResolver(inside).addresses("intern.example")
    assert "intern.example leads to 10.0.0.7" in caplog.text
