"""Pages that broke a crawl (issue 16): each costs itself alone, and says what became of it."""

from __future__ import annotations

import gzip
import resource
from collections.abc import Mapping
from pathlib import Path

import pytest
from aiohttp import web
from tests.durability.small_web import THAI, LoopbackHosts, SmallWeb, collection_for, command, finish
from tests.sandbox.deeds import CRASH

from phasa.archive.reader import get
from phasa.collection import Collection
from phasa.crawl.run.explain import explain
from phasa.crawl.run.runs import Run, run_collection
from phasa.errors import SettingsError
from phasa.frontier.scope import ScopeSettings
from phasa.web.limits import Limits

HOST = "http://h0.example"


def small_web(files: Mapping[str, bytes | web.Response]) -> SmallWeb:
    def answer(host: str, path: str) -> web.Response:
        content = files.get(path)
        if isinstance(content, bytes):
            return web.Response(body=content, content_type="text/html")
        if content is not None:
            return web.Response(body=content.body, status=content.status, headers=content.headers)
        if path.startswith("/chain"):
            number = int(path.partition("=")[2] or 0)
            return web.Response(status=302, headers={"Location": f"/chain?n={number + 1}"})
        return web.Response(status=404, text="not here")

    return SmallWeb(1, hosts=1, handler=answer)


def crawl(path: Path, small: SmallWeb, seeds: tuple[str, ...], **changes: object) -> tuple[Collection, Run]:
    collection = collection_for(path / "c", small, seeds=[HOST + seed for seed in seeds], **changes)
    with collection.locked():
        return collection, run_collection(collection)


def page(*links: str) -> bytes:
    return f"<p>{THAI}</p>{''.join(f'<a href={link}>x</a>' for link in links)}".encode()


def test_a_page_that_ends_the_parser_is_recorded_kept_and_never_asked_again(tmp_path: Path) -> None:
    small = small_web({"/": page("/bad", "/good"), "/bad": CRASH, "/good": page("/after"), "/after": page()})
    with small.serving():
        collection, run = crawl(tmp_path, small, ("/",))
        assert run.metrics.pages == 3, "the crawl goes on by itself"
        story = explain(collection, HOST + "/bad")
        assert (story.state, story.why) == ("done", "fetched: parser_crashed: SIGSEGV")
        kept = get(collection.archive_folder, HOST + "/bad")
        assert kept is not None
        assert kept.body == CRASH
        with collection.locked():
            run_collection(collection)
    assert [arrival.path for arrival in small.arrivals].count("/bad") == 1
    assert "parser_crashed:_SIGSEGV" in collection.log_file.read_text()


def test_the_commands_name_the_page_that_ends_the_parser_and_go_on(tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.html", tmp_path / "good.html"
    bad.write_bytes(CRASH)
    good.write_bytes(page())
    code, out, err = finish(command("detect", bad, good))
    assert (code, out.split("\t")[:2]) == (1, [str(good), "th"])
    assert err.splitlines() == [f"phasa: {bad}: parser_crashed: SIGSEGV"]


@pytest.mark.parametrize(
    ("limits", "words"), [(Limits(parse_megabytes=16), "16 MB"), (Limits(parse_seconds=0.02), "0.02 seconds")]
)
def test_a_page_that_takes_too_much_memory_or_time_is_recorded(tmp_path: Path, limits: Limits, words: str) -> None:
    large = b"<p><a title=x>x</a>" * 100_000
    small = small_web({"/": page("/large", "/good"), "/large": large, "/good": page()})
    with small.serving():
        collection, run = crawl(tmp_path, small, ("/",), limits=limits)
    assert run.metrics.pages == 2
    assert explain(collection, HOST + "/large").why == f"fetched: parser_crashed: took more than {words}"


def test_a_long_base_makes_no_long_links(tmp_path: Path) -> None:
    links = b"".join(b"<a href=%d>x</a>" % number for number in range(5000))
    small = small_web({"/": b"<base href='/" + b"b" * 400_000 + b"/'>" + links, "/0": page()})
    with small.serving():
        collection, run = crawl(tmp_path, small, ("/",))
    assert collection.frontier_file.stat().st_size < 5_000_000
    assert run.metrics.waiting + run.metrics.done < 5100
    assert explain(collection, HOST + "/0").state == "done", "a base that is too long is none"


def test_a_packed_body_of_many_members_is_a_bomb(tmp_path: Path) -> None:
    members = gzip.compress(b"<p>x") * 50_000
    packed = web.Response(body=members, headers={"Content-Encoding": "gzip", "Content-Type": "text/html"})
    small = small_web({"/": page("/packed"), "/packed": packed})
    with small.serving():
        collection, _ = crawl(tmp_path, small, ("/",))
    assert "bomb" in explain(collection, HOST + "/packed").why


def test_a_chain_of_redirects_ends(tmp_path: Path) -> None:
    small = small_web({"/": page("/chain?n=0")})
    with small.serving():
        collection, _ = crawl(tmp_path, small, ("/",), limits=Limits(redirect_chain=7))
        asked = [arrival.path for arrival in small.arrivals if arrival.path.startswith("/chain")]
        assert asked == [f"/chain?n={number}" for number in range(8)]
        assert explain(collection, f"{HOST}/chain?n=7").why == "fetched: redirect_limit"
        with collection.locked():
            run_collection(collection)
        assert len([arrival for arrival in small.arrivals if arrival.path.startswith("/chain")]) == 8


def test_a_host_that_is_nothing_but_www_has_a_surt(tmp_path: Path) -> None:
    small = small_web({"/": page("http://www./", "http://www./x", "/good"), "/good": page()})
    with small.serving():
        scope = ScopeSettings(not_surts=("org,",))
        collection, run = crawl(tmp_path, small, ("/",), scope=scope)
    assert run.metrics.pages >= 2
    assert explain(collection, "http://www./").state == "done"


def test_more_hosts_than_open_files(tmp_path: Path) -> None:
    """Connections are kept for a next request as far as files last."""
    small = SmallWeb(400, hosts=400)
    with small.serving():
        collection = collection_for(tmp_path / "c", small)
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        process = command(
            "crawl", collection.path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))
        )
        code, _, err = finish(process)
    assert most > 200
    assert code == 0, err
    assert len({arrival.host for arrival in small.arrivals}) == 400


@pytest.mark.soak
def test_three_thousand_hosts_and_a_thousand_open_files(tmp_path: Path) -> None:
    """The attack at its own size: hosts with an address each, so that none shares a connection with another."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))  # for the server, which is in this process
    small = LoopbackHosts(3000, hosts=3000)
    try:
        with small.serving():
            collection = collection_for(tmp_path / "c", small, server="")
            process = command(
                "crawl", collection.path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
            )
            code, _, err = finish(process, timeout=1800.0)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert code == 0, err
    assert len({arrival.host for arrival in small.arrivals}) == 3000
    assert sum(arrival.path != "/robots.txt" for arrival in small.arrivals) == 3000
    assert "too many open files" not in err.lower()


@pytest.mark.parametrize("contact", ["me@example.org\\r\\nX: y", "a\\u0000b", "line\\n"])
def test_a_contact_of_two_lines_is_a_wrong_setting(tmp_path: Path, contact: str) -> None:
    made = Collection.create(tmp_path / "c")
    text = made.settings_file.read_text().replace('contact = ""', f'contact = "{contact}"')
    made.settings_file.write_text(text)
    code, _, err = finish(command("crawl", made.path))
    assert code == 1
    assert "contact" in err
    assert "Traceback" not in err
    with pytest.raises(SettingsError, match="contact"):
        Collection.create(tmp_path / "d", contact="a\r\nb")


def test_a_server_of_the_settings_gets_every_request_literal_addresses_too(tmp_path: Path) -> None:
    targets = ("http://127.0.0.2:1/a", "http://10.1.2.3/b", "http://[::1]:1/c", "http://93.184.216.34/d")
    files = {"/": page(*targets), "/a": page(), "/b": page(), "/c": page(), "/d": page()}
    small = small_web(files)
    with small.serving():
        _, run = crawl(tmp_path, small, ("/",), allow_private=False)
    assert run.metrics.pages == 5
    hosts = {arrival.host for arrival in small.arrivals if arrival.path in ("/a", "/b", "/d")}
    assert hosts == {"127.0.0.2", "10.1.2.3", "93.184.216.34"}
