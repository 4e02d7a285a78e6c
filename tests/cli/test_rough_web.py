"""A web as it is: one side of a host is broken, addresses move, pages repeat. What each command says of it."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from aiohttp import web
from msgspec.structs import replace
from tests.cli.test_crawl import phasa
from tests.durability.small_web import QUICK, THAI, SmallWeb, collection_for

from phasa.frontier.budgets import Budgets
from phasa.frontier.rules import Rules
from phasa.frontier.scope import Scope, ScopeSettings
from phasa.frontier.sqlite import SqliteFrontier
from phasa.settings import write_settings

WAITS_BRIEFLY = Budgets(free_disk_megabytes=0.0, idle_seconds=3.0)


def page(*links: str, words: str = "") -> web.Response:
    body = "".join(f'<a href="{link}">หน้า</a> ' for link in links)
    return web.Response(text=f"<html><p>{THAI * 3}{words}</p>{body}</html>", content_type="text/html")


def broken_https(host: str, path: str) -> web.Response:
    """http answers; https does not: the server speaks no TLS."""
    if path == "/robots.txt":
        return web.Response(text="")
    number = int(path.removeprefix("/p/"))
    secure = [f"https://{host}/s/{number}/{n}" for n in range(20)]
    return page(*secure, *([f"/p/{number + 1}"] if number < 12 else []), words=chr(ord("a") + number) * 9)


def test_a_broken_https_side_does_not_stop_the_http_site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with SmallWeb(0, 1, broken_https).serving() as small:
        path = collection_for(
            tmp_path / "c", small, seeds=["http://a.example/p/0", "https://a.example/s/"], budgets=WAITS_BRIEFLY
        ).path
        code, out, _ = phasa(capsys, "crawl", path, "--quiet")
    assert "13 pages" in out
    assert "261 URLs wait for a robots.txt that cannot be had: https://a.example (robots.txt: tls_error" in out
    assert code == 1
    code, out, _ = phasa(capsys, "status", path)
    assert code == 0
    assert "without rules          261 URLs wait for a robots.txt that cannot be had: https://a.example" in out
    _, out, _ = phasa(capsys, "why", path, "https://a.example/s/3/3")
    assert "waits until the rules of its origin can be had (robots.txt: tls_error; asked again from 20" in out
    _, out, _ = phasa(capsys, "status", path, "--report", "hosts", "--json")
    assert [(row["host"], row["pages"]) for row in json.loads(out)] == [("a.example", 13)]


def test_a_run_that_reached_its_limit_is_not_held_up_by_missing_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with SmallWeb(0, 1, broken_https).serving() as small:
        path = collection_for(tmp_path / "c", small, seeds=["http://a.example/p/0"], budgets=WAITS_BRIEFLY).path
        code, out, _ = phasa(capsys, "crawl", path, "--quiet", "--pages", "5")
    assert code == 0
    assert "5 pages" in out


def test_the_delay_is_that_of_the_host_whatever_the_scheme(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Requests to http come no faster for the https ones between them: connections are counted, not seconds."""
    manners = replace(QUICK, delay=0.15)
    with SmallWeb(0, 1, broken_https).serving() as small:
        path = collection_for(
            tmp_path / "c", small, seeds=["http://a.example/p/0"], budgets=WAITS_BRIEFLY, politeness=manners
        ).path
        phasa(capsys, "crawl", path, "--quiet", "--pages", "6")
    times = [arrival.time for arrival in small.arrivals]
    assert small.most_open == 1
    assert all(later - earlier >= 0.14 for earlier, later in pairwise(times))


def test_a_host_with_a_dot_at_its_end_is_the_host(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def answer(host: str, path: str) -> web.Response:
        assert not host.endswith(".")
        return web.Response(text="") if path == "/robots.txt" else page("http://a.example./", "http://a.example.:80/x")

    with SmallWeb(0, 1, answer).serving() as small:
        path = collection_for(tmp_path / "c", small, seeds=["http://a.example./"]).path
        phasa(capsys, "crawl", path, "--quiet")
    _, out, _ = phasa(capsys, "status", path, "--json")
    numbers = json.loads(out)
    assert (numbers["hosts"], numbers["done"]) == (1, 2)
    _, out, _ = phasa(capsys, "why", path, "http://A.example./x", "--json")
    assert json.loads(out)["url"] == "http://a.example/x"


def two_hosts(host: str, path: str) -> web.Response:
    """Page n links to page n + 1 of its own host and of the other one; the wall leads nowhere."""
    if path == "/robots.txt":
        return web.Response(text="")
    number = int(path.removeprefix("/p/"))
    links = [f"http://{name}.example/p/{number + 1}" for name in "ab"] if number < 5 else []
    return page(*links, "http://c.example/", words=f"{host} " + chr(ord("a") + number) * 9)


def test_a_scope_that_was_widened_takes_back_what_it_had_dropped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with SmallWeb(0, 1, two_hosts).serving() as small:
        narrow = ScopeSettings(domains=("a.example",))
        made = collection_for(tmp_path / "c", small, seeds=["http://a.example/p/0"], scope=narrow)
        path = made.path
        phasa(capsys, "crawl", path, "--quiet")
        _, out, _ = phasa(capsys, "status", path)
        assert "dropped by scope" not in out, "nothing was changed"
        wide = made.with_settings(scope=ScopeSettings(domains=("a.example", "b.example")))
        made.settings_file.write_text(write_settings(wide.settings), encoding="utf-8")
        _, out, _ = phasa(capsys, "status", path)
        assert "6 addresses were dropped by the scope as it was; --rescope takes back 5 of them" in out
        # A start that was killed after its first transaction: the next one goes on.
        frontier = SqliteFrontier(made.frontier_file, Rules(scope=Scope(wide.settings.scope)))
        assert frontier.rescope(0, 2).taken == 1
        frontier.close()
        code, out, err = phasa(capsys, "crawl", path, "--quiet", "--rescope")
        assert code == 0
        assert "4 addresses that the scope had refused wait again" in err
        assert "11 pages" in out
    _, out, _ = phasa(capsys, "status", path, "--json")
    numbers = json.loads(out)
    assert (numbers["pages"], numbers["dropped"], numbers["dropped_by_scope"]) == (11, 1, "")
    _, out, _ = phasa(capsys, "why", path, "http://b.example/p/3", "--json")
    assert json.loads(out)["state"] == "done"


def test_a_host_may_have_a_delay_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manners = replace(QUICK, delay=0.0, delays={"b.example": 0.3})
    with SmallWeb(0, 1, two_hosts).serving() as small:
        path = collection_for(tmp_path / "c", small, seeds=["http://a.example/p/0"], politeness=manners).path
        phasa(capsys, "crawl", path, "--quiet")
    slow = [arrival.time for arrival in small.arrivals if arrival.host == "b.example"]
    assert len(slow) == 6, "its robots.txt and five pages"
    assert all(later - earlier >= 0.29 for earlier, later in pairwise(slow))
    _, out, _ = phasa(capsys, "status", path)
    assert "delays                 b.example 0.3 s\n" in out
    _, out, _ = phasa(capsys, "why", path, "http://b.example/p/1")
    assert "0.3 s, or what its robots.txt asks for (set for b.example)" in out


def test_a_delay_that_cannot_be_is_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = collection_for(tmp_path / "c", SmallWeb(1, 1)).path
    text = (path / "collection.toml").read_text()
    (path / "collection.toml").write_text(text.replace("delays = {  }", 'delays = { "b.example" = -1 }'))
    code, _, err = phasa(capsys, "status", path)
    assert code == 1
    assert "politeness" in err
    assert "-1 seconds for 'b.example' are not between 0 and a day" in err
