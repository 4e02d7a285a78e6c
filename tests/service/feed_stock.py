"""A store of feeds with a month behind it: rhythms of several kinds, in Thai and Persian, and posts that mean harm."""

from __future__ import annotations

import time
from pathlib import Path

from phasa.feeds.post import Post
from phasa.feeds.rhythm import DAY, HOUR
from phasa.feeds.rows import FeedUpdate, PlanPoints, PollRow
from phasa.feeds.store import FeedStore

HOSTILE_TITLE = '<script>alert("post")</script><img src=x onerror=alert(1)>\u202eevil'
THAI_TITLES = ("ข่าวเช้าวันนี้: น้ำท่วมภาคเหนือเริ่มคลี่คลาย", "รัฐบาลประกาศวันหยุดยาวเพิ่ม", "ทีมชาติไทยชนะสองประตูต่อหนึ่ง")
PERSIAN_TITLES = ("دانشگاه تهران نتایج آزمون را اعلام کرد", "بارش باران در شمال کشور ادامه دارد", "نمایشگاه کتاب می‌آید")


def fill(path: Path, *, hostile: bool = False, days: int = 35) -> int:
    """Write the store; how many feeds it has."""
    now = time.time()
    begin = now - now % DAY - days * DAY
    with FeedStore(path) as store:
        store.add("https://news.example.th/rss.xml", begin, category="ข่าว", title="ข่าวเช้า ประเทศไทย")
        store.add("https://fa.example.ir/feed", begin, category="خبر", title="خبرگزاری نمونه")
        store.add("https://blog.example.com/atom.xml", begin, title="A blog about nothing")
        store.add("https://silent.example.org/rss", begin)
        for day in range(days):
            at = begin + day * DAY
            weekend = (at // DAY + 3) % 7 >= 5  # whatever day the test runs on: the first of all days was a Thursday
            _poll(store, 1, at, [(4, 1)] if weekend else [(1, 3), (2, 5), (3, 3), (9, 1)], THAI_TITLES, day)
            _poll(store, 2, at, [(hour, 1) for hour in range(4, 18)], PERSIAN_TITLES, day)
            _poll(store, 3, at, [(20, 1)] if day % 3 == 0 else [], ("Notes", "More notes", "Fewer notes"), day)
        if hostile:
            store.add(
                'https://evil.example/rss?<script>alert("feed")</script>',
                begin,
                title=HOSTILE_TITLE,
                category=HOSTILE_TITLE,
            )
            post = Post(id="x", link="javascript:alert(1)", title=HOSTILE_TITLE, summary="", published=now - 60)
            huge = Post(
                id="y", link="http://evil.example/", title="ก" * 1_000_000, summary="x" * 100_000, published=now - 50
            )
            store.record(PollRow(5, now, 200, "ok", 2, 0, False, HOSTILE_TITLE), [post, huge])
        number = len(store.feeds())
        for feed in range(1, 4):
            update = FeedUpdate(
                due=now + feed * 1200.0,
                why="when its posts are worth a poll",
                expected_delay=1800.0 * feed,
                gain=2000.0,
            )
            store.record(PollRow(feed, now, 304, "ok", 0, 0, False, "unchanged"), update=update)
        plans = [PlanPoints("weekday", (2, 4, 10), 0.7), PlanPoints("weekend", (5, 12, 20), 1.4)]
        store.keep_plans(1, now, plans)
    return number


def _poll(
    store: FeedStore, feed: int, day: float, posts: list[tuple[int, int]], titles: tuple[str, ...], seed: int
) -> None:
    """Posts at these hours, each found by a poll within the hour."""
    for hour, count in posts:
        found = [
            Post(
                id=f"{feed}-{day:.0f}-{hour}-{n}",
                link=f"http://posts.example/{feed}/{day:.0f}/{hour}/{n}",
                title=titles[(seed + hour + n) % len(titles)],
                summary="",
                published=day + hour * HOUR + n * 300,
            )
            for n in range(count)
        ]
        store.record(PollRow(feed, day + (hour + 1) * HOUR, 200, "ok", count, 0, False, ""), found)
