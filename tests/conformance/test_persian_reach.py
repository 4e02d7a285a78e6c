"""Rows of specs/persian-crawling.md §10 as a user reaches them: `phasa crawl --cycles`, its settings, its figures."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from aiohttp import web
from tests.cli.test_crawl import phasa
from tests.conformance.test_persian_crawl import ENGLISH, PERSIAN
from tests.crawl.strategies.test_persian_weight import changing_web
from tests.crawl.tiny import TinyCrawl, TinyPage
from tests.crawl.wire.tiny_cycles import TinyCycles, WirePage
from tests.durability.small_web import SmallWeb, collection_for

from phasa.collection import Collection
from phasa.crawl.strategies.persian_weight import PersianWeight
from phasa.language.detectors.persian import tokens
from phasa.language.stopwords import stop_words
from phasa.language.training.corpus import Line
from phasa.language.training.resources import write_resources
from phasa.strategy_settings import CycleSettings, ScoreWeights

HUB = "http://hub.ir/"
BIG = [f"http://big.ir/{number}" for number in range(6)]
SITES = [f"http://site{number}.com/" for number in range(6)]
LINKS = ["http://away.fr/", "http://copy.org/a.php", "http://copy.org/b.html", "http://english.net/", *BIG, *SITES]
AFTER = "http://english.net/after"


LETTERS = str.maketrans("0123456789", "ابپتثجچحخد")
"""Pages that differ in their figures alone count as copies."""


def answer(host: str, path: str) -> web.Response:
    """A Persian hub whose links lead to a big site, many small ones, a copy, another language and another domain."""
    url = f"http://{host}{path}"
    if path == "/robots.txt":
        return web.Response(text="")
    links = LINKS if url == HUB else [AFTER] if url == "http://english.net/" else []
    own = "رونوشت" if host == "copy.org" else f"{host} {path}".translate(LETTERS)
    text = (ENGLISH if host == "english.net" else PERSIAN) + own
    anchors = "".join(f'<a href="{link}">پیوند</a>' for link in links)
    return web.Response(text=f"<html><body><p>{text}</p>{anchors}</body></html>", content_type="text/html")


def cycled(
    folder: Path, capsys: pytest.CaptureFixture[str], cycles: int, settings: CycleSettings
) -> tuple[Collection, SmallWeb, str]:
    """The collection after so many cycles, one command each, what was asked of the web, and what was printed last."""
    small = SmallWeb(1, 1, answer)
    out = ""
    with small.serving():
        collection = collection_for(
            folder / "c", small, seeds=[HUB], language="fa", detector="persian", strategy="persian", cycles=settings
        )
        for _ in range(cycles):
            code, out, err = phasa(capsys, "crawl", collection.path, "--cycles", "1", "-q")
            assert code == 0, err
    return collection, small, out


def asked(small: SmallWeb) -> list[str]:
    return [f"http://{one.host}{one.path}" for one in small.arrivals if one.path != "/robots.txt"]


def test_rows_1_2_and_3_a_cycle_fetches_its_batch_and_the_next_command_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Between two commands nothing is in memory: the batch of the second is links that the first one's page had."""
    collection, small, out = cycled(tmp_path, capsys, 3, CycleSettings(batch=5))
    rows = list(csv.DictReader((collection.reports_folder / "cycles.csv").read_text().splitlines()))
    assert [(row["cycle"], row["assigned"]) for row in rows] == [("1", "1"), ("2", "5"), ("3", "5")]
    assert [row["processed"] for row in rows] == ["1", "6", "11"]
    order = asked(small)
    assert order[0] == HUB
    assert set(order[1:6]) < set(LINKS)
    assert len(order) == len(set(order)) == 11
    assert AFTER not in order  # links of the Persian hub go before those of an English page
    assert "cycle" in out


def test_row_11_the_flag_is_stored_with_each_page_and_can_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    collection, _, _ = cycled(tmp_path, capsys, 2, CycleSettings())
    flags = {}
    for url in (HUB, "http://english.net/"):
        code, out, _ = phasa(capsys, "why", collection.path, url, "--json")
        assert code == 0
        flags[url] = json.loads(out)["wanted"]
    assert flags == {HUB: True, "http://english.net/": False}


def test_row_19_the_caps_are_settings_of_the_cycles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, small, _ = cycled(tmp_path, capsys, 3, CycleSettings(pages_per_site=2, sites=4))
    order = asked(small)
    assert len({url.split("/")[2] for url in order}) == 4
    _, small, _ = cycled(tmp_path / "pages", capsys, 3, CycleSettings(pages_per_site=2))
    assert sum(url in BIG for url in asked(small)) == 2


def test_rows_20_21_and_26_domains_copies_and_kinds_are_counted_in_the_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    collection, small, out = cycled(tmp_path, capsys, 2, CycleSettings())
    assert set(asked(small)) == {HUB, *LINKS} - {"http://away.fr/"}
    last = list(csv.DictReader((collection.reports_folder / "cycles.csv").read_text().splitlines()))[-1]
    assert last["parsed"] == str(len(LINKS))
    assert (last["persian"], last["duplicates"], last["dynamic"]) == (str(len(LINKS) - 1), "1", "1")
    assert int(last["static"]) + int(last["dynamic"]) == int(last["parsed"])
    assert sorted(last["persian_by_tld"].split()) == ["com:6", "ir:7", "org:2"]
    assert ".ir 7, .com 6, .org 2" in out


WEIGHTS = ScoreWeights.__struct_fields__


@pytest.mark.parametrize("name", WEIGHTS)
def test_row_13_every_weight_acts_with_and_without_cycles(name: str) -> None:
    none = dict.fromkeys(WEIGHTS, 0.0) | {"random": float(name != "random")}
    seeds = [f"http://h{i}.ir/{i % 3}{'.php' if i % 2 else ''}" for i in range(10)]
    tiny = changing_web() | {f"http://h{i}.ir/{i % 3}.php": TinyPage(1.0, ["http://h5.ir/4"]) for i in range(10)}
    wire = {url: WirePage(url, page.out.urls, page.similarity > 0) for url, page in tiny.items()}
    plain, cycles = [], []
    for weight in (0.0, 1000.0):
        weights = ScoreWeights(**(none | {name: weight}))
        plain.append(TinyCrawl(tiny, PersianWeight(weights, every=5, seed=2)).run(seeds))
        made = TinyCycles(wire, seeds, CycleSettings(batch=6, domains=()), weights, seed=2)
        made.run(30)
        cycles.append(made.fetched)
    for orders in (plain, cycles):
        assert sorted(orders[0]) == sorted(orders[1])
        assert orders[0] != orders[1]


def test_row_13_an_unknown_weight_is_an_error_that_names_the_nearest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = SmallWeb(1, 1, answer)
    with small.serving():
        collection = collection_for(tmp_path / "c", small, seeds=[HUB], language="fa")
        code, _, err = phasa(capsys, "crawl", collection.path, "--strategy", "persian:pagernk=3", "-q")
    assert code != 0
    assert "pagerank" in err
    assert not small.arrivals


def test_row_9_the_list_that_languages_train_writes_has_no_arabic_word_and_logs_its_steps(tmp_path: Path) -> None:
    persian = ["این کتاب است و بود بر مردم", "این خانه است و من بر مردم", "است این در من بر مردم"] * 3
    arabic = ["هذا كتاب من و", "في الدار"]
    lines = [Line("flores", "fa", text) for text in persian] + [Line("flores", "ar", text) for text in arabic]
    built = write_resources(lines, tmp_path)
    written = (tmp_path / "stop-fa-cascade.txt").read_text(encoding="utf-8").splitlines()
    assert tuple(line for line in written if not line.startswith("#")) == built.words
    assert {"این", "است", "مردم"} <= set(built.words)
    assert not set(built.words) & {"من", "و", "بر", *(token for word in stop_words("ar") for token in tokens(word))}
    assert [step.name.split()[0] for step in built.steps[:3]] == ["candidates", "in", "without"]
    counts = [step.words for step in built.steps]
    assert counts == sorted(counts, reverse=True)
