"""The Crawl and Feeds pages over a large collection: CPU time of each page and API call, and the memory it takes.

    python bench/live.py --pages 1000000 --feeds 1000

The collection is made of rows, not fetched: a frontier with four waiting URLs per page, its crawl.log, a full history,
and a month of polls and posts. The tables are counted once in the background, which is timed apart.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from starlette.testclient import TestClient

from phasa.collection import Collection
from phasa.feeds.store import FeedStore
from phasa.frontier.database import Database
from phasa.frontier.index import url_keys
from phasa.frontier.sqlite import SqliteFrontier
from phasa.service.application import create_app

LIMIT = 0.3
STORY = "url=http://host7.example/d1/page-77.html"
PATHS = (
    *("/crawl", f"/crawl?{STORY}", "/api/crawl", "/api/crawl/history", "/api/crawl/history?points=2000"),
    *("/api/crawl/tables", "/api/crawl/tables?limit=200", f"/api/crawl/why?{STORY}"),
    *("/feeds", "/feeds?order=delay&page=5", "/feeds/1", "/api/feeds", "/api/feeds/1", "/api/feeds/dial"),
    *("/api/feeds/next", "/api/feeds/latest", "/api/feeds/latest?feed=1", "/api/feeds/opml", "/metrics"),
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--feeds", type=int, default=1_000)
    parser.add_argument("--keep", type=Path, help="make the collection there, or use the one that is there")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = asked.keep or Path(folder) / "large"
        if not (path / Collection.SETTINGS).exists():
            make(path, asked.pages, asked.feeds)
        measure(Collection.open(path))


def measure(collection: Collection) -> None:
    """Print the CPU time of every page and call, twice asked: the second counts."""
    with TestClient(create_app(collection), base_url="http://127.0.0.1") as client:
        begin = time.process_time()
        client.app.state.service.log_reader.catch_up()  # type: ignore[attr-defined]
        client.app.state.service.log_reader.close()  # type: ignore[attr-defined]
        print(f"counted in the background, once: {time.process_time() - begin:.1f} s CPU")
        worst = 0.0
        for path in PATHS:
            client.get(path)
            begin = time.process_time()
            answer = client.get(path)
            spent = time.process_time() - begin
            worst = max(worst, spent)
            print(f"{spent * 1000:7.0f} ms  {answer.status_code}  {len(answer.content):>9,} bytes  {path}")
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"worst {worst * 1000:.0f} ms (limit {LIMIT * 1000:.0f}), most memory {memory:.0f} MB")


def make(path: Path, pages: int, feeds: int) -> None:
    """A collection of rows."""
    collection = Collection.create(path)
    collection.reports_folder.mkdir()
    dice = random.Random(1)
    hosts = max(10, pages // 25)
    store = Database(collection.frontier_file, 64)
    db = store.connection
    store.begin()
    db.executemany("INSERT INTO site VALUES (?, ?, 0)", ((n, f"host{n}.example") for n in range(1, hosts + 1)))
    db.executemany(
        "INSERT INTO host(id, name, site, worker, done) VALUES (?, ?, ?, 0, 20)",
        ((n, f"host{n}.example", n) for n in range(1, hosts + 1)),
    )
    wanted = {id for id in range(1, pages + 1) if dice.random() < 0.6}
    db.executemany("INSERT INTO url VALUES (?, ?, ?, ?, 0.5, ?, 1, ?, ?, NULL, '200')", _urls(pages, hosts))
    db.executemany(
        "INSERT INTO visit VALUES (?, ?, 200, 'text/html', 20000, ?, 0.9, ?, 900, ?, 'a.warc.gz:1:2', 0.1)",
        ((id, 1.7e9 + id, int(id in wanted), "th" if id in wanted else "en", id) for id in range(1, pages + 1)),
    )
    n = len(wanted)
    totals = {"waiting": 4 * pages, "done": pages, "judged": pages, "wanted": n, "hosts": hosts}
    store.count({**totals, "bytes": pages * 20_000, "words": n * 900})
    store.commit()
    store.close()
    SqliteFrontier(collection.frontier_file).close()  # fills the index, as after a crash
    with collection.log_file.open("w", encoding="utf-8") as log:
        for id in range(1, pages + 1):
            verdict = "wanted th" if id in wanted else "other en"
            depth = _depth(id)
            log.write(
                f"2026-11-01T03:00:00.000Z 200 20000 {_url(id, hosts)} {depth} - text/html 0.1 200 {verdict} r utf-8\n"
            )
    step = max(1, pages // 2000)
    lines = ['{"every":8.0}']
    for k in range(1, 2001):
        n = k * step
        lines.append(f"[{1.7e9 + k * 8},{n},{n * 6 // 10},{n},{n / 50},{n * 500},{n * 4},99,9,{hosts},0.6]")
    (collection.reports_folder / "history.jsonl").write_text("\n".join(lines) + "\n")
    _make_feeds(path / "feeds.db", feeds, dice)


def _url(id: int, hosts: int) -> str:
    return f"http://host{id % hosts + 1}.example/d{id // hosts % 4}/page-{id}.html"


def _depth(id: int) -> int:
    return min(12, id.bit_length() // 2)


def _urls(pages: int, hosts: int) -> Iterator[tuple[object, ...]]:
    for id in range(1, pages * 5 + 1):
        url = _url(id, hosts)
        yield (
            id,
            id % hosts + 1,
            url_keys([id % hosts + 1], [url])[0],
            int(id <= pages),
            _depth(id),
            max(1, id // 5),
            url,
        )


def _make_feeds(path: Path, feeds: int, dice: random.Random) -> None:
    now = time.time()
    with FeedStore(path) as store:
        for n in range(1, feeds + 1):
            store.add(f"https://feed{n}.example/rss", now - 40 * 86400, title=f"Feed {n}")
        db = store.db
        db.execute("BEGIN")
        polls, posts = [], []
        for n in range(1, feeds + 1):
            centre = dice.random() * 24
            for day in range(35):
                begin = now - (36 - day) * 86400
                polls += [(n, begin + k * 7200.0, 200, "ok", 10, 1, 0, "") for k in range(12)]
                for k in range(dice.randrange(10)):
                    at = begin + (dice.gauss(centre, 3) % 24) * 3600
                    key = f"{n}-{day}-{k}"
                    posts.append((n, key, f"Title {key}", "", f"http://x.example/{key}", at, at + 1800, 1, 1, 1))
        db.executemany("INSERT INTO poll VALUES (?, ?, ?, ?, ?, ?, ?, ?)", polls)
        db.executemany("INSERT OR IGNORE INTO post VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", posts)
        db.execute("UPDATE feed SET expected_delay = 1800, gain = 5000")
        db.execute("COMMIT")


if __name__ == "__main__":
    main()
