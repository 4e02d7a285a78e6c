"""The real web of bench/debian_web.py, on a small tree of the same shape: two hosts, an address that lies, redirects, a
dead link, robots.txt, content negotiation, HTTP and TLS."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from bench.debian.answers import Web, prefer
from bench.debian.crawls import count, in_lab, truth_of
from bench.debian.fetch import HEAD_BYTES, MissingError, choose, download, unpack
from bench.debian.lab_graph import graph_of
from bench.debian.server import Authority, serving
from bench.debian.sites import SITES, Mount, Site
from bench.debian.survey import Survey, survey

from phasa.collection import Collection
from phasa.crawl.run.crawl_log import read_log
from phasa.crawl.run.runs import run_collection
from phasa.crawl.strategy import Seed
from phasa.frontier.politeness import Politeness
from phasa.web.exchange import Exchange
from phasa.web.fetch import Fetcher
from phasa.web.url import Url

MANUAL, NEWS = "https://manual.example.org", "http://news.example.net"
WEB = (
    Site(
        "manual.example.org",
        (Mount(r"usr/share/doc/manual/(.*)", r"/docs/\1"),),
        languages="/docs/",
        robots="User-agent: *\nDisallow: /docs/en/secret.html\n",
        moved=((r"/old/(.*)", r"/docs/\1"),),
    ),
    Site(
        "news.example.net",
        (Mount(r"usr/share/doc/news/(.*)", r"/\1"),),
        secure=False,
        charset="utf-8",
        variants=True,
    ),
)
THAI = "ภาษาไทยเป็นภาษาราชการของประเทศไทย ประชาชนส่วนใหญ่ใช้ในการพูด อ่าน และเขียนทุกวัน หนังสือพิมพ์และข่าวก็เขียนด้วยภาษานี้ " * 4
ENGLISH = "This page is written in English, for readers who want to know how the manual is to be read. " * 4


def html(text: str, *links: str) -> str:
    anchors = "".join(f'<a href="{link}">{text[:12]}</a> ' for link in links)
    return (
        f"<html><head><meta charset=utf-8><title>{text[:20]}</title></head><body><p>{text}</p>{anchors}</body></html>"
    )


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files as packages would unpack them."""
    top = tmp_path_factory.mktemp("web") / "root"
    doc = top / "usr/share/doc"
    pages = {
        "manual/en/index.html": html(ENGLISH, "a.html", "secret.html", "/docs/a.html", "../th/index.html"),
        "manual/en/a.html": html(ENGLISH, "index.html", "gone.html", "../th", "https://elsewhere.example/x"),
        "manual/en/secret.html": html(ENGLISH),
        "manual/th/index.html": html(THAI, "a.html", "b.html", "http://manual.example.org/docs/th/b.html", "pic.png"),
        "manual/th/b.html": html(THAI, "index.html", f"{NEWS}/page.html"),
        "news/page.en.html": html(ENGLISH, f"{MANUAL}/old/en/"),
        "news/page.th.html": html(THAI, "more.th.html"),
        "news/more.th.html": html(THAI, "page.en.html"),
    }
    for name, text in pages.items():
        (doc / name).parent.mkdir(parents=True, exist_ok=True)
        (doc / name).write_text(text, encoding="utf-8")
    (doc / "manual/th/pic.png").write_bytes(b"\x89PNG")
    (doc / "manual/th/a.html").symlink_to("../en/a.html")  # says Thai, is English
    return top


@pytest.fixture(scope="module")
def web(root: Path) -> Web:
    return Web(root, WEB)


@pytest.fixture(scope="module")
def known(web: Web) -> Survey:
    return survey(web, lambda text: None, lambda text: "th" if "ภาษา" in text else "en", independent=True)


@pytest.fixture(scope="module")
def served(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """address:port of the web, and the file of its authority."""
    authority = Authority()
    ca_file = tmp_path_factory.mktemp("tls") / "ca.pem"
    ca_file.write_bytes(authority.pem)
    ready, done, port = threading.Event(), asyncio.Event(), 0
    loop = asyncio.new_event_loop()

    async def run() -> None:
        nonlocal port
        async with serving(web, authority) as port:
            ready.set()
            await done.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    assert ready.wait(20)
    yield f"127.0.0.1:{port}", ca_file
    loop.call_soon_threadsafe(done.set)
    thread.join(20)
    loop.close()


def body(web: Web, url: str, accept: str = "") -> tuple[int, str]:
    scheme, _, rest = url.partition("://")
    host, _, path = rest.partition("/")
    answer = web.answer(host, f"/{path}", accept, secure=scheme == "https")
    return answer.status, dict(answer.headers).get("Location", answer.body.decode(errors="replace"))


def test_an_address_may_lie(web: Web) -> None:
    assert body(web, f"{MANUAL}/docs/th/a.html") == body(web, f"{MANUAL}/docs/en/a.html")
    assert THAI[:20] in body(web, f"{MANUAL}/docs/th/b.html")[1]


@pytest.mark.parametrize(
    ("url", "goal"),
    [
        ("http://manual.example.org/docs/en/a.html", f"{MANUAL}/docs/en/a.html"),
        (f"{MANUAL}/docs/th", f"{MANUAL}/docs/th/"),
        (f"{MANUAL}/old/en/a.html", f"{MANUAL}/docs/en/a.html"),
    ],
)
def test_redirects(web: Web, url: str, goal: str) -> None:
    assert body(web, url) == (301, goal)


def test_what_is_not_there_is_404(web: Web) -> None:
    for url in (f"{MANUAL}/docs/en/gone.html", f"{NEWS}/robots.txt", "http://elsewhere.example/", f"{MANUAL}/"):
        assert body(web, url)[0] == 404, url
    assert body(web, f"{MANUAL}/../usr/share/doc/manual/en/a.html")[0] == 404


def test_the_client_chooses_the_language(web: Web) -> None:
    for url in (f"{MANUAL}/docs/", f"{NEWS}/page.html", f"{NEWS}/page"):
        assert THAI[:20] in body(web, url, "th,en;q=0.5")[1], url
        assert ENGLISH[:20] in body(web, url, "ja")[1], url
    assert prefer("en;q=0.1, th-TH", ["en", "th"]) == "th"
    assert prefer("pt-BR", ["de", "pt-pt"]) == "pt-pt"
    assert prefer("", ["fr", "de"]) == "de"


def test_types_and_charsets_are_those_of_the_server(web: Web) -> None:
    def kind(host: str, path: str, secure: bool) -> str:
        return dict(web.answer(host, path, secure=secure).headers)["Content-Type"]

    assert kind("manual.example.org", "/docs/en/a.html", True) == "text/html"
    assert kind("news.example.net", "/page.en.html", False) == "text/html; charset=utf-8"
    assert kind("manual.example.org", "/docs/th/pic.png", True) == "image/png"


def ask(url: str, server: str, ca_file: Path | None) -> Exchange:
    async def fetch() -> Exchange:
        async with Fetcher(server=server, ca_file=ca_file, languages="th") as fetcher:
            return await fetcher.fetch(Url(url))

    return asyncio.run(fetch())


def test_http_and_tls_on_one_port(served: tuple[str, Path]) -> None:
    server, ca_file = served
    plain = ask(f"{NEWS}/page.html", server, None)
    secure = ask("http://manual.example.org/docs/th", server, ca_file)
    assert (plain.status, secure.status, len(secure.redirects)) == (200, 200, 2)
    assert "ภาษา" in plain.body.decode()
    assert "ภาษา" in secure.body.decode()


def test_an_authority_is_trusted_only_when_it_is_named(served: tuple[str, Path], tmp_path: Path) -> None:
    server, _ = served
    other = tmp_path / "other.pem"
    other.write_bytes(Authority().pem)
    for ca_file in (None, other):
        assert ask(f"{MANUAL}/docs/en/a.html", server, ca_file).outcome == "tls_error"


def test_the_survey_knows_pages_redirects_and_dead_links(known: Survey) -> None:
    status = {known.urls[row.url]: row.status for row in known.rows}
    language = {known.urls[row.url]: row.language for row in known.rows}
    assert status[f"{MANUAL}/docs/en/gone.html"] == status["https://elsewhere.example/x"] == 404
    assert status["http://manual.example.org/docs/th/b.html"] == 301
    assert language[f"{MANUAL}/docs/th/a.html"] == "en"
    assert language[f"{MANUAL}/docs/th/b.html"] == "th"
    assert all(row.language == row.second for row in known.pages())


def test_live_and_lab_fetch_the_same_web(served: tuple[str, Path], known: Survey, tmp_path: Path) -> None:
    """One crawl to the end each: the same addresses, the same pages in the language."""
    server, ca_file = served
    graph, truth, seeds = graph_of(known, "th"), truth_of(known, "th"), [Seed(f"{MANUAL}/docs/en/index.html")]
    lab = in_lab(graph, "bfs", seeds, 100, truth, 1)
    made = Collection.create(tmp_path / "c", language="th", server=server)
    (made.path / Collection.SEEDS).write_text(f"{seeds[0].url}\n")
    (made.path / "authorities.pem").write_bytes(ca_file.read_bytes())
    settings = msgspec.structs.replace(
        made.settings,
        strategy="bfs",
        allow_private=True,
        ca_file="authorities.pem",
        politeness=Politeness(delay=0.0, address_delay=0.0),
    )
    run_collection(Collection(made.path, settings))
    lines = [line for line in read_log(made.path / Collection.LOG) if line.status]
    live = count((line.url for line in lines), truth, "th")
    asked = set(graph.addresses.asked)  # type: ignore[attr-defined]
    assert {line.url for line in lines} == asked
    assert f"{MANUAL}/docs/en/secret.html" not in asked
    assert (live.fetches, live.pages) == (lab.fetches, lab.pages)
    assert {line.url for line in lines if line.wanted} == {url for url in asked if truth(url) == "th"}


def test_counts_at_the_marks() -> None:
    found = count([f"p{number}" for number in range(600)], lambda url: "th" if url < "p3" else "", "th")
    assert found.fetches == 600
    assert found.after[200] == sum(f"p{number}" < "p3" for number in range(200))
    assert found.per_page == {200: 200}


def package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package file, and a dpkg-deb that only knows how to print its tar."""
    tree = folder / "tree/usr/share/doc/x"
    tree.mkdir(parents=True)
    (tree / "a.html").write_text("a" * 5000)
    (tree / "b.png").write_bytes(b"p" * 5000)
    (tree / "c.html").symlink_to("a.html")
    (tree / "evil.html").symlink_to("../../../../../../etc/passwd")
    with tarfile.open(folder / "x.tar", "w") as archive:
        archive.add(folder / "tree", ".")
    tools = folder / "bin"
    tools.mkdir()
    (tools / "dpkg-deb").write_text('#!/bin/sh\nexec cat "$2"\n')
    (tools / "dpkg-deb").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    return folder / "x.tar"


def test_a_package_is_unpacked_as_far_as_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = package(tmp_path, monkeypatch)
    assert unpack(file, tmp_path / "root") == 1
    doc = tmp_path / "root/usr/share/doc/x"
    assert (doc / "a.html").stat().st_size == 5000
    assert (doc / "b.png").stat().st_size == HEAD_BYTES
    assert (doc / "c.html").read_text() == "a" * 5000
    assert not (doc / "evil.html").is_symlink()


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingError, match="apt-get update"):
        choose([], ["a"], ["b-.+"])
    assert choose(["b-de", "a", "c"], ["a"], ["b-.+"]) == ["a", "b-de"]
    tool = tmp_path / "apt-get"
    tool.write_text("#!/bin/sh\necho 'E: no network here' >&2\nexit 100\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(MissingError, match=r"no a: E: no network here; check the mirror"):
        download(["a"], tmp_path)


def test_the_command_says_what_to_do_first(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "bench" / "debian_web.py"

    def said(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, str(script), "--cache", str(tmp_path), *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        return done.stderr

    assert "run: python bench/debian_web.py fetch" in said("serve")
    (tmp_path / "packages").mkdir()
    assert "no nowhere.example in this web" in said("--hosts", "nowhere.example", "serve")


def test_the_sites_are_told_apart() -> None:
    assert len({site.host for site in SITES}) == len(SITES)
    mounts = [mount for site in SITES for mount in site.mounts]
    assert len({mount.files for mount in mounts}) == len(mounts)
    example = "usr/share/doc/installation-guide-amd64/de/ch01.html"
    assert [place for mount in mounts if (place := mount.place(example))] == ["/manual/de.amd64/ch01.html"]
