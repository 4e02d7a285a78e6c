"""The experiment rows of specs/persian-crawling.md §10: 12 and 19–28, on generated worlds."""

from __future__ import annotations

import numpy as np
import pytest

from phasa.crawl.wire.score import is_dynamic
from phasa.lab.result import Result
from phasa.lab.seeds import seeds_of
from phasa.lab.world import World
from phasa.papers.options import Options
from phasa.papers.persian_crawling import experiments as persian
from phasa.papers.persian_crawling.crawls import ACCEPTED, CycledCrawl, Indicator, Readings, crawl_cycles
from phasa.strategy_settings import CycleSettings, ScoreWeights
from phasa.web.url import authority, tld_of


@pytest.fixture(scope="module")
def everything() -> Result:
    return persian.run(Options(seeds=(1, 2), quick=True))


@pytest.fixture(scope="module")
def world() -> World:
    return World.from_name("3:6000", "fa", lies=0.0)


READ: dict[int, Readings] = {}
WEIGHTS = ScoreWeights()


def _crawl(world: World, settings: CycleSettings, cycles: int = 12) -> CycledCrawl:
    return crawl_cycles(
        READ.setdefault(world.seed, Readings(world)), seeds_of(world, "set2"), cycles, settings, WEIGHTS
    )


def test_row_12_meta_finds_fewer_than_content_and_both_find_most(everything: Result, world: World) -> None:
    claims = [claim for claim in everything.claims if claim.source.startswith("E5")]
    assert len(claims) == 2
    assert [claim.text[-1] for claim in claims] == ["0", "0"]  # weights 0 and 500; whether they hold is reported
    readings = READ.setdefault(world.seed, Readings(world))
    sample = np.flatnonzero(world.pages.target)[::2].tolist()
    found = {mode: sum(readings.of(page).finding(mode).is_persian for page in sample) for mode in Indicator}
    # The text of a generated page says its language; a page with a tag and no text is row 4.
    assert found[Indicator.META] < found[Indicator.CONTENT] <= found[Indicator.COMBINED]


def test_row_19_a_big_site_stops_at_the_cap(world: World) -> None:
    assert (CycleSettings().pages_per_site, CycleSettings().sites) == (6000, 6000)
    parsed = _crawl(world, CycleSettings(batch=100, domains=ACCEPTED, pages_per_site=4), 25).parsed
    taken: dict[str, int] = {}
    for page in parsed:
        host = authority(world.url(int(page)))
        taken[host] = taken.get(host, 0) + 1
    assert max(taken.values()) <= 4 + 2  # a redirect is counted where it stands, not where it leads


def test_row_20_only_the_accepted_domains_are_crawled(world: World) -> None:
    assert {"ir", "com", "org", "net", "gov", "jp", "de", "ar", "uk"} <= set(ACCEPTED)
    assert "fr" not in ACCEPTED
    parsed = _crawl(world, CycleSettings(batch=60, domains=ACCEPTED)).parsed
    assert {tld_of(authority(world.url(int(page)))) for page in parsed} <= set(ACCEPTED)


def test_row_21_persian_pages_outside_ir_are_collected(everything: Result) -> None:
    rows = {str(row[0]): row for row in everything.sections[0].tables[0].rows}
    assert float(str(rows["under .com"][2])) > 0


def test_row_22_seed_set_1_is_five_languages_of_150() -> None:
    large = World.from_name("1:100000", "fa", lies=0.0)
    seeds = seeds_of(large, "set1")
    assert len(seeds) == 750
    languages = [large.pages.languages[int(large.pages.language[large.find(seed.url)])] for seed in seeds]
    assert {code: languages.count(code) for code in set(languages)} == dict.fromkeys(
        ("ja", "de", "es", "en", "fa"), 150
    )
    assert len(seeds_of(large, "set3")) < len(seeds)


def test_row_23_runs_e0_to_e5_by_one_command(everything: Result) -> None:
    assert [section.title[:2] for section in everything.sections[:6]] == [f"E{number}" for number in range(6)]


def test_row_24_the_csv_has_one_row_a_cycle(everything: Result) -> None:
    header, *rows = everything.csv["persian-cycles.csv"].splitlines()
    assert header.startswith("world,seeds,weight,indicator,cycle,processed,parsed,persian,ratio")
    keys = [tuple(row.split(",")[:5]) for row in rows]
    assert len(set(keys)) == len(keys)
    for row in rows[::37]:
        parsed, found, ratio = row.split(",")[6:9]
        assert float(ratio) == pytest.approx(int(found) / int(parsed), abs=1e-6)


def test_row_25_the_sweep_is_flat_above_saturation(everything: Result) -> None:
    sweep = next(chart for chart in everything.sections[1].charts if "weight" in chart.x_label)
    by_weight = dict(zip(sweep.series[0].x, sweep.series[0].y, strict=True))
    assert by_weight[1000] == pytest.approx(by_weight[500], rel=0.03)
    assert by_weight[500] > by_weight[3] > by_weight[0]  # it is not flat below
    assert sum(claim.source.startswith("E1") and "saturation" in claim.text for claim in everything.claims) == 1


def test_row_26_static_and_dynamic_and_unique_and_duplicate_add_up(world: World, everything: Result) -> None:
    rows = {str(row[0]): float(str(row[2])) for row in everything.sections[0].tables[0].rows}
    assert rows["static / parsed"] + rows["dynamic / parsed"] == pytest.approx(1)
    assert rows["unique / parsed"] + rows["duplicate / parsed"] == pytest.approx(1)
    crawl = _crawl(world, CycleSettings(batch=60, domains=ACCEPTED))
    dynamic = sum(is_dynamic(world.url(int(page))) for page in crawl.parsed)
    assert abs(crawl.cycles[-1].dynamic - dynamic) <= 3  # a redirect is counted by the address that was asked for
    texts = [READ[world.seed].of(int(page)).fingerprint for page in crawl.parsed]
    assert crawl.cycles[-1].duplicates == len(texts) - len(set(texts))


def test_row_27_the_audit_reports_precision_and_domains_and_has_a_sheet(everything: Result) -> None:
    rows = {str(row[0]): row for row in everything.sections[0].tables[0].rows}
    header, *lines = everything.csv["persian-audit.csv"].splitlines()
    assert header == "url,tld,stage,stop_words,written_in,right,begins"
    assert len(lines) == 100
    right = sum(line.split(",")[5] == "1" for line in lines)
    assert float(str(rows["precision of the audit"][2])) == pytest.approx(right / 100)
    assert all((line.split(",")[5] == "1") == (line.split(",")[4] == "fa") for line in lines)
    assert any(line.split(",")[4] != "fa" for line in lines)  # the detector can be wrong, and the sheet says so
    assert {line.split(",")[2] for line in lines} == {"1", "4"}
    assert {"under .ir", "under .com"} <= set(rows)


def test_row_28_the_plain_crawler_needs_twice_the_cycles(everything: Result) -> None:
    (claim,) = [claim for claim in everything.claims if claim.source.startswith("E4")]
    assert claim.holds, claim.detail
