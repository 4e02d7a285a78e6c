"""The frontier read from outside says what the frontier itself says, beside a crawl that writes it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.errors import CollectionError
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import OUT_OF_SCOPE, Ending, Offer, State, Stats, Visit
from phasa.frontier.reader import REPORTS, FrontierReader
from phasa.frontier.rules import Rules
from phasa.frontier.scope import Scope, ScopeSettings
from phasa.frontier.sqlite import SqliteFrontier
from phasa.frontier.traps import Traps
from phasa.web.url import Url

RULES = Rules(
    scope=Scope(ScopeSettings(not_domains=("bad.example",))), manners=Politeness(delay=0.0, address_delay=0.0)
)
SEEDS = [Url(f"http://h{n}.example/") for n in range(3)]


def crawl(path: Path, pages: int = 3) -> SqliteFrontier:
    """A frontier in which some pages came and led to others; it is still open."""
    frontier = SqliteFrontier(path, RULES)
    frontier.offer([Offer(seed, 1.0) for seed in SEEDS])
    for number in range(pages):
        (lease,) = frontier.lease(1000.0 * (number + 1))
        visit = Visit(5.0 + number, 200, "text/html", 100, number % 2 == 0, 0.5, "th", 10, record="w:1")
        found = [Url(f"{lease.url}{number}/{k}.html") for k in range(3)] + [Url(f"http://bad.example/{number}")]
        offers = [Offer(url, 0.5, lease.depth + 1, lease.url) for url in found]
        frontier.finish(lease, Ending(State.DONE, "ok", 5.0 + number, visit=visit), offers)
    frontier.commit()
    return frontier


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "frontier.db"


@pytest.mark.parametrize("open_meanwhile", [True, False])
def test_totals_and_stories_are_those_of_the_frontier(path: Path, open_meanwhile: bool) -> None:
    frontier = crawl(path, 4)
    if not open_meanwhile:
        frontier.close()  # what was found is in the index then, not only at the end of the table
    with FrontierReader(path) as reader:
        urls = [seen.url for seen in reader.seen_urls()]
        assert len(urls) == 3 + 4 * 4
        same = frontier if open_meanwhile else SqliteFrontier(path, RULES)
        assert [reader.story(Url(url)) for url in urls] == [same.story(Url(url)) for url in urls]
        stats = same.stats()
        assert reader.totals() == Stats(
            *(stats.waiting, 0, stats.done, stats.dropped, stats.quarantined, stats.wanted, stats.pages),
            *(stats.bytes, stats.words, stats.hosts),
        )
        same.close()
    assert stats.done == stats.pages == 4


def test_a_url_that_was_never_offered_has_no_story(path: Path) -> None:
    crawl(path).close()
    with FrontierReader(path) as reader:
        assert reader.story(Url("http://h0.example/never")) is None
        assert reader.story(Url("http://nowhere.example/")) is None
        assert reader.way_back(Url("http://nowhere.example/"), 9) == []


def test_the_way_back_leads_to_a_seed(path: Path) -> None:
    frontier = SqliteFrontier(path, Rules())
    chain = [Url(f"http://h0.example/{n}") for n in range(5)]
    frontier.offer([Offer(chain[0])])
    for before, after in pairwise(chain):
        (lease,) = frontier.lease(0.0)
        assert lease.url == before
        frontier.finish(lease, Ending(State.DONE, "ok"), [Offer(after, 0.0, lease.depth + 1, before)])
        frontier.commit()
    with FrontierReader(path) as reader:
        assert reader.way_back(chain[4], 9) == chain[3::-1]
        assert reader.way_back(chain[4], 2) == chain[3:1:-1]
        assert reader.way_back(chain[0], 9) == []
    frontier.close()


def test_urls_of_one_segment_are_those_that_begin_with_it(path: Path) -> None:
    crawl(path).close()
    frontier = SqliteFrontier(path, RULES)
    frontier.offer([Offer(Url("http://me:secret@h0.example/0/x.html"))])  # not in the index yet
    with FrontierReader(path) as reader:
        under = sorted(seen.url for seen in reader.seen_urls_under("http://h0.example/0/"))
        assert under == ["http://h0.example/0/0.html", "http://h0.example/0/1.html", "http://h0.example/0/2.html",
                         "http://me:secret@h0.example/0/x.html"]  # fmt: skip
        assert list(reader.seen_urls_under("http://nowhere.example/")) == []
    frontier.close()


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 7), st.integers(1, 5))
def test_reading_on_in_parts_gives_everything_once(
    tmp_path_factory: pytest.TempPathFactory, most: int, pages: int
) -> None:
    path = tmp_path_factory.mktemp("f") / "frontier.db"
    crawl(path, pages).close()
    with FrontierReader(path) as reader:
        visits, last = [], 0
        while some := reader.visits_after(last, most):
            visits += some
            last = some[-1].id
        assert len(visits) == len({visit.id for visit in visits}) == pages
        assert sum(visit.wanted is True for visit in visits) == reader.totals().wanted
        known, last = Counter[int](), 0
        while (found := reader.discoveries_after(last, most)).last != last:
            known.update(found.by_depth)
            last = found.last
        assert known.total() == 3 + 3 * pages  # what the scope refused is nothing a crawl could fetch
        assert known[0] == 3


def test_the_cause_of_a_drop_is_what_the_rules_say(path: Path) -> None:
    crawl(path).close()
    with FrontierReader(path) as reader:
        assert reader.report("dropped").rows == [(OUT_OF_SCOPE, 3)]
    refusal = RULES.refuse(Url("http://bad.example/"), 0)
    assert refusal is not None
    assert refusal[1].partition(":")[0] == OUT_OF_SCOPE


def test_every_report_has_its_columns_and_at_most_as_many_rows_as_asked_for(path: Path) -> None:
    crawl(path).close()
    with FrontierReader(path) as reader:
        for name in REPORTS:
            report = reader.report(name)
            assert bool(report.rows) == (name != "duplicates"), "of which there are none here"
            assert all(len(row) == len(report.columns) for row in report.rows)
            assert len(reader.report(name, 1).rows) == min(1, len(report.rows))
        assert [row[1] for row in reader.report("seeds").rows] == ["done", "done", "done"]


def test_quarantine_lists_what_looked_like_a_trap(path: Path) -> None:
    frontier = SqliteFrontier(path, Rules(traps=Traps()))
    trap = Url("http://h0.example/" + "a/b/" * 12)
    frontier.offer([Offer(trap), Offer(SEEDS[0])])
    frontier.close()
    with FrontierReader(path) as reader:
        ((url, evidence),) = reader.quarantined()
        assert url == trap
        assert evidence.startswith("trap")


def test_nothing_was_crawled_yet(path: Path) -> None:
    with FrontierReader(path) as reader:
        assert not reader.begun
        assert reader.totals() == Stats()
        assert not [*reader.quarantined(), *reader.visits_after(0, 9), *reader.seen_urls()]
        assert reader.discoveries_after(0, 9) == ({}, 0)
        assert reader.story(SEEDS[0]) is None
        assert [reader.report(name).rows for name in REPORTS] == [[]] * len(REPORTS)
    assert not path.exists()  # looking makes nothing
    sqlite3.connect(path).execute("PRAGMA journal_mode=WAL").close()  # being made this moment
    with FrontierReader(path) as reader:
        assert not reader.begun


def test_what_is_not_a_frontier_is_named(path: Path) -> None:
    path.write_bytes(b"this is no database" * 100)
    with pytest.raises(CollectionError, match=r"frontier\.db: damaged"):
        FrontierReader(path)


def test_a_frontier_of_an_older_format_has_totals_and_says_what_to_do_for_more(path: Path) -> None:
    crawl(path).close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE meta SET value = 2 WHERE key = 'format'")
    db.close()
    with FrontierReader(path) as reader:
        assert reader.totals().done == 3
        with pytest.raises(CollectionError, match="phasa crawl"):
            reader.story(SEEDS[0])
