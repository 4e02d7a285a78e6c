"""The Feeds page: rhythms, plans, the dial by mouse and keyboard, adding, OPML, and posts that mean harm."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.service.conftest import client_of, serving
from tests.service.feed_stock import HOSTILE_TITLE, PERSIAN_TITLES, THAI_TITLES, fill

from phasa.collection import Collection
from phasa.feeds.store import FeedStore

OPML = """<opml version="2.0"><body><outline text="ข่าว"><outline type="rss" text="One" xmlUrl="https://one.example/rss"/>
<outline type="rss" text="bad" xmlUrl="javascript:alert(1)"/></outline></body></opml>"""

expect.set_options(timeout=30_000)  # a shared machine may be slow; what never comes still fails


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """A collection with a month of feeds, hostile ones among them; tests only look at it."""
    collection = Collection.create(tmp_path_factory.mktemp("feeds") / "thai-web")
    fill(collection.path / "feeds.db", hostile=True)
    return collection


def opened(browser: Browser, link: str, **settings: object) -> Page:
    page = browser.new_page(**settings)  # type: ignore[arg-type]
    page.on("pageerror", lambda problem: pytest.fail(str(problem)))
    page.on("dialog", lambda dialog: pytest.fail("a script of a feed ran"))
    page.goto(link)
    return page


# ── without a browser ────────────────────────────────────────────────────────────────────────────


def test_without_feeds_the_page_says_how_to_begin(empty: Collection) -> None:
    with client_of(empty) as client:
        assert "No feed yet" in client.get("/feeds").text
        assert client.get("/api/feeds").json()["count"] == 0
        assert client.get("/api/feeds/dial").json()["curve"] == []
        assert client.get("/api/feeds/latest").json() == client.get("/api/feeds/next").json() == []
        assert client.get("/feeds/1").status_code == client.get("/api/feeds/1").status_code == 404
        assert ElementTree.fromstring(client.get("/api/feeds/opml").content).tag == "opml"
    assert not (empty.path / "feeds.db").exists()  # looking makes nothing


def test_the_list_tells_days_delays_and_next_polls(watched: Collection) -> None:
    with client_of(watched) as client:
        feeds = client.get("/api/feeds").json()
        assert (feeds["count"], feeds["pages"]) == (5, 1)
        thai = feeds["feeds"][0]
        assert thai["feed"]["title"] == "ข่าวเช้า ประเทศไทย"
        assert thai["hours"][2] == max(thai["hours"])
        assert 0.5 < thai["feed"]["achieved_delay"] <= 1.0
        assert thai["feed"]["expected_delay"] == 0.5
        due = [feed["next_poll"] for feed in client.get("/api/feeds/next").json()]
        assert due == sorted(due)
        for order in ("title", "next", "delay", "posts", "polls", "failures"):
            assert client.get(f"/api/feeds?order={order}").json()["order"] == order
        assert client.get("/api/feeds?order=nonsense").status_code == 400
        assert [row["feed"]["id"] for row in client.get("/api/feeds?order=posts").json()["feeds"]][:2] == [2, 1]


def test_one_feed_tells_its_week_in_the_zone_of_the_reader(watched: Collection) -> None:
    with client_of(watched) as client:
        utc = client.get("/api/feeds/1").json()
        bangkok = client.get("/api/feeds/1?zone=Asia/Bangkok&per_day=4").json()
        assert sum(map(sum, utc["week"])) == sum(map(sum, bangkok["week"])) > 300
        monday = utc["week"][0]
        assert monday.index(max(monday)) == 2
        assert bangkok["week"][0].index(max(bangkok["week"][0])) == 9
        assert {plan["cluster"] for plan in bangkok["rhythm"]} == {"weekday", "weekend"}
        assert all(len(plan["points"]) == 4 for plan in bangkok["rhythm"])
        delays = [point["expected_delay"] for point in utc["curve"]]
        assert delays == sorted(delays, reverse=True)
        assert utc["plans"][0]["points"] == [2, 4, 10]
        assert client.get("/api/feeds/1?zone=Mars/Olympus").status_code == 400
        assert client.get("/api/feeds/1?zone=../../etc/passwd").status_code == 400
        assert client.get("/api/feeds/99").status_code == 404
        assert client.get("/feeds/x").status_code in (400, 404)


def test_more_polls_bring_less_delay_on_the_dial(watched: Collection) -> None:
    with client_of(watched) as client:
        dial = client.get("/api/feeds/dial").json()
    delays = [point["expected_delay"] for point in dial["curve"]]
    assert len(delays) > 5
    assert delays == sorted(delays, reverse=True)
    assert 10 < dial["now"] < 30
    assert dial["achieved"] == pytest.approx(0.95, abs=0.1)


def test_a_feed_is_added_by_post_only_and_once(empty: Collection) -> None:
    with client_of(empty) as client:
        assert client.post("/api/feeds", json={"url": "one.example/rss"}).json() == {
            "url": "https://one.example/rss",
            "added": True,
        }
        assert not client.post("/api/feeds", json={"url": "https://ONE.example/rss"}).json()["added"]
        for bad in ("javascript:alert(1)", "file:///etc/passwd", "", "nonsense"):
            assert client.post("/api/feeds", json={"url": bad}).status_code == 400
        assert client.post("/api/feeds", data={"url": "https://two.example/"}).status_code == 403
    with FeedStore(empty.path / "feeds.db", read_only=True) as store:
        assert [feed.url for feed in store.feeds()] == ["https://one.example/rss"]


def test_lists_go_in_and_out(empty: Collection) -> None:
    with client_of(empty) as client:
        done = client.post("/api/feeds/import", json={"opml": OPML}).json()
        assert (done["added"], done["known"], len(done["passed_over"])) == (1, 0, 1)
        assert client.post("/api/feeds/import", json={"opml": OPML}).json()["known"] == 1
        assert client.post("/api/feeds/import", json={"opml": "<html/>"}).status_code == 400
        out = client.get("/api/feeds/opml")
        assert "attachment" in out.headers["content-disposition"]
        outline = next(node for node in ElementTree.fromstring(out.content).iter() if node.get("xmlUrl"))
        assert outline.get("xmlUrl") == "https://one.example/rss"


def test_forms_work_without_a_script(empty: Collection) -> None:
    with client_of(empty) as client:
        csrf = re.search(r'name="csrf" value="([^"]+)"', client.get("/feeds").text)
        assert csrf
        form = {"csrf": csrf[1], "back": "/feeds", "url": "https://one.example/rss"}
        assert client.post("/api/feeds", data=form).headers["location"] == "/feeds"
        assert "https://one.example/rss" in client.get("/feeds").text


def test_a_long_list_comes_in_pages(empty: Collection) -> None:
    with FeedStore(empty.path / "feeds.db") as store:
        for number in range(120):
            store.add(f"https://feeds.example/{number}", 0.0)
    with client_of(empty) as client:
        pages = [client.get(f"/api/feeds?page={page}").json() for page in (1, 2, 3, 99)]
        assert [len(page["feeds"]) for page in pages] == [50, 50, 20, 20]
        assert "Page 2 of 3" in client.get("/feeds?page=2").text


def test_prometheus_figures(watched: Collection) -> None:
    with client_of(watched) as client:
        text = client.get("/metrics").text
    assert "phasa_feeds 5\n" in text
    assert re.search(r'^phasa_feeds_delay_hours\{kind="achieved"\} 0\.9', text, re.M)


def test_a_broken_store_is_said_and_the_other_pages_stand(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "c")
    (collection.path / "feeds.db").write_bytes(b"no database" * 1000)
    with client_of(collection) as client:
        assert client.get("/api/feeds").status_code == 503
        assert client.get("/metrics").status_code == 200


def test_a_title_of_a_megabyte_is_not_sent(watched: Collection) -> None:
    with client_of(watched) as client:
        assert len(client.get("/feeds").content) < 200_000
        assert len(client.get("/api/feeds/latest?count=500").content) < 1_000_000
        page = client.get("/feeds").text
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "javascript:" not in page


# ── in Chromium ──────────────────────────────────────────────────────────────────────────────────


def test_hostile_posts_show_as_text(watched: Collection, browser: Browser) -> None:
    with serving(watched) as link:
        for path in ("/feeds", "/feeds/5"):
            page = opened(browser, link + path)
            assert page.locator("main img").count() == 0
            assert HOSTILE_TITLE[:30] in page.locator("main").inner_text()
            assert page.evaluate("document.documentElement.scrollWidth") <= 1280
            page.close()


def test_thai_and_persian_stand_as_written(watched: Collection, browser: Browser) -> None:
    with serving(watched) as link:
        page = opened(browser, link + "/feeds/1")
        expect(page.locator(".posts")).to_contain_text(THAI_TITLES[0])
        page.goto(link + "/feeds/2")
        title = page.locator(".posts bdi", has_text=PERSIAN_TITLES[2]).first
        assert title.evaluate("node => getComputedStyle(node).direction") == "rtl"
        page.close()


def test_the_dial_turns_by_mouse_and_keyboard(watched: Collection, browser: Browser) -> None:
    with serving(watched) as link:
        page = opened(browser, link + "/feeds")
        says, shown = page.locator("#dial-says"), page.locator("#budget-shown")
        expect(says).to_contain_text("about what they get now")
        begin = float(shown.inner_text().replace(",", ""))
        slider = page.locator("#budget")

        slider.focus()
        for _ in range(80):
            page.keyboard.press("ArrowRight")
        more = float(shown.inner_text().replace(",", ""))
        assert more > begin * 1.2
        expect(says).to_contain_text("polls more than now")
        expect(says).to_contain_text("sooner")
        expect(page.locator("#dial-command")).to_contain_text(f"--per-day {more:g}")
        assert "polls a day" in str(slider.get_attribute("aria-valuetext"))
        dot = page.locator("#chart-dial .knob-dot").get_attribute("cx")

        box = slider.bounding_box()
        assert box
        page.mouse.click(box["x"] + box["width"] * 0.1, box["y"] + box["height"] / 2)
        assert float(shown.inner_text().replace(",", "")) < begin
        expect(says).to_contain_text("polls fewer than now")
        expect(says).to_contain_text("later")
        assert page.locator("#chart-dial .knob-dot").get_attribute("cx") != dot
        page.keyboard.press("End")
        assert float(shown.inner_text().replace(",", "")) == pytest.approx(4 * 24, abs=10)
        page.close()


def test_the_plan_changes_with_the_polls_asked_for(watched: Collection, browser: Browser) -> None:
    with serving(watched) as link:
        page = opened(browser, link + "/feeds/1", timezone_id="Asia/Bangkok")
        page.wait_for_url("**zone=Asia*")
        expect(page.locator(".card", has_text="Rhythm of the week")).to_contain_text("Asia/Bangkok")
        assert page.locator(".week rect").count() == 7 * 24
        page.fill("#per-day", "2")
        page.keyboard.press("Enter")
        expect(page.locator(".week circle")).to_have_count(2 * 7)
        page.close()


def test_adding_in_the_page(empty: Collection, browser: Browser) -> None:
    with serving(empty) as link:
        page = opened(browser, link + "/feeds")
        page.fill("input[name=url]", "nonsense")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.locator("#message")).to_contain_text("not an http or https address")
        page.fill("input[name=url]", "https://one.example/rss")
        page.keyboard.press("Enter")
        expect(page.locator("table.feeds")).to_contain_text("https://one.example/rss")
        page.set_input_files(
            "#opml-file", {"name": "x.opml", "mimeType": "text/xml", "buffer": OPML.replace("one.", "two.").encode()}
        )
        page.get_by_role("button", name="Import").click()
        expect(page.locator("table.feeds")).to_contain_text("https://two.example/rss")
        page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_without_scrolling_sideways(watched: Collection, browser: Browser, scheme: str) -> None:
    with serving(watched) as link:
        for path in ("/feeds", "/feeds/1"):
            page = opened(browser, link + path, viewport={"width": 360, "height": 740}, color_scheme=scheme)
            page.locator(".plot svg path.line").first.wait_for()
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
            page.close()
