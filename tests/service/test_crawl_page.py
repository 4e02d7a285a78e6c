"""The Crawl page: a real crawl in a process of its own, with a person looking on in Chromium."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.durability.small_web import QUICK, collection_for, command, finish
from tests.service.conftest import client_of, serving
from tests.service.lively_web import LivelyWeb

from phasa.archive_settings import ArchiveSettings
from phasa.collection import Collection
from phasa.crawl.run.control import Orders, give_orders, read_orders
from phasa.crawl.run.estimate import read_estimate
from phasa.crawl.run.status import Status, is_running, read_status
from phasa.service.crawl_process import start_crawl, stop_crawl
from phasa.service.crawl_status import CrawlTables, crawl_history

expect.set_options(timeout=30_000)  # a shared machine may be slow; what never comes still fails


def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for something to become true."""
    for _ in range(int(seconds / 0.05)):
        if true():
            return
        time.sleep(0.05)
    pytest.fail("it never happened")


def opened(browser: Browser, link: str, **settings: object) -> Page:
    page = browser.new_page(**settings)  # type: ignore[arg-type]
    page.on("pageerror", lambda problem: pytest.fail(str(problem)))
    page.goto(link)
    return page


def number(page: Page, name: str) -> float:
    """A figure of the page."""
    text = page.locator(f"#figures [data-live={name}]").inner_text()
    found = re.search(r"[\d,.]+", text)
    return float(found[0].replace(",", "")) if found else -1.0


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """A collection whose crawl is over: the tests of this module that do not crawl only look at it."""
    small = LivelyWeb(60, seconds=0.15)  # long enough for a line: a sample a second
    with small.serving():
        collection = collection_for(tmp_path_factory.mktemp("page") / "thai-web", small)
        finish(command("crawl", collection.path, "--quiet"))
    return collection


# ── without a browser ────────────────────────────────────────────────────────────────────────────


def test_a_collection_never_crawled_says_so_and_how_to_begin(empty: Collection) -> None:
    with client_of(empty) as client:
        page = client.get("/crawl").text
        assert "Nothing has been crawled yet" in page
        assert "A crawl begins at seeds" in page
        assert client.get("/api/crawl").json()["state"] == "never"
        assert client.get("/api/crawl/tables").json() == msgspec.to_builtins(
            CrawlTables(counted=1.0, hosts=[], segments=[], levels=[], wanted_hosts=0)
        )
        assert client.get("/api/crawl/history").json()["pages"] == []


def test_the_api_tells_the_numbers_the_history_and_the_tables(crawled: Collection) -> None:
    with client_of(crawled) as client:
        now = client.get("/api/crawl").json()
        assert (now["state"], now["pages"], now["waiting"]) == ("rest", 60, 0)
        assert now["ended"] == "nothing is left to fetch"
        assert now["harvest"] == read_status(crawled).harvest
        client.app.state.service.log_reader.catch_up()  # type: ignore[attr-defined]
        tables = client.get("/api/crawl/tables?limit=3").json()
        assert len(tables["hosts"]) == len(tables["segments"]) == 3
        assert tables["counted"] == 1.0
        shares = {host["name"]: host["harvest"] for host in client.get("/api/crawl/tables").json()["hosts"]}
        assert shares["news.example.th"] == 1.0
        assert 0 < shares["blog.example.com"] < 1
        levels = client.get("/api/crawl/tables?limit=200").json()["levels"]
        assert sum(level["pages"] for level in levels) == 60
        assert sum(level["wanted"] for level in levels) == now["wanted"]
        assert tables["wanted_hosts"] == sum(share > 0 for share in shares.values())
        history = client.get("/api/crawl/history?points=2").json()
        assert history["pages"][-1] == 60
        assert len({len(column) for column in history.values()}) == 1


def test_the_story_of_a_url_is_told_in_any_spelling(crawled: Collection) -> None:
    with client_of(crawled) as client:
        told = client.get("/api/crawl/why", params={"url": "HTTP://News.Example.th:80/pa.html"}).json()
        assert (told["state"], told["wanted"], told["found_on"]) == ("done", True, ["the seeds"])
        assert client.get("/api/crawl/why?url=nonsense").status_code == 400
        page = client.get("/crawl", params={"url": "http://nowhere.example/"}).text
        assert "no page that was fetched so far links to it" in page
        assert "not an http or https address" in client.get("/crawl?url=javascript:alert(1)").text


def test_orders_by_the_api(empty: Collection) -> None:
    with client_of(empty) as client:
        assert client.post("/api/crawl/pause", json={}).status_code == 409  # nothing runs
        assert client.post("/api/crawl/stop", json={}).status_code == 409
        assert client.post("/api/crawl/budgets", json={"pages": 100, "delay": 2.5}).json() == {
            "pages": 100,
            "delay": 2.5,
        }
        assert client.post("/api/crawl/budgets", json={"pages": -1}).status_code == 400
        assert client.post("/api/crawl/budgets", json={"delay": "soon"}).status_code == 400
        assert read_orders(empty) == Orders(pages=100, delay=2.5)
        assert client.post("/api/crawl/budgets", json={}).json() == {}
        added = client.post("/api/crawl/seeds", json={"seeds": "http://a.example/\nxx\n\nhttp://a.example/"}).json()
        assert added == {"added": ["http://a.example/"], "known": ["http://a.example/"], "junk": ["xx"]}
        assert empty.seeds() == ["http://a.example/"]
        assert client.post("/api/crawl/seeds", json={"seeds": " \n "}).status_code == 400


def test_an_estimate_of_what_is_left_is_drawn_and_shown_in_every_language(tmp_path: Path) -> None:
    small = LivelyWeb(300)
    with small.serving():
        collection = collection_for(tmp_path / "web", small)
        finish(command("crawl", collection.path, "--quiet", "--pages", "60"))
        with client_of(collection) as client:
            assert client.post("/api/crawl/estimate", json={"size": 0}).status_code == 400
            drawn = client.post("/api/crawl/estimate", json={"size": 30}).json()
            assert (drawn["asked"], drawn["open"], drawn["at_most"]) == (30, 30, drawn["waiting"])
            finish(command("crawl", collection.path, "--quiet", "--pages", "150"))
            for code, digits in (("en", "30 were drawn, 0 of"), ("th", "30 "), ("fa", "۳۰")):
                shown = client.get("/crawl", params={"ui": code}).text
                assert digits in shown[shown.index('id="left"') :][:700]
        found = read_estimate(collection)
    assert found is not None
    assert found.open == 0
    assert found.at_least <= found.pages <= found.at_most


def test_nothing_changes_by_get(empty: Collection) -> None:
    before = sorted(empty.path.rglob("*"))
    with client_of(empty) as client:
        for order in ("pause", "resume", "start", "stop", "seeds", "budgets"):
            assert client.get(f"/api/crawl/{order}").status_code == 405
    assert [path for path in sorted(empty.path.rglob("*")) if "service" not in path.parts] == before


def test_a_form_without_the_secret_of_the_page_is_refused(empty: Collection) -> None:
    with client_of(empty) as client:
        answer = client.post("/api/crawl/budgets", data={"pages": "5"})
        assert answer.status_code == 403
        assert read_orders(empty) == Orders()


def test_forms_work_without_a_script(empty: Collection) -> None:
    with client_of(empty) as client:
        csrf = re.search(r'name="csrf" value="([^"]+)"', client.get("/crawl").text)
        assert csrf
        form = {"csrf": csrf[1], "back": "/crawl", "pages": "7", "seconds": ""}
        answer = client.post("/api/crawl/budgets", data=form)
        assert (answer.status_code, answer.headers["location"]) == (303, "/crawl")
        assert read_orders(empty) == Orders(pages=7)


def test_a_crawl_is_started_only_where_nobody_else_can_reach_the_application(empty: Collection) -> None:
    with client_of(empty, token="a-long-enough-secret", address="0.0.0.0") as client:
        client.headers["authorization"] = "Bearer a-long-enough-secret"
        assert "Start crawl" not in client.get("/crawl").text
        answer = client.post("/api/crawl/start", json={})
        assert answer.status_code == 409
        assert "this machine" in answer.json()["error"]


def test_a_crawl_that_cannot_start_says_why(empty: Collection) -> None:
    with client_of(empty) as client:
        answer = client.post("/api/crawl/start", json={})
        if answer.status_code != 200:  # else it began before it noticed
            assert answer.status_code == 409
            assert "no seeds" in answer.json()["error"]
        # It lets go of the collection before it says why.
        until(lambda: "there are no seeds" in client.get("/crawl").text)


def test_events_come_as_the_crawl_goes(crawled: Collection) -> None:
    with serving(crawled) as link:
        import urllib.request

        with urllib.request.urlopen(f"{link}/api/crawl/events", timeout=20) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            text = b""
            while b"event: tables" not in text:
                text += stream.readline()
    data = next(line for line in text.split(b"\n") if line.startswith(b"data: "))
    assert msgspec.json.decode(data[6:], type=Status).pages == 60


def test_prometheus_figures(crawled: Collection) -> None:
    with client_of(crawled) as client:
        text = client.get("/metrics").text
    assert "phasa_pages_total 60\n" in text
    assert 'phasa_urls{state="done"} 60\n' in text
    assert "phasa_crawl_running 0\n" in text
    assert re.search(r"^phasa_harvest 0\.\d+$", text, re.M)


def test_a_broken_frontier_is_said_and_nothing_falls(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "c")
    collection.frontier_file.write_bytes(b"this is no database" * 100)
    with client_of(collection) as client:
        assert client.get("/api/crawl").status_code == 503
        assert "frontier.db" in client.get("/crawl").text


def test_the_history_is_thinned_without_losing_its_ends(crawled: Collection, tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "c")
    collection.reports_folder.mkdir()
    lines = ['{"every":1.0}'] + [f"[{t}.0,{t * 3},{t},{t * 3},0.5,10,5,1,1,2,0.5]" for t in range(1, 1901)]
    (collection.reports_folder / "history.jsonl").write_text("\n".join(lines) + "\n")
    thin = crawl_history(collection, 100)
    assert (len(thin.pages), thin.pages[0], thin.pages[-1]) == (100, 3, 5700)
    assert set(thin.pages_per_second) == {3.0}
    assert thin.seconds[-1] == 1899.0


def test_a_night_between_two_runs_is_no_time_of_work(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "c")
    collection.reports_folder.mkdir()
    lines = ['{"every":1.0}'] + [
        f"[{t}.0,{p},0,{p},0.5,10,5,1,1,2,0.5]" for t, p in ((1, 1), (2, 2), (40000, 3), (40001, 4))
    ]
    (collection.reports_folder / "history.jsonl").write_text("\n".join(lines) + "\n")
    assert crawl_history(collection, 100).seconds == [0.0, 1.0, 1.0, 2.0]


# ── hostile ──────────────────────────────────────────────────────────────────────────────────────

HOSTILE = "http://evil.example/%3Cscript%3Ealert(1)%3C/script%3E/\u202etxt.exe"


def test_hostile_addresses_show_as_text(tmp_path: Path, browser: Browser) -> None:
    small = LivelyWeb(6, seconds=0.0)
    seeds = [small.url(0), "http://evil.example/<img src=x onerror=alert(1)>", "http://evil.example/" + "a" * 1500]
    with small.serving():
        collection = collection_for(tmp_path / "c", small, archive=ArchiveSettings(keep=False), seeds=seeds)
        finish(command("crawl", collection.path, "--quiet"))
    with serving(collection) as link:
        page = browser.new_page()
        page.on("dialog", lambda dialog: pytest.fail("a script of the web ran"))
        page.on("pageerror", lambda problem: pytest.fail(str(problem)))
        for url in (seeds[1], HOSTILE, '"><script>alert(1)</script>', "http://x.example/\u202egnp.exe"):
            page.goto(link + "/crawl")
            page.fill("input[name=url]", url)
            page.keyboard.press("Enter")
            page.wait_for_selector("#story .told, #story .message.bad")
            assert page.locator("#story script, #story img").count() == 0
            assert "\u202e" not in page.locator("#story .told, #story .message.bad").first.inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]  # type: ignore[index]
        page.close()


# ── with a person looking on ─────────────────────────────────────────────────────────────────────


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[tuple[LivelyWeb, Collection]]:
    """A web slow enough to watch, and a collection that has seeds and was never crawled."""
    small = LivelyWeb(1500, seconds=0.1)
    with small.serving():
        collection = collection_for(
            tmp_path / "thai-web", small, archive=ArchiveSettings(keep=False), connections=4, politeness=QUICK
        )
        yield small, collection
        if is_running(collection):
            stop_crawl(collection)
            until(lambda: not is_running(collection))


def test_a_crawl_from_start_to_stop(watched: tuple[LivelyWeb, Collection], browser: Browser) -> None:
    small, collection = watched
    with serving(collection) as link:
        page = opened(browser, link + "/crawl")
        expect(page.locator("#state")).to_have_text("Not started")
        page.get_by_role("button", name="Start crawl").click()
        expect(page.locator("#state")).to_have_text("Running", timeout=60_000)

        # Numbers and charts move by themselves.
        until(lambda: page.locator("#chart-harvest path.line").count() >= 2)
        before = number(page, "pages")
        until(lambda: number(page, "pages") > before + 20)
        until(lambda: page.locator("#fetching li").count() > 0)
        path = page.locator("#chart-waiting path.line").get_attribute("d")
        until(lambda: page.locator("#chart-waiting path.line").get_attribute("d") != path)
        expect(page.locator("#hosts tbody tr").first).to_be_visible(timeout=20_000)

        # Pause stops fetching.
        page.get_by_role("button", name="Pause").click()
        expect(page.locator("#state")).to_have_text("Paused", timeout=10_000)
        time.sleep(1.0)
        asked = len(small.arrivals)
        time.sleep(2.0)
        assert len(small.arrivals) == asked
        expect(page.locator("#fetching-none")).to_be_visible()
        expect(page.get_by_role("button", name="Pause")).to_be_hidden()

        # A budget and a seed, given while it is paused.
        page.fill("input[name=delay]", "0.01")
        page.get_by_role("button", name="Set budgets").click()
        expect(page.locator("#message")).to_contain_text("Set.")
        assert read_orders(collection).delay == 0.01
        page.fill("textarea[name=seeds]", "http://late.example/p" + "zz.html\nnot an address")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.locator("#message")).to_contain_text("1 added; no addresses: not an address")

        # Resume goes on, with the new seed.
        page.get_by_role("button", name="Resume").click()
        expect(page.locator("#state")).to_have_text("Running", timeout=10_000)
        until(lambda: len(small.arrivals) > asked + 10)
        until(lambda: any(arrival.host == "late.example" for arrival in small.arrivals))

        # An estimate of what is left: drawn here, fetched by the crawl, told as it comes.
        page.get_by_role("button", name="Estimate").click()
        expect(page.locator("#message")).to_contain_text("addresses were drawn")
        expect(page.locator("#left")).to_contain_text("95 % sure", timeout=10_000)
        expect(page.locator("#left")).to_contain_text(re.compile(r"drawn, \d\d? of them still wait"), timeout=60_000)

        # A page limit ends the run, and the page says why.
        page.fill("input[name=pages]", "1")
        page.keyboard.press("Enter")
        expect(page.locator("#state")).to_have_text("Not running", timeout=20_000)
        expect(page.locator("#sub")).to_contain_text("the limit of 1 pages is reached")
        expect(page.get_by_role("button", name="Start crawl")).to_be_visible()
        page.close()


def test_stop_ends_the_crawl_in_good_order(watched: tuple[LivelyWeb, Collection], browser: Browser) -> None:
    _, collection = watched
    start_crawl(collection)
    until(lambda: read_status(collection).pages > 10)
    with serving(collection) as link:
        page = opened(browser, link + "/crawl", viewport={"width": 360, "height": 740}, color_scheme="dark")
        expect(page.locator("#state")).to_have_text("Running")
        page.get_by_role("button", name="Stop").click()
        expect(page.locator("#state")).to_have_text("Not running", timeout=20_000)
        expect(page.locator("#sub")).to_contain_text("stopped from another process")
        expect(page.locator("#levels tbody tr").first).to_contain_text("%")
        page.close()
    assert (collection.reports_folder / "hosts.tsv").exists()  # written only at a clean end


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_everything_without_scrolling_sideways(
    crawled: Collection, browser: Browser, scheme: str
) -> None:
    with serving(crawled) as link:
        page = opened(browser, link + "/crawl", viewport={"width": 360, "height": 740}, color_scheme=scheme)
        page.wait_for_selector("#chart-harvest path.line", timeout=20_000)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", background))) < 200) == (scheme == "dark")
        page.close()


def test_search_leads_to_the_story_by_keyboard(crawled: Collection, browser: Browser) -> None:
    with serving(crawled) as link:
        page = opened(browser, link + "/crawl")
        page.locator("input[name=url]").focus()
        page.keyboard.type(LivelyWeb(60).url(40))
        page.keyboard.press("Enter")
        story = page.locator("#story .told")
        expect(story).to_contain_text("done")
        expect(story).to_contain_text("links from a seed")
        far = re.search(r"(\d+) links from a seed", story.inner_text())
        assert far
        assert story.locator(".chain li").count() == int(far[1])
        page.close()


def test_a_chart_tells_its_numbers_to_mouse_and_keyboard(crawled: Collection, browser: Browser) -> None:
    with serving(crawled) as link:
        page = opened(browser, link + "/crawl")
        page.wait_for_selector("#chart-harvest path.line", timeout=20_000)
        plot = page.locator("#chart-harvest svg")
        assert plot.locator("text.title").all_text_contents() == ["share in the language", "pages fetched"]
        plot.focus()
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#chart-harvest .tip")).to_contain_text("all pages")
        page.keyboard.press("Escape")
        expect(page.locator("#chart-harvest .tip")).to_be_hidden()
        box = plot.bounding_box()
        assert box
        page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
        expect(page.locator("#chart-harvest .tip")).to_contain_text("%")
        page.close()


def test_what_was_ordered_elsewhere_shows_here(crawled: Collection) -> None:
    give_orders(crawled, delay=3.0)
    try:
        with client_of(crawled) as client:
            assert client.get("/api/crawl").json()["limits"]["delay"] == 3.0
            assert 'name="delay" min="0" max="86400" step="any" value="3"' in client.get("/crawl").text
    finally:
        give_orders(crawled, delay=None)
