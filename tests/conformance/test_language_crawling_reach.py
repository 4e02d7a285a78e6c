"""Rows 3, 5, 6, 7, 38 and 46 of specs/language-specific-crawling.md §10 as a user reaches them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from aiohttp import web
from msgspec.structs import replace
from tests.cli.test_crawl import phasa
from tests.conformance.test_language_crawling_strategies import knowledge
from tests.conformance.test_language_crawling_web import THESIS
from tests.durability.small_web import ENGLISH, THAI, SmallWeb, collection_for

from phasa.collection import Collection
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.learn.knowledge import read_knowledge, write_arff
from phasa.crawl.run.assembly import judge_of
from phasa.crawl.run.runs import run_collection
from phasa.crawl.seeds import read_seeds
from phasa.frontier.scope import ScopeSettings
from phasa.lab.compare import crawl_on, setup_of
from phasa.lab.curves import MIXED, Ground
from phasa.language.detectors.dictionary import dictionary
from phasa.web.html import read_page
from phasa.web.url import Url


def paths_asked(folder: Path, scope: ScopeSettings, first: str, *others: str) -> set[str]:
    """What a live crawl of one host asks for when its first page has this HTML, and the seeds besides have these."""
    seeds = {"/p/0.html": first} | {f"/seed{number}": html for number, html in enumerate(others)}

    def answer(host: str, path: str) -> web.Response:
        if path == "/robots.txt":
            return web.Response(text="")
        return web.Response(text=f"<p>{THAI * 3} {path}</p>{seeds.get(path, '')}", content_type="text/html")

    small = SmallWeb(1, 1, answer)
    with small.serving():
        addresses = [f"http://h0.example{path}" for path in seeds]
        collection = collection_for(folder / "c", small, seeds=addresses, scope=scope)
        with collection.locked():
            run_collection(collection)
    return {one.path for one in small.arrivals} - {"/robots.txt", *seeds}


@pytest.mark.parametrize("images", [True, False])
def test_row_05_the_links_of_five_tags_are_fetched_by_the_setting_scope_images(tmp_path: Path, images: bool) -> None:
    tags = '<a href="/a">x</a><img src="/img"><map><area href="/area"></map>'
    refresh = '<meta http-equiv="refresh" content="5;url=/meta">'

    def framed(host: str, path: str) -> web.Response:
        # A page with frames has no body, so no text either.
        html = {"/frames": '<frameset><frame src="/frame"></frameset>', "/tags": tags, "/refresh": refresh}
        return web.Response(text=html.get(path, f"<p>{THAI} {path}</p>"), content_type="text/html")

    small = SmallWeb(1, 1, framed)
    with small.serving():
        seeds = [f"http://h0.example/{name}" for name in ("frames", "tags", "refresh")]
        collection = collection_for(tmp_path / "c", small, seeds=seeds, scope=ScopeSettings(images=images))
        with collection.locked():
            run_collection(collection)
    asked = {one.path for one in small.arrivals} - {"/robots.txt", "/frames", "/tags", "/refresh"}
    assert asked == {"/a", "/area", "/frame", "/meta"} | ({"/img"} if images else set())


def test_row_06_the_seven_rules_are_the_setting_scope_form(tmp_path: Path) -> None:
    links = '<a href="/sub/index.html">1</a><a href="/.../b">2</a><a href="/~me">3</a><a href="/c#part">4</a>'
    thesis = paths_asked(tmp_path / "thesis", ScopeSettings(form="thesis"), links)
    assert thesis == {"/sub/", "/b", "/%7Eme", "/c"}
    assert paths_asked(tmp_path / "standard", ScopeSettings(), links) == {"/sub/index.html", "/.../b", "/~me", "/c"}


def test_row_07_length_and_extensions_are_settings_of_the_scope(tmp_path: Path) -> None:
    start = "http://h0.example/"
    longest = "a" * (200 - len(start))
    names = [longest, f"{longest}a", "file.zip", "file.xyz", "page.php"]
    links = "".join(f'<a href="/{name}">x</a>' for name in names)
    assert paths_asked(tmp_path, THESIS, links) == {f"/{longest}", "/page.php"}


def test_row_03_the_links_of_an_initial_group_are_written_as_seeds_with_their_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By `phasa learn starts`: a1 is Γ of the page, whatever the detector of the collection, and a4 = ln 2 after a
    page in the language, 0 after another."""
    mixed = f"{THAI * 3} Bangkok is its name in English, and it is large."
    pages = {
        "/p/0.html": f'<p>{mixed}</p><a href="http://n.example/1">ข่าววันนี้</a><a href="http://n.ac.th/2">news</a>',
        "/en": f'<p>{ENGLISH * 3}</p><a href="http://n.example/3">news</a>',
    }

    def answer(host: str, path: str) -> web.Response:
        if path == "/robots.txt":
            return web.Response(text="")
        return web.Response(text=pages[path], content_type="text/html")

    small = SmallWeb(1, 1, answer)
    with small.serving():
        seeds = [f"http://h0.example{path}" for path in pages]
        scope = ScopeSettings(domains=("h0.example",))
        collection = collection_for(tmp_path / "c", small, seeds=seeds, scope=scope)
        with collection.locked():
            run_collection(collection)
    code, _, _ = phasa(capsys, "learn", "starts", collection.path, "--pages", "2", "-o", tmp_path / "starts.txt")
    assert code == 0
    found = {seed.url: [value or 0.0 for value in seed[1:]] for seed in read_seeds(tmp_path / "starts.txt").seeds}
    gamma = dictionary(collection.profile).gamma
    texts = {path: read_page(html, Url("http://h0.example/")).text for path, html in pages.items()}
    thai, english = gamma(texts["/p/0.html"]), gamma(texts["/en"])
    assert 0.1 < thai < 0.95
    assert found == {
        "http://n.example/1": pytest.approx([thai, gamma("ข่าววันนี้"), 0, math.log(2)], abs=1e-3),
        "http://n.ac.th/2": pytest.approx([thai, 0, 1, math.log(2)], abs=1e-3),
        "http://n.example/3": pytest.approx([english, 0, 0, 0], abs=1e-3),
    }


def test_row_29_a1_of_the_knowledge_base_is_gamma_of_the_page_with_the_link(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `phasa learn` writes it, with the default detector, whose own score of a page is another."""
    mixed = f"{THAI * 3} Bangkok is its name in English, and it is large."

    def answer(host: str, path: str) -> web.Response:
        if path == "/robots.txt":
            return web.Response(text="")
        html = f'<p>{mixed}</p><a href="/next">next</a>' if path == "/p/0.html" else f"<p>{THAI}</p>"
        return web.Response(text=html, content_type="text/html")

    small = SmallWeb(1, 1, answer)
    with small.serving():
        collection = collection_for(tmp_path / "c", small)
        with collection.locked():
            run_collection(collection)
    assert phasa(capsys, "learn", collection.path)[0] == 0
    base = read_knowledge(collection.models_folder / "knowledge.arff")
    gamma = dictionary(collection.profile).gamma(f"{mixed} next")
    assert base.features[:, 0].tolist() == pytest.approx([0.0, gamma], abs=0.0051)  # two decimals


def test_row_38_pages_that_phasa_learn_used_are_left_out_by_the_lab(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`phasa learn` lists them in trained.txt; `phasa lab run --kb` reads it there, `--trained remove` takes them out
    of the web."""
    small = SmallWeb(30, hosts=3)
    with small.serving():
        collection = collection_for(tmp_path / "c", small)
        with collection.locked():
            run_collection(collection)
    assert phasa(capsys, "learn", collection.path, "--pages", "12")[0] == 0
    graph = tmp_path / "web.db"
    assert phasa(capsys, "lab", "graph", "--from", collection.path, "-o", graph)[0] == 0
    kb = collection.models_folder / "knowledge.arff"
    trained = set((collection.models_folder / "trained.txt").read_text(encoding="utf-8").split())
    assert len(trained) == 12
    for treated in ("pass", "remove"):
        found, crawl = crawl_on(Ground(MIXED, "th", graph=graph, kb=kb, trained=treated), "bfs", 30)
        assert found.trained is not None
        assert {found.url(page) for page in np.flatnonzero(found.trained).tolist()} == trained
        assert not {found.url(page) for page in crawl.pages.tolist()} & trained
        wanted = [page for page in range(len(found)) if found.wanted[page] and found.url(page) not in trained]
        if len(crawl.pages):
            share = int(found.wanted[crawl.pages].sum()) / len(wanted)
            assert crawl.coverage(found, len(crawl.pages))[-1] == pytest.approx(share)
    gone = setup_of(Ground(MIXED, "th", graph=graph, kb=kb, trained="remove")).graph
    assert {int(gone.status[gone.find(url)]) for url in trained} == {404}
    words = ("--lang", "th", "--strategies", "nb,bfs", "--pages", "30", "--json")
    code, out, err = phasa(capsys, "lab", "run", "--graph", graph, "--kb", kb, *words)
    assert code == 0, err
    assert json.loads(out)


def test_row_46_a_live_crawl_has_one_label_for_a_page_whatever_the_strategy(tmp_path: Path) -> None:
    """With the published detector it is that of LexTo's dictionary: 1 in 9 words known is Thai, 1 in 11 is not."""
    (tmp_path / "knowledge.arff").write_text(write_arff(knowledge()), encoding="utf-8")
    collection = Collection.create(tmp_path / "web", language="th")
    texts = [THAI, ENGLISH, "แมว " + "x " * 8, "แมว " + "x " * 10, f"{THAI} {ENGLISH}"]
    labels = set()
    for strategy in ("nb", "lswc", "bfs", "hybrid", "a1"):
        chosen = collection.with_settings(
            strategy=strategy, detector="dictionary", knowledge=str(tmp_path / "knowledge.arff")
        )
        judge = judge_of(chosen, collection.profile)
        pages = [replace(read_page(f"<p>{text}</p>", Url("http://a.com/")), charset="utf-8") for text in texts]
        labels.add(tuple(judge.judge(Answer(Kind.PAGE, page=page)).wanted for page in pages))
    assert labels == {(True, False, True, False, True)}
