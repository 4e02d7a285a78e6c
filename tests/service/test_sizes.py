"""How large an export will be, said beforehand, beside how large it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.service.conftest import client_of, serving
from tests.service.stock import Piece, mixed, stock
from tests.service.test_start import keep

from phasa.collection import Collection
from phasa.lab.markup import write_page
from phasa.lab.world import World
from phasa.service.search_index import LanguageSize
from phasa.service.sizes import CorpusSample, Estimate, Sizes, estimates

FACTOR = 1.5
"""An estimate is wrong by no more than this, in pages and in bytes."""


def of_world(pages: int) -> list[Piece]:
    """Pages that a generated web has, with their own texts, and a few of them a second time under another address."""
    world = World.from_name("3:2000", "th")
    pieces = []
    for number in range(0, 2000, 2000 // pages):
        made = write_page(world, number)
        language = made.gold.language
        body = made.body.decode(made.codec, "replace")
        for copy in range(2 if number % 5 == 0 else 1):
            url = f"http://h{number % 17}.example.th/{number}-{copy}.html"
            pieces.append(Piece(url, body, language, language == "th", day=number * 20 // 2000))
    return pieces


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return stock(tmp_path_factory.mktemp("sizes") / "web", of_world(250))


def test_estimates_are_near_what_exports_turn_out_to_be(collection: Collection) -> None:
    with client_of(collection) as client:
        assert client.get("/api/collection/sizes").json() == []
        assert "once the pages were read" in client.get("/collection").text
        jobs = client.app.state.service.jobs  # type: ignore[attr-defined]

        def done(path: str, **asked: object) -> tuple[int, int]:
            job = jobs.wait(client.post(path, json=asked).json()["id"], 240)
            assert job.state == "done", job.message
            return int(job.message.partition(" ")[0].replace(",", "")), job.size

        done("/api/collection/index")
        said = {
            (one["form"], one["language"], one["clean"], one["repeats"]): (one["pages"], one["bytes"])
            for one in client.get("/api/collection/sizes").json()
        }
        true = {("wacz", "", False, False): done("/api/collection/exports", format="wacz")}
        for form in ("jsonl", "parquet"):
            for language in ("", "th"):
                true[form, language, False, False] = done("/api/collection/exports", format=form, language=language)
        for clean, repeats in ((True, False), (False, False), (True, True)):
            true["corpus", "th", clean, repeats] = done("/api/collection/corpus", clean=clean, repeats=repeats)
        wrong = {
            what: (said[what], here)
            for what, here in true.items()
            if not all(1 / FACTOR <= told / there <= FACTOR for told, there in zip(said[what], here, strict=True))
        }
        assert wrong == {}
        assert true["corpus", "th", True, True] > true["corpus", "th", True, False]  # the option does something
        page = client.get("/collection").text
        assert page.count("data-of=") >= 4
        assert "about" in page
        assert "ประมาณ" in client.get("/collection?ui=th").text
        assert "نزدیک" in client.get("/collection?ui=fa").text


def test_an_estimate_follows_what_was_counted(empty: Collection) -> None:
    sample = CorpusSample(pages=100, kept=50, bytes=5000, fixed=300)
    sizes = Sizes([LanguageSize("th", 12_345, 98_765, 345), LanguageSize("zz", 10, 70, 0)], 0.5, sample, sample)
    found = estimates(empty, sizes)
    assert Estimate("jsonl", 12_400, 98_800) in found
    assert Estimate("parquet", 12_300, 49_400, "th") in found
    assert Estimate("corpus", 6000, 600_000, "th", clean=True) in found
    assert Estimate("corpus", 6170, 618_000, "th", repeats=True) in found
    assert not [one for one in found if one.form == "wacz" or (one.form == "corpus" and one.language == "zz")]


@pytest.mark.browser
@pytest.mark.parametrize(
    ("locale", "clean", "whole"), [("en-GB", "about 15", "about 30"), ("fa-IR", "نزدیک ۱۵", "نزدیک ۳۰")]
)
def test_the_size_follows_the_options_that_are_chosen(
    browser: Browser, tmp_path: Path, locale: str, clean: str, whole: str
) -> None:
    made = stock(tmp_path / "web", mixed(20))
    sizes = Sizes([LanguageSize("th", 30, 900, 0)], 0.0, CorpusSample(2, 2, 90, 9), CorpusSample(2, 1, 40, 9))
    keep(made, sizes=sizes)
    with serving(made) as link:
        context = browser.new_context(locale=locale)
        page = context.new_page()
        page.goto(f"{link}/collection")
        texts = page.locator("form[data-sizes]", has_text="JSON lines")
        expect(texts.locator(".size:visible")).to_have_count(1)
        texts.locator("select").select_option("th")
        expect(texts.locator(".size:visible")).to_contain_text(whole)
        form = page.locator("form[action='/api/collection/corpus']")
        expect(form.locator(".size:visible")).to_contain_text(clean)
        form.locator("[name=clean]").uncheck()
        expect(form.locator(".size:visible")).to_contain_text(whole)
        context.close()
