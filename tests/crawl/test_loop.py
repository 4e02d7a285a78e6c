"""The loop on a web of paper: order, endings, limits, and what happens when parts misbehave."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.crawl.paper_web import PaperWeb, crawl

from phasa.crawl.answer import Answer, Kind
from phasa.crawl.clock import VirtualClock
from phasa.crawl.judge import Judgement
from phasa.crawl.loop import Crawl
from phasa.crawl.meter import Meter
from phasa.crawl.record import content_digest
from phasa.crawl.seeds import plant
from phasa.crawl.settle import Parts, Settler
from phasa.crawl.strategies.breadth_first import BreadthFirst
from phasa.crawl.strategy import Change, JudgedPage, Offers, Plain, Rediscovery, Seed, Strategy
from phasa.frontier.budgets import NO_LIMITS, Budgets
from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.politeness import FREE, Politeness
from phasa.frontier.protocol import Ending, Lease, Offer, State
from phasa.frontier.rules import Rules
from phasa.frontier.scope import Scope
from phasa.frontier.sqlite import SqliteFrontier
from phasa.web.url import Url

A, B, C, D = (f"http://{name}.example/" for name in "abcd")


def test_breadth_first_visits_in_the_order_of_discovery() -> None:
    web = PaperWeb({A: [B, C], B: [D], C: [A, D], D: []})
    outcome, frontier, _ = crawl(web, [A])
    assert web.asked == [A, B, C, D]
    assert (outcome.fetches, outcome.pages, outcome.why) == (4, 4, "nothing is left to fetch")
    assert frontier.stats().done == 4


def test_memory_and_sqlite_give_the_same_crawl(tmp_path: Path) -> None:
    table = {
        f"http://h{n % 5}.example/{n}": [f"http://h{m % 5}.example/{m}" for m in (n * 2, n * 2 + 1, n // 3)]
        for n in range(300)
    }
    seed = "http://h1.example/1"
    one, two = PaperWeb(table), PaperWeb(table)
    crawl(one, [seed])
    _, frontier, _ = crawl(two, [seed], frontier=SqliteFrontier(tmp_path / "f.db", Rules(Rediscovery.FIRST)))
    assert sorted(one.asked) == sorted(two.asked)
    frontier.close()


def test_the_page_limit_is_exact() -> None:
    web = PaperWeb({A: [B, C], B: [D], C: [], D: []})
    outcome, frontier, _ = crawl(web, [A], budgets=Budgets(pages=2, free_disk_megabytes=0))
    assert len(web.asked) == 2
    assert outcome.why == "the limit of 2 pages is reached"
    assert frontier.stats().waiting == 2


def test_the_time_limit_stops_the_crawl() -> None:
    clock = VirtualClock()
    web = PaperWeb({A: [A + str(n) for n in range(50)]}, clock)
    manners = Politeness(delay=10.0, address_delay=0.0)
    outcome, _, _ = crawl(web, [A], manners=manners, budgets=Budgets(seconds=45.0, free_disk_megabytes=0))
    assert outcome.why == "the limit of 45 seconds is reached"
    assert len(web.asked) == 5


def test_the_byte_limit_stops_the_crawl() -> None:
    web = PaperWeb({A: [B], B: [C], C: [D], D: []})
    outcome, _, _ = crawl(web, [A], budgets=Budgets(megabytes=0.002, free_disk_megabytes=0))
    assert outcome.why == "the limit of 0.002 megabytes is reached"
    assert web.asked == [A, B]


def test_a_redirect_is_followed_through_the_frontier() -> None:
    web = PaperWeb({A: Answer(Kind.MOVED, "301", 301, target=Url(B)), B: [C], C: []})
    _, frontier, _ = crawl(web, [A])
    assert web.asked == [A, B, C]
    story = frontier.story(Url(B))
    assert story is not None
    assert (story.source, story.depth) == (A, 0)


def test_a_failure_is_tried_again_and_then_dropped() -> None:
    web = PaperWeb({A: Answer(Kind.FAILED, "timeout_connect")})
    manners = Politeness(delay=1.0, address_delay=0.0, tries=3, backoff=30.0)
    _, frontier, _ = crawl(web, [A], manners=manners)
    assert web.times == [0.0, 30.0, 90.0], "the rest doubles with each failure"
    story = frontier.story(Url(A))
    assert story is not None
    assert (story.state, story.reason, story.attempts) == (State.DROPPED, "timeout_connect", 3)


def test_retry_after_is_obeyed() -> None:
    busy = Answer(Kind.BUSY, "503", 503, retry_after=200.0)
    web = PaperWeb({A: [busy, Answer(Kind.OTHER, "200", 200)]})
    crawl(web, [A], manners=Politeness(delay=1.0, address_delay=0.0, backoff=2.0))
    assert web.times == [0.0, 200.0]


def test_crawl_delay_is_obeyed() -> None:
    slow = Answer(Kind.OTHER, "200", 200, crawl_delay=7.0)
    web = PaperWeb({A + "1": slow, A + "2": slow, A + "3": slow})
    crawl(web, [A + "1", A + "2", A + "3"], manners=Politeness(delay=1.0, address_delay=0.0))
    assert web.times == [0.0, 7.0, 14.0]


def test_robots_first_gives_the_lease_back() -> None:
    web = PaperWeb({A: [Answer(Kind.FIRST, "robots.txt"), Answer(Kind.OTHER, "200", 200)]})
    _, frontier, _ = crawl(web, [A], manners=Politeness(delay=5.0, address_delay=0.0))
    assert web.times == [0.0, 5.0]
    story = frontier.story(Url(A))
    assert story is not None
    assert (story.state, story.attempts) == (State.DONE, 1)


def test_a_refused_url_is_dropped_at_no_cost_of_time() -> None:
    web = PaperWeb({A + "1": Answer(Kind.REFUSED, "robots.txt"), A + "2": [A]})
    _, frontier, _ = crawl(web, [A + "1", A + "2"], manners=Politeness(delay=5.0, address_delay=0.0))
    assert web.times[:2] == [0.0, 0.0]
    assert frontier.states([Url(A + "1")]) == [State.DROPPED]


class Raising(Plain):
    """A strategy with a bug."""

    name = "raising"

    def start(self, seeds: Sequence[Seed]) -> Offers:
        return Offers(np.zeros(len(seeds)))

    def page(self, page: JudgedPage) -> Offers:
        raise ZeroDivisionError("no links")

    def changes(self) -> Sequence[Change]:
        raise KeyError("changes")


def test_a_strategy_that_raises_ends_the_crawl_and_costs_nothing() -> None:
    web = PaperWeb({A: [B, C], B: [], C: []})
    outcome, frontier, run = crawl(web, [A, D], strategy=Raising())
    assert outcome.why.startswith("strategy raising: ZeroDivisionError: no links (test_loop.py, line ")
    assert len(run.errors) == 1
    stats = frontier.stats()
    assert (stats.waiting, stats.leased, stats.done) == (2, 0, 0), "what it should have settled waits again"
    assert outcome.pages == 0


class ChangesRaise(BreadthFirst):
    def changes(self) -> Sequence[Change]:
        raise KeyError("changes")


class ShortAnswer(BreadthFirst):
    def page(self, page: JudgedPage) -> Offers:
        return Offers(np.zeros(1))


@pytest.mark.parametrize(
    ("strategy", "told"),
    [(ChangesRaise(), "strategy bfs: KeyError: 'changes'"), (ShortAnswer(), "gave 1 priorities and 0 notes for 2")],
)
def test_whatever_a_strategy_does_wrong_ends_the_crawl(strategy: Strategy, told: str) -> None:
    outcome, frontier, run = crawl(PaperWeb({A: [B, C], B: [], C: []}), [A], strategy=strategy)
    assert told in outcome.why
    assert told in run.errors[0]
    assert frontier.stats().leased == 0


class RaisingJudge:
    def judge(self, answer: Answer) -> Judgement:
        raise LookupError("no idea")


def test_a_judge_that_raises_ends_the_crawl_too() -> None:
    frontier = MemoryFrontier()
    frontier.offer([Offer(Url(A))])
    parts = Parts(PaperWeb({A: [B]}), RaisingJudge(), BreadthFirst(), frontier, VirtualClock())
    run = Crawl(parts, manners=FREE, budgets=NO_LIMITS)
    outcome = asyncio.run(run.run())
    assert outcome.why.startswith("judge RaisingJudge: LookupError: no idea (test_loop.py")
    assert frontier.stats().waiting == 1


class Choosy(Plain):
    """Drops links to c and puts b last; raises d later."""

    name = "choosy"

    def start(self, seeds: Sequence[Seed]) -> Offers:
        return Offers(np.zeros(len(seeds)))

    def page(self, page: JudgedPage) -> Offers:
        worth = {B: 0.1, C: float("-inf"), D: 0.05}
        return Offers(np.array([worth.get(url, float("nan")) for url in page.links.urls]))

    def changes(self) -> Sequence[Change]:
        return [Change(D, 0.9)]


def test_drop_is_not_fetched_and_changes_are_heard() -> None:
    web = PaperWeb({A: [B, C, D, "http://nan.example/"]})
    crawl(web, [A], strategy=Choosy())
    assert web.asked == [A, D, B]


class Sifting(BreadthFirst):
    """Wants links that may still be fetched, and writes down what it sees."""

    only_open_links = True

    def __init__(self) -> None:
        self.saw: list[list[str]] = []

    def page(self, page: JudgedPage) -> Offers:
        self.saw.append(list(page.links.urls))
        return super().page(page)


def test_links_that_are_settled_or_out_of_scope_never_reach_a_strategy_that_does_not_want_them() -> None:
    picture = "http://a.example/x.png"
    web = PaperWeb({A: [B, picture, C], B: [A, picture, C, D], C: [A, B], D: []})
    strategy = Sifting()
    _, frontier, _ = crawl(web, [A], strategy=strategy, frontier=MemoryFrontier(Rules(scope=Scope())))
    assert strategy.saw == [[B, C], [C, D], [], []]
    assert web.asked == [A, B, C, D]
    story = frontier.story(Url(picture))
    assert story is not None
    assert (story.state, story.source) == (State.DROPPED, A)
    assert "out of scope" in story.reason


class Shelf:
    """An archive that remembers; `full` makes it fail."""

    def __init__(self, full: bool = False) -> None:
        self.kept: list[int] = []
        self.full = full

    def keep(self, answer: Answer, judgement: Judgement | None) -> str:
        if self.full:
            raise OSError(28, "no space left on device", "archive/x.warc.gz")
        self.kept.append(answer.status)
        return f"x.warc.gz {len(self.kept)}"


class Listener:
    def __init__(self) -> None:
        self.heard: list[tuple[str, Ending]] = []

    def write(self, lease: Lease, ending: Ending) -> None:
        self.heard.append((lease.url, ending))


def test_what_came_back_is_archived_and_logged_with_its_place() -> None:
    shelf, listener = Shelf(), Listener()
    web = PaperWeb({A: [B], B: Answer(Kind.REFUSED, "robots.txt")})
    _, frontier, _ = crawl(web, [A], archive=shelf, log=listener)
    assert shelf.kept == [200], "what was never fetched is not archived"
    story = frontier.story(Url(A))
    assert story is not None
    assert story.visit is not None
    assert story.visit.record == "x.warc.gz 1"
    assert [url for url, _ in listener.heard] == [A, B]


def test_a_full_disk_ends_the_crawl_and_loses_nothing() -> None:
    web = PaperWeb({A: [B], B: []})
    frontier = MemoryFrontier(Rules(Rediscovery.FIRST))
    with pytest.raises(OSError, match="no space"):
        crawl(web, [A], frontier=frontier, archive=Shelf(full=True))
    frontier.close()
    assert frontier.states([Url(A)]) == [State.WAITING]


class SlowWeb(PaperWeb):
    """Each answer takes its time; counts how many are out at once."""

    def __init__(self, table: dict[str, list[str]]) -> None:
        super().__init__(table)
        self.out = self.most = 0

    async def get(self, lease: Lease) -> Answer:
        self.out += 1
        self.most = max(self.most, self.out)
        await asyncio.sleep(0.001)
        self.out -= 1
        return await super().get(lease)


def test_many_slots_fetch_at_once_and_stop_finishes_what_is_out() -> None:
    hosts = [f"http://h{n}.example/" for n in range(40)]
    web = SlowWeb({host: [] for host in hosts})
    frontier = MemoryFrontier(Rules(Rediscovery.FIRST, manners=Politeness(delay=1.0, address_delay=0.0)))
    plant(frontier, BreadthFirst(), [Seed(url) for url in hosts])

    async def run() -> Crawl:
        crawl = Crawl(Parts(web, web, BreadthFirst(), frontier, web.clock), manners=FREE, budgets=Budgets(), slots=16)
        task = asyncio.create_task(crawl.run())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        crawl.stop("enough")
        assert (await task).why == "enough"
        return crawl

    asyncio.run(run())
    assert web.most == 16
    stats = frontier.stats()
    assert (stats.done, stats.leased, stats.waiting) == (16, 0, 24)


class Staggered(PaperWeb):
    """One answer with each turn of the event loop, and a pause after the first few."""

    def __init__(self, hosts: list[str], pause_after: int) -> None:
        super().__init__({host: [] for host in hosts})
        self.turn = {host: number + (number >= pause_after) * 5 for number, host in enumerate(hosts)}

    async def get(self, lease: Lease) -> Answer:
        for _ in range(self.turn[lease.url]):
            await asyncio.sleep(0)
        return await super().get(lease)


@pytest.mark.parametrize(("slots", "pause_after", "first"), [(16, 16, 5), (16, 3, 3), (1, 16, 1)])
def test_answers_that_follow_each_other_closely_are_settled_together(
    slots: int, pause_after: int, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to a third of those that are out; a pause ends the wait."""
    hosts = [f"http://h{n:02d}.example/" for n in range(16)]
    web, frontier, settled = Staggered(hosts, pause_after), MemoryFrontier(Rules(Rediscovery.FIRST)), list[int]()
    plant(frontier, BreadthFirst(), [Seed(url) for url in hosts])
    settle = Settler.settle

    def counts(self: Settler, answered: list[tuple[Lease, Answer]]) -> None:
        settled.append(len(answered))
        settle(self, answered)

    monkeypatch.setattr(Settler, "settle", counts)
    parts = Parts(web, web, BreadthFirst(), frontier, VirtualClock())
    asyncio.run(Crawl(parts, manners=FREE, budgets=NO_LIMITS, slots=slots).run())
    assert (settled[0], sum(settled)) == (first, 16)


class LastWord(BreadthFirst):
    """Wants one link before all others, and says so once."""

    def __init__(self) -> None:
        self.said = False

    def changes(self) -> Sequence[Change]:
        said, self.said = self.said, True
        return () if said else [Change(D, 9.0)]


def test_changes_are_made_when_all_that_is_settled_together_is_done() -> None:
    """They may be about a link of the last page, of which the frontier has not heard before."""
    web, frontier, strategy = PaperWeb({A: [C], B: [D]}), MemoryFrontier(Rules(Rediscovery.FIRST)), LastWord()
    plant(frontier, strategy, [Seed(A), Seed(B)])
    parts = Parts(web, web, strategy, frontier, VirtualClock())
    settler = Settler(parts, Meter(0.0, 0), lambda priority, wanted: None, FREE, len)
    settler.settle([(lease, asyncio.run(web.get(lease))) for lease in frontier.lease(0.0, 2)])
    assert [lease.url for lease in frontier.lease(0.0, 2)] == [D, C]


def test_the_links_of_a_host_that_just_answered_are_still_about_to_come() -> None:
    """What was the best to come was looked up while that host was being asked: others are not better for it."""
    web, frontier, clock = PaperWeb({A: []}), MemoryFrontier(Rules(Rediscovery.FIRST)), VirtualClock()
    frontier.offer([Offer(Url(A), 8.0, 0, "")])

    async def ask() -> float:
        made = Crawl(
            Parts(web, web, BreadthFirst(), frontier, clock), manners=FREE, budgets=NO_LIMITS, slots=2, tolerance=0.01
        )
        (lease,) = frontier.lease(clock.now())
        made._start(lease, clock.now())
        made._best = 1.0, clock.now()
        await asyncio.gather(*made._running)
        return made._best_to_come(clock.now())

    assert asyncio.run(ask()) == 8.0


def test_poorer_links_than_those_that_came_go_out_few_at_a_time() -> None:
    web, frontier, clock = PaperWeb({}), MemoryFrontier(Rules(Rediscovery.FIRST)), VirtualClock()
    frontier.offer([Offer(Url(f"http://h{number}.example/"), 1.0, 0, "") for number in range(40)])
    parts = Parts(web, web, BreadthFirst(), frontier, clock)
    made = Crawl(parts, manners=FREE, budgets=NO_LIMITS, slots=64, tolerance=0.01)
    for turn in range(640):
        made._chooser.saw(8.0 + turn % 8 / 8, True)
    assert made._room(clock.now()) == 21
    leases, least = made._choose(clock.now(), 21)
    assert (len(leases), least > 1.0) == (1, True), "nothing is known of such links"
    for _ in range(64):
        made._chooser.saw(1.0, True)
    more, least = made._choose(clock.now(), 21)
    assert (len(more), least > 1.0) == (16, True), "one for every four that came"


def test_the_content_digest_leaves_digits_out() -> None:
    assert content_digest("1 May 2026") == content_digest("28 May 1999") != content_digest("1 June 2026")


class Broken(BreadthFirst):
    def page(self, page: JudgedPage) -> Offers:
        raise ZeroDivisionError("in the strategy")


def test_a_crawl_leaves_a_trail(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "phasa.crawl"):
        crawl(PaperWeb({A: [B], B: []}), [A], strategy=Broken())
    begun, *errors, ended = caplog.records
    assert "crawl starts: strategy bfs" in begun.getMessage()
    assert ended.getMessage().startswith("crawl ends: strategy bfs: ZeroDivisionError: in the strategy (test_loop.py")
    assert all("ZeroDivisionError: in the strategy" in error.getMessage() for error in errors)
    assert "test_loop.py" in caplog.text, "with the place where it happened"


def test_what_a_sitemap_lists_is_as_much_wanted_as_the_sitemap() -> None:
    web = PaperWeb(
        {
            A: Answer(Kind.SITEMAP, "sitemap of 2 addresses", 200, listed=(Url(B), Url(C))),
            B: [Answer(Kind.FIRST, listed=(Url(D),)), Answer(Kind.OTHER, "404", 404)],
            C: ["http://thai.example/"],
        }
    )
    outcome, frontier, run = crawl(web, [A])
    story = frontier.story(Url(C))
    assert story is not None
    assert (story.source, story.depth) == (A, 1)
    assert frontier.states([Url(D)]) == [State.DONE], "a robots.txt offers what it names, even if its host gave no page"
    assert (outcome.pages, run.errors) == (1, [])
