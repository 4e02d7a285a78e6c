"""Revisits: what a visit shows, when a page is due again, and whole crawls that come back over HTTP."""

from __future__ import annotations

import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from aiohttp import web
from tests.durability.small_web import THAI, SmallWeb, collection_for, command, finish

from phasa.archive.reader import read_archive
from phasa.archive.text import page_text, read_texts
from phasa.collection import Collection
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.judge import Judgement
from phasa.crawl.revisits import DAY, Revisits
from phasa.crawl.run.explain import _why as why_of
from phasa.crawl.run.explain import explain
from phasa.crawl.run.freshness import read_freshness
from phasa.crawl.run.status import read_status
from phasa.fresh_settings import FreshSettings
from phasa.frontier.budgets import Budgets
from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.protocol import Ending, Frontier, Lease, Offer, Seen, State, Story, Visit
from phasa.frontier.scope import ScopeSettings
from phasa.frontier.sqlite import SqliteFrontier
from phasa.schedule.trust import OWN_PAST
from phasa.web.exchange import Exchange
from phasa.web.html import Page, read_page
from phasa.web.url import Url

URL = Url("http://a.example/")
OFTEN = FreshSettings(requests_per_day=20 * DAY, least_hours=0.5 / 3600)
WORDS = "ภาษาไทย ข่าววันนี้ มีเรื่องน่าสนใจ "


def page(text: str) -> Page:
    return read_page(f"<html><body><p>{text}</p></body></html>".encode(), URL, header="text/html; charset=utf-8")


def answer(text: str) -> Answer:
    return Answer(Kind.PAGE, "200", status=200, page=page(text))


def visited(revisits: Revisits, said: Answer, at: float, seen: Seen | None = None, wanted: bool = True) -> Ending:
    lease = Lease(1, URL, "a.example", 0.0, 0, "", b"", 0, 0.0, 0, seen)
    state = State.DROPPED if said.kind in (Kind.FAILED, Kind.REFUSED) else State.DONE
    judgement = Judgement(wanted, 1.0) if said.kind is Kind.PAGE else None
    return revisits.plan(lease, said, judgement, Ending(state, said.reason, at, visit=Visit(at)))


def revisits(**values: object) -> Revisits:
    return Revisits(FreshSettings(requests_per_day=10.0, **values), MemoryFrontier(), 0.0)  # type: ignore[arg-type]


LONG = "".join(f"{word} เรื่องที่ " + chr(0x0E01 + number) * 3 for number, word in enumerate([WORDS] * 40))


def test_a_page_that_was_wanted_is_due_again_and_others_are_not() -> None:
    assert visited(revisits(), answer(LONG), 0.0).due is not None
    assert visited(revisits(), answer(LONG), 0.0, wanted=False).due is None
    assert visited(revisits(), Answer(Kind.OTHER, "404", status=404), 0.0).due is None


def test_clocks_and_counters_are_no_change() -> None:
    known = revisits()
    first = visited(known, answer(LONG + "10:01 12 visitors"), 0.0)
    again = visited(known, answer(LONG + "10:55 13 visitors"), DAY, first.seen)
    assert again.change == 0.0
    assert again.reason.endswith("unchanged")
    assert again.seen is not None
    assert again.seen.changes == 0


def test_a_rewritten_page_has_changed_and_by_how_much_is_kept() -> None:
    known = revisits()
    first = visited(known, answer(LONG), 0.0)
    again = visited(known, answer("ข้อความใหม่ทั้งหมด ไม่มีอะไรเหมือนเดิม " * 30), DAY, first.seen)
    assert again.change is not None
    assert again.change > 0.3
    assert again.seen is not None
    assert again.seen.changes >= 1


def test_an_advert_in_a_long_text_is_less_than_a_change() -> None:
    known = revisits()
    first = visited(known, answer(LONG * 3), 0.0)
    again = visited(known, answer(LONG * 3 + "ลดราคา"), DAY, first.seen)
    assert again.change is not None
    assert 0 < again.change < 0.1
    assert again.reason.endswith("unchanged")


def test_what_never_changes_is_visited_less_and_less_often_and_what_does_more() -> None:
    known = revisits(aim="delay")
    quiet = busy = visited(known, answer(LONG), 0.0)
    at = 0.0
    for number in range(12):
        at += DAY
        quiet = visited(known, answer(LONG), at, quiet.seen)
        busy = visited(known, answer(f"{chr(0x0E01 + number) * 9} " * 60), at, busy.seen)
    assert quiet.due is not None
    assert busy.due is not None
    assert busy.due - at < 0.5 * (quiet.due - at)


def test_a_page_that_is_gone_settles_down() -> None:
    known = revisits()
    now = visited(known, answer(LONG), 0.0)
    dues = []
    at = 0.0
    for _ in range(3):
        at += DAY
        now = visited(known, Answer(Kind.OTHER, "410", status=410), at, now.seen)
        dues.append(now.due)
    assert dues[0] == pytest.approx(3 * DAY)
    assert dues[-1] is None
    assert now.state is State.DONE


def test_a_server_that_does_not_answer_costs_the_page_nothing() -> None:
    known = revisits()
    first = visited(known, answer(LONG), 0.0)
    failed = visited(known, Answer(Kind.FAILED, "time_out"), DAY, first.seen)
    assert (failed.state, failed.due) == (State.DONE, 3 * DAY)


@pytest.mark.parametrize("stored", [False, True])
def test_when_some_pages_of_a_folder_changed_the_others_are_due_sooner(stored: bool, tmp_path: Path) -> None:
    frontier: Frontier = SqliteFrontier(tmp_path / "frontier.db") if stored else MemoryFrontier()
    seen = _two_folders(frontier, 20)
    known = Revisits(FreshSettings(requests_per_day=4.0), frontier, 9 * DAY)
    known.LOOKED_AT = 7
    for second in range(8):  # all pages are counted
        assert known.wake(9 * DAY + second) == 0
    _find_changed(known, seen, 4)
    for hour in range(24):
        known.wake(13 * DAY + 3600 * hour)
    woken = {lease.url for lease in _all(frontier, 15 * DAY)}
    left = {page.url: page.due for page in frontier.due_pages(-1, 1_000)}
    frontier.close()
    assert len(woken) >= 3
    assert all("/news/" in url for url in woken)
    news, old = ([due for url, due in left.items() if folder in url] for folder in ("/news/", "/old/"))
    assert max(news) < min(old), "all of the folder come first"


def _all(frontier: Frontier, now: float) -> list[Lease]:
    found: list[Lease] = []
    while leases := frontier.lease(now, 10):
        found += leases
        for lease in leases:
            frontier.finish(lease, Ending(State.DONE, "200", now, 0.0))
    return found


def _two_folders(frontier: Frontier, pages: int) -> Seen:
    names = [f"http://a.example/{folder}/{n}.html" for folder in ("old", "news") for n in range(pages)]
    frontier.offer([Offer(Url(name)) for name in names])
    seen = Seen(0.0, 0.0, 3, 1.0, 40 * DAY, digest=1)
    while leases := frontier.lease(1e6, 10):
        for lease in leases:
            frontier.finish(lease, Ending(State.DONE, "200", 0.0, 0.0, seen=seen, due=60 * DAY))
    frontier.commit()
    return seen


def _find_changed(known: Revisits, seen: Seen, visits: int) -> None:
    """Pages of the folder news are visited that have changed, others of the folder old that have not."""
    for number in range(visits):
        now = (10 + number) * DAY
        for folder, text in (("news", "ข้อความใหม่ทั้งหมด " * 30), ("old", "")):
            url = Url(f"http://a.example/{folder}/x{number}.html")
            lease = Lease(99, url, "a.example", 0.0, 0, "", b"", 0, 0.0, 0, seen)
            said = answer(text) if text else Answer(Kind.PAGE, "", status=304)
            known.plan(lease, said, None, Ending(State.DONE, "200", now, visit=Visit(now)))


def test_a_look_leaves_a_page_alone_that_its_sitemap_has_named() -> None:
    frontier = MemoryFrontier()
    _two_folders(frontier, 20)
    named, other = Url("http://a.example/old/3.html"), Url("http://a.example/old/4.html")
    known = Revisits(FreshSettings(requests_per_day=0.1), frontier, DAY)
    assert known.hint("a.example", {named: DAY}, [named], 2 * DAY) == 1
    frontier.reschedule([(page.id, 2 * DAY) for page in frontier.due_pages(-1, 99) if page.url == other])
    known.wake(2 * DAY)
    dues = {page.url: page.due for page in frontier.due_pages(-1, 99)}
    assert dues[named] == 2 * DAY
    assert dues[other] > 10 * DAY


def test_what_was_learned_of_the_past_of_pages_is_kept_for_the_next_run() -> None:
    frontier = MemoryFrontier()
    seen = _two_folders(frontier, 20)
    known = Revisits(FreshSettings(requests_per_day=2.0), frontier, 9 * DAY)
    known.wake(9 * DAY + 1)
    kept = frontier.note(OWN_PAST) or 0.0
    assert kept == pytest.approx(known._trust.changes, abs=0.001)
    known._neighbours = None
    frontier.keep_note(OWN_PAST, 1.0)
    assert Revisits(FreshSettings(requests_per_day=2.0), frontier, 9 * DAY)._trust.changes < kept / 2
    assert seen.changes == 1.0


def test_the_price_is_found_again_when_many_pages_have_come() -> None:
    frontier = MemoryFrontier()
    known = Revisits(FreshSettings(requests_per_day=DAY, least_hours=1 / 3600), frontier, 0.0)
    known._paid = -1000.0  # nothing is woken here
    frontier.offer([Offer(Url(f"http://h{n}.example/")) for n in range(60)])
    prices = []
    for number, lease in enumerate(frontier.lease(0.0, 60)):
        wanted = Judgement(True, 1.0, "")
        at = 1.0 + number / 100
        ending = known.plan(lease, answer(LONG), wanted, Ending(State.DONE, "200", at, visit=Visit(at)))
        frontier.finish(lease, ending)
        known.wake(at)
        prices.append(known.price)
    assert prices[59] > 10 * prices[2] > 0, "sixty pages share what two had, within a second"
    dues = sorted(page.due for page in frontier.due_pages(-1, 99))
    assert dues[20] > 10.0, "and the first ones were looked at again"


def test_a_look_writes_only_what_is_due_soon_and_moved() -> None:
    frontier = CountingFrontier()
    seen = _two_folders(frontier, 500)
    known = Revisits(FreshSettings(requests_per_day=200.0), frontier, 0.0)
    for second in (60.0, 61.0):
        known.wake(second)
    assert frontier.told == 0, "all are due in weeks"
    _find_changed(known, seen, 4)
    known._next_look = 0.0
    known.wake(13 * DAY)
    first = frontier.told
    assert 0 < first <= 1_000
    known._next_look = 0.0
    known.wake(13 * DAY + 1.0)
    assert frontier.told == first, "nothing was seen since"


class CountingFrontier(MemoryFrontier):
    told = 0

    def reschedule(self, dues: Sequence[tuple[int, float]]) -> None:
        self.told += len(dues)
        super().reschedule(dues)


def test_no_more_pages_are_woken_than_the_budget_pays_for() -> None:
    frontier = MemoryFrontier()
    frontier.offer([Offer(Url(f"http://a.example/{n}")) for n in range(100)])
    for lease in frontier.lease(0.0, 100):
        frontier.finish(lease, Ending(State.DONE, "200", 0.0, seen=Seen(0.0, 0.0), due=10.0))
    known = Revisits(FreshSettings(requests_per_day=24.0), frontier, DAY)
    woken = [known.wake(DAY + number * 600) for number in range(1, 6 * 24 + 1)]
    assert 23 <= sum(woken) <= 24
    assert max(woken) == 1


class Changing(SmallWeb):
    """Pages whose number is a multiple of three change at every request, the others never; they know conditions."""

    def __init__(self) -> None:
        super().__init__(12, hosts=12)
        self.statuses: Counter[int] = Counter()

    def answer(self, host: str, path: str) -> web.Response:
        if path == "/robots.txt":
            return web.Response(text="")
        number = int(path.removeprefix("/p/").removesuffix(".html"))
        links = "".join(f'<a href="{self.url(n)}">หน้า</a>' for n in (2 * number + 1, 2 * number + 2) if n < self.pages)
        times = sum(arrival.path == path for arrival in self.arrivals)
        own = chr(0x0E01 + number) * 4 + (chr(0x0E01 + times) * 9 + " ") * (60 if number % 3 == 0 else 0)
        return web.Response(
            text=f"<html><p>{THAI * 3}{own}</p>{links}</html>",
            content_type="text/html",
            headers={"ETag": f'"{number}"'},
        )

    def least(self) -> int:
        """How often the page was asked for that was asked for least."""
        asked = Counter(arrival.path for arrival in self.arrivals)
        return min(asked[f"/p/{number}.html"] for number in range(self.pages))

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        found = await super()._serve(request)
        number = request.path.removeprefix("/p/").removesuffix(".html")
        if number.isdigit() and int(number) % 3 and request.headers.get("If-None-Match") == f'"{number}"':
            found = web.Response(status=304, headers={"ETag": f'"{number}"'})
        self.statuses[found.status] += 1
        return found


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Collection, Changing]:
    small = Changing()
    with small.serving():
        budgets = Budgets(free_disk_megabytes=0.0, idle_seconds=20.0)
        collection = collection_for(tmp_path_factory.mktemp("c") / "c", small, fresh=OFTEN, budgets=budgets)
        process = command("crawl", collection.path)
        end = time.monotonic() + 120
        # Not by time but by what came: every page three times at least, on a machine however busy.
        while (sum(small.statuses.values()) < 100 or small.least() < 3) and time.monotonic() < end:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        code, _, err = finish(process)
        assert code == 0, err
    return collection, small


def rows(collection: Collection, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(collection.frontier_file)) as db:
        return db.execute(sql).fetchall()


def test_pages_are_visited_again_and_are_still_one_page_each(crawled: tuple[Collection, Changing]) -> None:
    collection, small = crawled
    assert small.statuses[200] + small.statuses[304] > 40
    status = read_status(collection)
    assert (status.pages, status.wanted, status.done + status.waiting) == (12, 12, 12)


def test_a_server_that_knows_conditions_is_asked_with_them(crawled: tuple[Collection, Changing]) -> None:
    _, small = crawled
    assert small.statuses[304] > 5


def test_captures_over_time_say_what_changed(crawled: tuple[Collection, Changing]) -> None:
    collection, _ = crawled
    found = rows(
        collection,
        "SELECT u.url, c.status, c.change FROM capture c JOIN url u ON u.id = c.id WHERE c.change IS NOT NULL",
    )
    for url, _, change in found:
        number = int(str(url).rpartition("/")[2].removesuffix(".html"))
        assert (float(str(change)) > 0.1) == (number % 3 == 0), url
    assert {status for _, status, _ in found} == {200, 304}


def test_what_did_not_change_is_a_revisit_record_of_what_did(crawled: tuple[Collection, Changing]) -> None:
    collection, small = crawled
    kinds = Counter((stored.status, stored.revisit) for stored in read_archive(collection.archive_folder))
    assert kinds[304, True] == small.statuses[304]
    assert kinds[200, False] > 12


def test_why_tells_the_captures_of_a_page(crawled: tuple[Collection, Changing]) -> None:
    collection, small = crawled
    told = explain(collection, small.url(3))
    assert len(told.captures) > 1
    assert "changed" in told.captures[-1]
    assert told.next_visit


def test_the_same_command_goes_on_with_the_schedule(crawled: tuple[Collection, Changing]) -> None:
    collection, _ = crawled
    waiting = rows(
        collection, "SELECT count(*) FROM revisit r JOIN url u ON u.id = r.id WHERE due IS NULL AND state = 1"
    )
    assert waiting == [(0,)]


def test_how_up_to_date_it_is_follows_what_the_crawl_has_learned_of_the_past_of_pages(tmp_path: Path) -> None:
    collection = collection_for(tmp_path / "c", SmallWeb(1, 1))
    shares = []
    with closing(SqliteFrontier(collection.frontier_file)) as frontier:
        frontier.offer([Offer(Url(f"http://h.example/{n}")) for n in range(40)])
        while leases := frontier.lease(1e6, 40):
            for lease in leases:
                changes = 30.0 if len(lease.url) % 2 else 0.0
                seen = Seen(0.0, 90 * DAY, 30, changes, 90 * DAY, digest=1)
                frontier.finish(lease, Ending(State.DONE, "200", 90 * DAY, 0.0, seen=seen, due=200 * DAY))
            frontier.commit()
    for trust in (0.5, 500.0):
        with closing(SqliteFrontier(collection.frontier_file)) as frontier:
            frontier.keep_note(OWN_PAST, trust)
        shares.append(read_freshness(collection, 100 * DAY).up_to_date or 0.0)
    assert shares[0] > shares[1] + 0.02, "pages that never changed are believed to stay so, or drawn to the others"


def test_how_up_to_date_it_is_can_be_asked(crawled: tuple[Collection, Changing]) -> None:
    collection, _ = crawled
    found = read_freshness(collection)
    assert (found.pages, found.settled) == (12, 0)
    assert found.low is not None
    assert found.high is not None
    assert found.up_to_date is not None
    assert 0 <= found.low <= found.up_to_date <= found.high <= 1
    shares = [one.up_to_date for one in found.budgets]
    assert shares == sorted(shares)
    # Every third page changes all the time, the others never.
    assert found.hosts[0].changes_per_week > 2 * found.hosts[-1].changes_per_week


def test_texts_are_of_the_last_capture_or_of_all_or_of_a_time(crawled: tuple[Collection, Changing]) -> None:
    collection, small = crawled
    folder = collection.archive_folder
    every = list(read_texts(folder, page_text, every=True))
    last = list(read_texts(folder, page_text))
    assert len(every) > len(last) == 12
    times = sorted(text.time for text in every if text.url == small.url(3))
    assert [text.time for text in last if text.url == small.url(3)] == times[-1:]
    early = read_texts(folder, page_text, datetime.fromisoformat(times[0]))
    assert [text.time for text in early if text.url == small.url(3)] == times[:1]


# ── what sitemaps say ────────────────────────────────────────────────────────────────────────────


def watched(count: int) -> tuple[Revisits, MemoryFrontier, list[Url]]:
    """Pages of one host that were seen at 0 and are due in a year."""
    frontier = MemoryFrontier()
    known = Revisits(FreshSettings(requests_per_day=1000.0), frontier, 0.0)
    urls = [Url(f"http://a.example/{number}") for number in range(count)]
    frontier.offer([Offer(url) for url in urls])
    for lease in frontier.lease(0.0, count):
        frontier.finish(lease, Ending(State.DONE, "200", 0.0, visit=Visit(0.0), seen=Seen(0.0, 0.0), due=365 * DAY))
    return known, frontier, urls


def test_a_page_that_changed_as_its_sitemap_says_is_due_at_once() -> None:
    known, frontier, urls = watched(2)
    assert known.hint("a.example", {urls[0]: DAY}, urls, 2 * DAY) == 1
    assert frontier.next_due() == 2 * DAY
    assert frontier.wake(2 * DAY, 2 * DAY, 10) == 1
    assert frontier.lease(2 * DAY)[0].url == urls[0]


def test_a_change_before_the_last_visit_is_old_news() -> None:
    known, frontier, urls = watched(1)
    assert known.hint("a.example", {urls[0]: -DAY}, urls, 2 * DAY) == 0
    assert frontier.next_due() == 365 * DAY


def test_nobody_speaks_for_the_pages_of_others() -> None:
    known, _, urls = watched(1)
    assert known.hint("b.example", {urls[0]: DAY}, urls, 2 * DAY) == 0


def test_a_host_whose_hints_are_wrong_is_not_heard_any_more_and_why_says_so() -> None:
    known, frontier, urls = watched(10)
    for number in range(Revisits.LIES):
        now = (2 + number) * DAY
        assert known.hint("a.example", {urls[number]: now - 1}, urls, now) == 1
        frontier.wake(now, now, 1)
        (lease,) = frontier.lease(now)
        same = Answer(Kind.OTHER, "304", status=304)
        ending = known.plan(lease, same, None, Ending(State.DONE, "304", now, visit=Visit(now)))
        assert ending.reason == "304; unchanged; its sitemap said that it had changed"
        frontier.finish(lease, ending)
    assert known.hint("a.example", {urls[9]: 9 * DAY}, urls, 10 * DAY) == 0


def test_a_sitemap_is_read_again_and_other_dates_are_a_change() -> None:
    known = revisits()

    def read(at: float, changed: dict[Url, float], seen: Seen | None) -> Ending:
        said = Answer(Kind.SITEMAP, "sitemap", status=200, listed=[URL], changed=changed)
        lease = Lease(1, Url("http://a.example/sitemap.xml"), "a.example", 0.0, 0, "", b"", 0, 0.0, 0, seen)
        return known.plan(lease, said, None, Ending(State.DONE, said.reason, at, visit=Visit(at)))

    first = read(0.0, {}, None)
    assert first.due is not None
    same = read(DAY, {}, first.seen)
    assert (same.change, same.reason) == (0.0, "sitemap; unchanged")
    other = read(2 * DAY, {URL: DAY}, same.seen)
    assert (other.change, other.reason) == (1.0, "sitemap; lists something else")


def test_a_crawl_hears_from_the_sitemap_which_page_changed(tmp_path: Path) -> None:
    changed: list[float] = []
    visits: Counter[str] = Counter()

    def site(host: str, path: str) -> web.Response:
        visits[path] += 1
        if path == "/robots.txt":
            return web.Response(text="User-agent: *\nSitemap: http://h0.example/sitemap.xml\n")
        if path == "/sitemap.xml":
            rows = "".join(f"<url><loc>/p/{n}.html</loc><lastmod>2026-01-0{n + 1}</lastmod></url>" for n in range(4))
            if changed:
                stamp = datetime.fromtimestamp(changed[0], UTC).isoformat()
                rows = rows.replace("2026-01-03", stamp)
            return web.Response(text=f"<urlset>{rows}</urlset>", content_type="application/xml")
        new = "ใหม่ทั้งหมด " * 50 if changed and path == "/p/2.html" else ""
        return web.Response(text=f"<html><body><p>{new or LONG}{path}</p>", content_type="text/html")

    slow = FreshSettings(requests_per_day=4 * DAY, least_hours=0.2 / 3600)
    with SmallWeb(1, 1, handler=site).serving() as small:
        collection = collection_for(tmp_path / "c", small, scope=ScopeSettings(sitemaps=True), fresh=slow)
        process = command("crawl", collection.path, "--quiet")
        until = time.time() + 60
        while time.time() < until and not (visits["/p/2.html"] and visits["/sitemap.xml"] >= 2):
            time.sleep(0.05)
        changed.append(time.time())
        while time.time() < until and not any("changed:" in line for line in lines_of(collection, "/p/2.html")):
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        finish(process)
    assert {f"/p/{number}.html" for number in range(4)} <= set(visits)
    assert any("of its text changed" in line for line in explain(collection, "http://h0.example/p/2.html").captures)
    assert visits["/sitemap.xml"] >= 2


def lines_of(collection: Collection, path: str) -> list[str]:
    if not collection.log_file.exists():
        return []
    return [line for line in collection.log_file.read_text().splitlines() if f"{path} " in line]


def test_revisits_leave_discovery_its_share_while_pages_are_found() -> None:
    known, frontier, _ = watched(50)
    frontier.offer([Offer(Url(f"http://b.example/{number}")) for number in range(50)])
    lease = Lease(1, URL, "b.example", 0.0, 0, "", b"", 0, 0.0)
    now = DAY
    known.plan(lease, Answer(Kind.OTHER, "404", status=404), None, Ending(State.DONE, "404", now))
    known.plan(lease, Answer(Kind.OTHER, "404", status=404), None, Ending(State.DONE, "404", now))
    assert known.wake(now + 1) == 2  # two were found, two may be visited again
    assert known.wake(now + 2) == 0
    later = now + 3600.0  # nothing is found any more: all that is paid for
    assert known.wake(later) > 30


def test_why_tells_a_page_that_waits_for_its_next_visit_from_one_that_never_had_any() -> None:
    story = Story(Url("http://a.example/"), State.WAITING, "200", "a.example", 1.0, 0, "", b"", 0)
    assert why_of(story) == "waits for its turn"
    seen = msgspec.structs.replace(story, visit=Visit(0.0, 200, "text/html", 9, True))
    assert why_of(seen) == "fetched on 1970-01-01T00:00:00+00:00; waits to be visited again"
    assert "tried 2 times" in why_of(msgspec.structs.replace(seen, attempts=2))


def test_when_a_page_changed_is_heard_from_its_server() -> None:
    known = revisits()
    first = visited(known, answer(LONG), 0.0)
    new = "ข้อความใหม่ทั้งหมด ไม่มีอะไรเหมือนเดิม " * 30
    told = Exchange(URL, status=200, outcome="ok", headers=(("Last-Modified", "Thu, 01 Jan 1970 06:00:00 GMT"),))
    dated = msgspec.structs.replace(answer(new), exchange=told)
    again, undated = (visited(known, one, 100 * DAY, first.seen) for one in (dated, answer(new)))
    assert again.reason.endswith("of its text, last 1970-01-01 06:00 as its server says")
    assert again.seen is not None
    assert undated.seen is not None
    assert again.seen.changes == 1.0 < 1.1 < undated.seen.changes
    assert again.seen.seconds == pytest.approx(99.75 * DAY)
    assert undated.seen.seconds == pytest.approx(100 * DAY)
