"""specs/language-specific-crawling.md §10: the rows that concern the frontier, the loop and the status."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from tests.crawl.paper_web import PaperWeb, crawl
from tests.durability.small_web import SmallWeb, collection_for

from phasa.cli import main
from phasa.crawl.answer import Answer
from phasa.crawl.run.runs import run_collection
from phasa.crawl.seeds import plant, read_seeds
from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.crawl.strategies.best_first import BestFirst
from phasa.crawl.strategies.breadth_first import BreadthFirst
from phasa.crawl.strategy import Seed
from phasa.frontier.budgets import Budgets
from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Ending, Lease, Offer, OfferResult, State
from phasa.frontier.rules import Rules
from phasa.frontier.scope import Scope, ScopeSettings
from phasa.frontier.sqlite import SqliteFrontier
from phasa.frontier.traps import Traps
from phasa.web.url import Url


def paper() -> dict[str, list[str]]:
    """Sixty pages; every third is Thai and says so in its address."""
    urls = [f"http://{'thai' if n % 3 == 0 else 'other'}{n % 7}.example/{n}" for n in range(60)]
    return {urls[n]: [urls[k] for k in (n * 2 + 1, n * 2 + 2, n * 5) if k < 60] for n in range(60)}


def test_row_01_fifo_and_priority_modes_differ_only_in_order() -> None:
    table = paper()
    seed = next(iter(table))
    fifo, best = PaperWeb(table), PaperWeb(table)
    crawl(fifo, [seed], strategy=BreadthFirst())
    crawl(best, [seed], strategy=BestFirst())
    assert fifo.asked != best.asked
    assert sorted(fifo.asked) == sorted(best.asked)


def test_row_02_seed_loader_reads_initial_features(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("# Table 15\nhttp://www.example.com/1 0.55 1 0 0.69\nhttp://www.example.com/2\n")
    first, second = read_seeds(file).seeds
    assert first == Seed("http://www.example.com/1", 0.55, 1.0, 0.0, 0.69)
    assert second == Seed("http://www.example.com/2")


def test_row_08_queue_cap_of_12000(tmp_path: Path) -> None:
    rules = Rules(budgets=Budgets(queue=12_000))
    offers = [Offer(Url(f"http://h{n % 50}.example/{n}"), n / 12_001) for n in range(12_001)]
    memory, sqlite = MemoryFrontier(rules), SqliteFrontier(tmp_path / "f.db", rules)
    for frontier in (memory, sqlite):
        frontier.offer(offers)
        assert frontier.stats().waiting == 12_000
        assert frontier.states([offers[0].url]) == [State.DROPPED], "the lowest-scored entry goes"
    fifo = MemoryFrontier(rules)
    standings = fifo.offer([Offer(offer.url) for offer in offers])
    assert standings[-1] is OfferResult.CAPPED, "a FIFO queue drops the newcomer"
    assert standings.count(OfferResult.NEW) == 12_000
    sqlite.close()


def test_row_09_an_endless_web_ends_at_the_quota_or_the_length_rule() -> None:
    class Endless(PaperWeb):
        async def get(self, lease: Lease) -> Answer:
            self.table[lease.url] = [lease.url + "x/"]
            return await super().get(lease)

    web = Endless({})
    rules = Rules(BreadthFirst.rediscovery, Scope(ScopeSettings(url_length=200)), Traps())
    crawl(web, ["http://trap.example/"], frontier=MemoryFrontier(rules))
    assert max(map(len, web.asked)) <= 200
    assert len(web.asked) < 100, "the length rule, or the repeating path before it"
    quota = Endless({})
    crawl(quota, ["http://trap.example/"], budgets=Budgets(pages=30, free_disk_megabytes=0.0))
    assert len(quota.asked) == 30


def test_row_10_a_restart_does_not_refetch_a_collected_url(tmp_path: Path) -> None:
    table = paper()
    seed = next(iter(table))
    first = PaperWeb(table)
    frontier = SqliteFrontier(tmp_path / "f.db", Rules(BreadthFirst.rediscovery))
    crawl(first, [seed], frontier=frontier, budgets=Budgets(pages=20, free_disk_megabytes=0.0))
    frontier.close()
    second = PaperWeb(table)
    again = SqliteFrontier(tmp_path / "f.db", Rules(BreadthFirst.rediscovery))
    crawl(second, [seed], frontier=again)
    again.close()
    assert len(first.asked) == 20
    assert not set(first.asked) & set(second.asked)
    reachable = PaperWeb(table)
    crawl(reachable, [seed])
    assert set(first.asked) | set(second.asked) == set(reachable.asked)


def test_row_15_no_two_requests_to_one_host_within_the_delay() -> None:
    table = paper()
    web = PaperWeb(table)
    crawl(web, [next(iter(table))], manners=Politeness(delay=3.0, address_delay=0.0))
    last: dict[str, float] = {}
    for url, time in zip(web.asked, web.times, strict=True):
        host = url.split("/")[2]
        assert time - last.get(host, -3.0) >= 3.0
        last[host] = time


def test_row_16_breadth_first_over_replay_equals_breadth_first_over_the_link_table() -> None:
    table = paper()
    seed = next(iter(table))
    web = PaperWeb(table)
    crawl(web, [seed])
    order, queue = [], [seed]
    while queue:
        url = queue.pop(0)
        if url in order:
            continue
        order.append(url)
        queue += [link for link in table[url] if link not in order]
    assert web.asked == order


def test_row_42_every_dequeue_returns_the_current_maximum() -> None:
    frontier = MemoryFrontier()
    frontier.offer([Offer(Url(f"http://a.example/{n}"), (n * 7 % 10) / 10) for n in range(10)])
    seen = []
    for step in range(12):
        (lease,) = frontier.lease(0.0)
        seen.append(lease.priority)
        waiting = frontier.waiting("a.example", 100)
        assert all(lease.priority >= one.priority for one in waiting)
        found = [Offer(Url(f"http://a.example/new{step}"), 0.55)] if step < 2 else []
        frontier.finish(lease, Ending(State.DONE, "200"), found)
    assert len(seen) == 12


def test_row_44_breadth_first_is_the_featureless_fifo_run() -> None:
    table = paper()
    seed = next(iter(table))
    one, two = PaperWeb(table), PaperWeb(table)
    crawl(one, [seed], strategy=BreadthFirst())
    frontier = MemoryFrontier(Rules(BreadthFirst.rediscovery))
    frontier.offer([Offer(Url(seed))])
    while leases := frontier.lease(0.0):
        two.asked.append(leases[0].url)
        found = [Offer(Url(link), depth=leases[0].depth + 1) for link in table[leases[0].url]]
        frontier.finish(leases[0], Ending(State.DONE, "200"), found)
    assert one.asked == two.asked


def test_row_51_live_mode_reports_harvest_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    small = SmallWeb(9, hosts=3)
    with small.serving():
        collection = collection_for(tmp_path / "c", small)
        with collection.locked():
            metrics = run_collection(collection).metrics
    assert metrics.harvest == pytest.approx(6 / 9)
    assert not hasattr(metrics, "coverage")
    monkeypatch.setattr("sys.argv", ["phasa", "status", str(collection.path), "--json"])
    with suppress(SystemExit):
        main()
    read_status = json.loads(capsys.readouterr().out)
    assert read_status["harvest"] == pytest.approx(6 / 9)
    assert "coverage" not in read_status


def test_row_53_a_second_language_runs_the_pipeline(tmp_path: Path) -> None:
    from aiohttp import web

    persian = "<html lang=fa><p>" + "این یک صفحه به زبان فارسی است که درباره کتاب و روزنامه نوشته شده است. " * 5
    small = SmallWeb(1, hosts=1, handler=lambda host, path: web.Response(text=persian, content_type="text/html"))
    with small.serving():
        collection = collection_for(tmp_path / "c", small, language="fa", seeds=["http://h0.example/"])
        with collection.locked():
            metrics = run_collection(collection).metrics
    assert (metrics.pages, metrics.wanted) == (1, 1)


def test_strategies_of_the_specification_run_on_the_same_loop() -> None:
    """Every page-level strategy that needs no knowledge base crawls the same web to its end, or drops what it must."""
    from phasa.crawl.strategies import STRATEGIES, needs_knowledge
    from phasa.crawl.target import Target

    table = paper()
    seed = next(iter(table))
    for name in STRATEGIES:
        if needs_knowledge(name) or name == "segment":  # that one needs a predictor: test_segment_crawling.py
            continue
        strategy = make_strategy(name, Circumstances(Target("th", frozenset({"th"}))))
        web = PaperWeb(table)
        _, frontier, run = crawl(web, [seed], strategy=strategy)
        assert web.asked[0] == seed
        assert len(web.asked) == len(set(web.asked))
        assert not run.errors, name
        assert frontier.stats().waiting == 0
        assert plant(frontier, strategy, [Seed(seed)]) == [OfferResult.KNOWN]
