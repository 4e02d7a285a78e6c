"""robots.txt: Google's own cases, the shape of the RFC, and what happens when a file cannot be had."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile.server import HostileServer

from phasa.web import robots, url
from phasa.web.exchange import Exchange
from phasa.web.fetch import Fetcher
from phasa.web.limits import Limits
from phasa.web.robots import RobotsCache, robots_fetch
from phasa.web.url import Url


def allowed(text: str, path: str, agent: str = "phasa") -> bool:
    return robots.parse(text.encode()).allowed(Url("http://a.example" + path), agent)


# Cases of Google's parser that we answer otherwise, and why.
DISAGREEMENTS = {
    # The data lost a letter: the original pattern is `/foo/bar/ツ`, which turned into `?`. With the letter we agree.
    ("ID_Encoding", "User-agent: FooBot\nDisallow: /\nAllow: /foo/bar/?\n"),
    # Google's function takes an address that its caller has encoded; here it gets a bare `ツ`. RFC 9309 §2.2.2:
    # octets outside US-ASCII must be percent-encoded before comparison, so the rule matches.
    ("ID_Encoding", "User-agent: FooBot\nDisallow: /\nAllow: /foo/bar/%E3%83%84\n"),
}


@pytest.mark.data
def test_googles_cases_agree_but_for_the_listed(data: Path) -> None:
    wrong = set()
    for line in (data / "robots-txt" / "google-robots-cases.jsonl").read_text().splitlines():
        case = json.loads(line)
        address = url.parse(case["url"]) or Url("http://a.example/")
        if robots.parse(case["robots_txt"].encode()).allowed(address, case["user_agent"]) != case["allowed"]:
            wrong.add((case["test"], case["robots_txt"]))
    assert wrong == DISAGREEMENTS


def test_the_lost_letter_put_back_agrees_with_google() -> None:
    assert allowed("User-agent: phasa\nDisallow: /\nAllow: /foo/bar/ツ\n", "/foo/bar/%E3%83%84")


def test_the_longest_rule_counts_and_allow_wins_a_draw() -> None:
    text = "user-agent: *\ndisallow: /a\nallow: /a/b\ndisallow: /a/b/c\ndisallow: /same\nallow: /same"
    assert not allowed(text, "/a/x")
    assert allowed(text, "/a/b/x")
    assert not allowed(text, "/a/b/c")
    assert allowed(text, "/same")
    assert allowed(text, "/elsewhere")


def test_wildcards_and_ends() -> None:
    text = "user-agent: *\ndisallow: /*.pdf$\ndisallow: /p*q*r\ndisallow: /x$\ndisallow: /*?s=\nallow: /free*.pdf$"
    assert not allowed(text, "/d/file.pdf")
    assert allowed(text, "/d/file.pdf?x")
    assert allowed(text, "/free/file.pdf")
    assert not allowed(text, "/p1q2r3")
    assert allowed(text, "/p1r2q3")
    assert not allowed(text, "/x")
    assert allowed(text, "/xy")
    assert not allowed(text, "/find?s=1")


def test_a_draw_between_a_plain_and_a_wild_rule_is_allowed() -> None:
    assert allowed("user-agent: *\ndisallow: /ab\nallow: /a*", "/abc")
    assert allowed("user-agent: *\nallow: /ab\ndisallow: /a*", "/abc")


def test_a_wildcard_bomb_is_decided_at_once() -> None:
    text = "user-agent: *\ndisallow: /" + "*a" * 500 + "$\ndisallow: /" + "*" * 5000 + "z$"
    assert allowed(text, "/" + "a" * 2000 + "b")


def test_groups_belong_to_names() -> None:
    text = (
        "user-agent: other\nuser-agent: phasa\ndisallow: /both\n\nuser-agent: *\ndisallow: /\n\n"
        "user-agent: PHASA/1.0 (x)\ndisallow: /more"
    )
    assert not allowed(text, "/both")
    assert not allowed(text, "/more")
    assert allowed(text, "/else")
    assert not allowed(text, "/else", "stranger")
    assert allowed(text, "/else", "Phasa/2.0")
    assert not allowed(text, "/else", "phas")


def test_robots_txt_itself_is_always_allowed() -> None:
    assert allowed("user-agent: *\ndisallow: /", "/robots.txt")


def test_delay_and_sitemaps_are_read() -> None:
    read = robots.parse(
        b"\xef\xbb\xbfSitemap: http://a.example/s.xml\nuser-agent: phasa\ncrawl-delay: 2.5\ndisallow:\n"
        b"user-agent: *\ncrawl-delay: soon\nsitemap: /rel.xml # c\r\nSITEMAP: http://a.example/s.xml"
    )
    assert read.sitemaps == ("http://a.example/s.xml", "/rel.xml")
    assert read.delay("phasa") == 2.5
    assert read.delay("other") is None


def test_only_the_first_500_kibibytes_count() -> None:
    early = b"user-agent: *\ndisallow: /early\n"
    body = early + b"#" + b"x" * robots.BYTES + b"\ndisallow: /late\n"
    read = robots.parse(body)
    assert not read.allowed(Url("http://a.example/early"), "phasa")
    assert read.allowed(Url("http://a.example/late"), "phasa")


@given(st.binary(max_size=300), st.text(max_size=50))
def test_any_bytes_are_some_robots_txt(body: bytes, path: str) -> None:
    address = url.parse("http://a.example/" + path)
    if address:
        assert robots.parse(b"user-agent: *\n" + body).allowed(address, "phasa") in (True, False)


PATTERN = st.text(alphabet="/ab*$", min_size=1, max_size=8).map(lambda tail: "/" + tail)


@given(st.lists(st.tuples(PATTERN, st.booleans()), max_size=8), st.text(alphabet="/ab", max_size=8))
def test_decisions_equal_the_plain_reading_of_the_rfc(rules: list[tuple[str, bool]], tail: str) -> None:
    """The oracle: every rule as one naive expression, longest pattern wins, allow wins a draw."""
    import re

    text = "user-agent: *\n" + "".join(f"{'allow' if allow else 'disallow'}: {pattern}\n" for pattern, allow in rules)
    path = "/" + tail
    best = (-1, True)
    for pattern, allow in rules:
        anchored = pattern.endswith("$")
        naive = re.escape(pattern[:-1] if anchored else pattern).replace(r"\*", ".*") + (r"\Z" if anchored else "")
        if re.match(naive, path):
            best = max(best, (len(pattern), allow))
    assert allowed(text, path) == best[1]


class Host:
    """A host whose robots.txt we decide."""

    def __init__(self, **answer: object) -> None:
        self.answer = answer
        self.asked: list[str] = []
        self.now = 0.0

    async def fetch(self, address: Url) -> Exchange:
        self.asked.append(address)
        await asyncio.sleep(0)
        return Exchange(url=address, **{"outcome": "ok", **self.answer})  # type: ignore[arg-type]

    def cache(self) -> RobotsCache:
        return RobotsCache(self.fetch, "phasa", clock=lambda: self.now)


PAGE = Url("http://a.example/page")


async def test_rules_are_fetched_once_a_day_per_origin() -> None:
    host = Host(status=200, body=b"user-agent: *\ndisallow: /page\ncrawl-delay: 3")
    cache = host.cache()
    rulings = await asyncio.gather(*(cache.ruling(PAGE) for _ in range(3)))
    assert {ruling.allowed for ruling in rulings} == {False}
    assert rulings[0].delay == 3
    assert rulings[0].reason == "robots.txt"
    assert (await cache.ruling(Url("http://a.example/other"))).allowed
    assert host.asked == ["http://a.example/robots.txt"]
    await cache.ruling(Url("https://a.example/page"))
    await cache.ruling(Url("http://a.example:81/page"))
    assert host.asked[1:] == ["https://a.example/robots.txt", "http://a.example:81/robots.txt"]
    host.now = 24 * 3600 + 1
    await cache.ruling(PAGE)
    assert len(host.asked) == 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
async def test_4xx_means_no_rules(status: int) -> None:
    assert (await Host(status=status).cache().ruling(PAGE)).allowed


@pytest.mark.parametrize("outcome", ["redirect_limit", "redirect_loop", "bad_redirect"])
async def test_too_many_redirects_mean_no_rules(outcome: str) -> None:
    assert (await Host(status=302, outcome=outcome).cache().ruling(PAGE)).allowed


@pytest.mark.parametrize(
    "answer",
    [{"status": 500}, {"status": 503}, {"status": 429}, {"outcome": "dns_error"}, {"outcome": "timeout_first_byte"}],
)
async def test_5xx_and_silence_mean_wait(answer: dict[str, object]) -> None:
    ruling = await Host(**answer).cache().ruling(PAGE)
    assert (ruling.allowed, ruling.wait) == (False, 600.0)


async def test_wait_is_as_long_as_the_server_asks() -> None:
    host = Host(status=503, headers=(("Retry-After", "120"),))
    cache = host.cache()
    assert (await cache.ruling(PAGE)).wait == 120.0
    host.now = 119.0
    await cache.ruling(PAGE)
    assert len(host.asked) == 1
    host.now, host.answer = 121.0, {"status": 200, "body": b""}
    assert (await cache.ruling(PAGE)).allowed


async def test_old_rules_serve_while_new_ones_cannot_be_had() -> None:
    host = Host(status=200, body=b"user-agent: *\ndisallow: /page")
    cache = host.cache()
    await cache.ruling(PAGE)
    host.now, host.answer = 25 * 3600.0, {"status": 500}
    assert not (await cache.ruling(PAGE)).allowed
    assert (await cache.ruling(Url("http://a.example/other"))).allowed


async def test_a_host_inside_is_never_allowed() -> None:
    assert not (await Host(outcome="blocked_address").cache().ruling(PAGE)).allowed


async def test_sitemaps_are_made_absolute() -> None:
    cache = Host(status=200, body=b"sitemap: /s.xml\nsitemap: http://b.example/t.xml\nsitemap: nonsense:x").cache()
    assert await cache.sitemaps(PAGE) == ("http://a.example/s.xml", "http://b.example/t.xml")


async def test_a_gigabyte_of_robots_txt_is_cut_and_obeyed() -> None:
    async with HostileServer() as server, Fetcher(Limits(), allow_private=True) as fetcher:
        fetch = robots_fetch(fetcher)
        exchange = await fetch(server.url("/huge/robots.txt"))
        assert (exchange.outcome, len(exchange.body)) == ("too_large", robots.BYTES)
        assert not robots.parse(exchange.body).allowed(Url("http://a.example/private/"), "phasa")


async def test_rules_that_cannot_be_had_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "phasa.web"):
        await Host(status=503).cache().ruling(PAGE)
    assert "robots.txt: 503; asked again in 600 seconds" in caplog.text
