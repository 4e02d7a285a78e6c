"""A crawl in cycles: what the manager assigns, what the seeder holds back, what is counted, and how it goes on."""

from __future__ import annotations

import msgspec
import pytest
from tests.crawl.wire.tiny_cycles import ANYWHERE, TinyCycles, WirePage

from phasa.crawl.wire.counters import COLUMNS, write_cycles
from phasa.crawl.wire.cycles import Journal
from phasa.crawl.wire.manager import BAR, DAY, assign
from phasa.strategy_settings import CycleSettings, ScoreWeights
from phasa.web.url import Url

SMALL = {
    "http://a.ir/": WirePage("a", ["http://b.ir/", "http://c.com/"], True, 1.0),
    "http://e.com/": WirePage("e", ["http://d.com/x.php", "http://f.fr/"], False),
    "http://b.ir/": WirePage("same", ["http://c.com/"], True),
    "http://c.com/": WirePage("same", [], True),
    "http://d.com/x.php": WirePage("d", [], False),
}
SEEDS = ["http://a.ir/", "http://e.com/"]
TWO = CycleSettings(batch=2)
NO_CHANCE = ScoreWeights(random=0, persian=500)


def test_each_cycle_fetches_what_its_manager_assigned_and_nothing_that_was_found_in_it() -> None:
    crawl = TinyCycles(SMALL, SEEDS, TWO, NO_CHANCE)
    crawl.run(3)
    assert crawl.order == [["http://a.ir/", "http://e.com/"], ["http://b.ir/", "http://c.com/"], ["http://d.com/x.php"]]


def test_the_figures_are_those_of_the_visits() -> None:
    rows = TinyCycles(SMALL, SEEDS, TWO, NO_CHANCE).run(3)
    first, second, third = rows
    assert (first.number, first.assigned, first.processed, first.parsed, first.persian) == (1, 2, 2, 2, 1)
    assert (second.processed, second.persian, second.duplicates, second.dynamic) == (4, 3, 1, 0)
    assert (third.assigned, third.processed, third.static, third.dynamic) == (1, 5, 4, 1)
    assert third.tagged == 1  # the page whose score is 1, that of a language tag
    assert third.by_tld == {"ir": 2, "com": 1}
    assert third.outside == pytest.approx(1 / 3)
    assert first.seconds == pytest.approx(1.0, abs=0.01)
    header, *lines = write_cycles(rows).splitlines()
    assert header.split(",") == list(COLUMNS)
    assert lines[2].split(",")[:5] == ["3", "1", "5", "5", "3"]


def test_a_batch_takes_so_many_of_one_host_and_so_many_hosts_in_all() -> None:
    links = [f"http://big.ir/{i}" for i in range(30)] + [f"http://n{i}.ir/" for i in range(30)]
    web = {"http://hub.ir/": WirePage("", links, True)} | {url: WirePage(url, [], True) for url in links}
    crawl = TinyCycles(web, ["http://hub.ir/"], CycleSettings(batch=100, per_site=4, sites=7, domains=()))
    crawl.run(2)
    hosts = {url.split("/")[2] for url in crawl.order[1]} | {"hub.ir"}
    assert sum("big.ir" in url for url in crawl.order[1]) == 4
    assert len(hosts) == 7
    crawl.run(30)
    assert len({url.split("/")[2] for url in crawl.fetched}) == 7


def test_a_big_site_stops_at_its_cap_and_links_at_the_accepted_domains() -> None:
    links = [f"http://big.ir/{i}" for i in range(30)] + ["http://x.fr/"]
    web = {"http://seed.fr/": WirePage("", links, True)} | {url: WirePage(url, [], True) for url in links}
    crawl = TinyCycles(web, ["http://seed.fr/"], CycleSettings(batch=100, pages_per_site=10))
    crawl.run(3)
    assert crawl.fetched[0] == "http://seed.fr/"  # a seed may be anywhere
    assert sum("big.ir" in url for url in crawl.fetched) == 10
    story = crawl.frontier.story(Url("http://x.fr/"))
    assert story is not None
    assert "domain .fr is not one of cycles.domains" in story.reason


def test_it_goes_on_wherever_it_was_killed() -> None:
    """The journal and the frontier are all that is needed: between any two parts, and within the manager's work."""
    whole = TinyCycles(SMALL, SEEDS, TWO, NO_CHANCE)
    whole.run(3)
    halted = TinyCycles(SMALL, SEEDS, TWO, NO_CHANCE)
    halted.run(1)
    halted.journal = Journal(halted.journal.cycles, halted.clock.now() + 0.5)  # began, nothing assigned
    halted.run(1)
    assert halted.order[1] == whole.order[1]
    begun = halted.clock.now() + 0.5
    number = assign(halted.frontier, halted.strategy.scoring, TWO, 3, begun)  # assigned, killed before it was noted
    halted.journal = Journal(halted.journal.cycles, begun)
    assert number == 1
    rows = halted.run(1)
    assert halted.order[2] == whole.order[2]
    assert [row.processed for row in rows] == [row.processed for row in whole.journal.cycles]
    assert halted.journal.stage == "between two cycles"
    assert Journal((), 1.0).stage == "manager"
    assert Journal((), 1.0, 3).stage.startswith("harvester")


def test_what_is_not_assigned_waits_below_the_bar() -> None:
    crawl = TinyCycles(SMALL, SEEDS, CycleSettings(batch=1), NO_CHANCE)
    crawl.run(1)
    assert crawl.waiting()
    assert all(one.priority < BAR for one in crawl.frontier.queue())


def test_front_pages_come_first_when_told_so() -> None:
    web = {"http://a.ir/": WirePage("a", ["http://b.ir/x"], True), "http://late.com/": WirePage("l", [], False)}
    web["http://b.ir/x"] = WirePage("b", [], True)
    orders = []
    for boosted in (False, True):
        settings = CycleSettings(batch=1, domains=(), front_pages=boosted)
        crawl = TinyCycles(web, ["http://a.ir/", "http://late.com/"], settings, ScoreWeights(random=0, persian=500))
        crawl.run(3)
        orders.append(crawl.fetched)
    assert orders[0] == ["http://a.ir/", "http://b.ir/x", "http://late.com/"]
    assert orders[1] == ["http://a.ir/", "http://late.com/", "http://b.ir/x"]


def test_a_page_comes_again_when_it_is_no_longer_fresh() -> None:
    settings = CycleSettings(batch=10, domains=(), revisit=True, change_days=10, age_exponent=2)
    crawl = TinyCycles(SMALL, SEEDS, settings, ScoreWeights(random=0))
    crawl.run(3)
    assert crawl.fetched.count("http://a.ir/") >= 2
    assert crawl.fetched.count("http://c.com/") == 1  # a copy of another page
    once = TinyCycles(SMALL, SEEDS, msgspec.structs.replace(settings, revisit=False), ScoreWeights(random=0))
    once.run(4)
    assert len(once.fetched) == len(set(once.fetched))


def test_the_priority_of_a_known_page_grows_with_its_age() -> None:
    from phasa.crawl.wire.document import Document
    from phasa.crawl.wire.manager import Candidate, priorities_of

    settings = CycleSettings(age_exponent=2)
    scoring = TinyCycles(SMALL, SEEDS, settings, ScoreWeights(random=0, persian=0)).strategy.scoring
    kinds = ((0.0, False), (0.5, False), (0.9, False), (0.0, True))
    known = [Candidate(Url("http://a.ir/"), Document(1), True, fresh, ignored) for fresh, ignored in kinds]
    assert priorities_of(known, scoring, settings, 1).tolist() == pytest.approx([95, 95 * 0.75, 95 * 0.19, 0])
    assert DAY == 86_400


def test_an_empty_batch_ends_the_crawl() -> None:
    crawl = TinyCycles(SMALL, SEEDS, ANYWHERE, NO_CHANCE)
    assert len(crawl.run(20)) == 2
