"""CPU and memory of every page of the application over a large collection.

    python bench/service.py --pages 1000000 --feeds 1000 --operators 20

Makes a collection with so many pages (log, frontier and index of full size; a few hundred real records that the index
points at again and again) and feeds (a month of polls and posts), runs `phasa serve` on it in a process of its own,
waits until the log is counted, opens a stream of live events for each operator, and asks each page and each part of the
API. Prints CPU seconds of the server per request, without those that the streams take meanwhile, and its memory.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

from phasa.archive.capture import Capture
from phasa.archive.cdxj import key_of, lookup
from phasa.archive.warc import WarcWriter
from phasa.collection import Collection
from phasa.crawl.run.crawl_log import line, read_log
from phasa.feeds.store import FeedStore
from phasa.frontier.protocol import Ending, Lease, Offer, State, Visit
from phasa.frontier.sqlite import SqliteFrontier
from phasa.web.url import Url

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
RECORDS = 300
THAI = "โรงพยาบาลรัฐและเอกชนเข้าร่วมโครงการบัตรทอง โรงพยาบาลใหญ่มีผู้ป่วยมากขึ้นทุกปี แม่น้ำเจ้าพระยาไหลผ่านกรุงเทพมหานคร "
TOPS = ("co.th", "ac.th", "go.th", "com", "net", "ir", "de")


def url_of(number: int, hosts: int) -> str:
    """Few hosts with many pages, many hosts with few."""
    host = int(hosts * random.Random(number).random() ** 3)
    return f"http://www.h{host}.{TOPS[host % len(TOPS)]}/d{number % 9}/p{number}.html"


def make(path: Path, pages: int, hosts: int, feeds: int) -> Collection:
    collection = Collection.create(path, language="th")
    urls = [url_of(number, hosts) for number in range(pages)]
    records = _archive(collection, urls)
    _log(collection, urls, records)
    _frontier(collection, urls)
    _feeds(collection.path / "feeds.db", feeds)
    return collection


def _archive(collection: Collection, urls: list[str]) -> list[tuple[str, str, str]]:
    # Those from the middle have records of their own, so that they can be shown.
    middle = len(urls) // 2 // RECORDS * RECORDS
    shown = urls[middle : middle + RECORDS]
    with WarcWriter(collection.archive_folder) as writer:
        for number, url in enumerate(shown):
            text = "".join(f"<p>{THAI * (1 + number % 3)} {number} {part}</p>" for part in range(40))
            body = f"<html><title>หน้า {number}</title><body><article>{text}</article></body></html>".encode()
            notes = (("language", "th"), ("wanted", "yes"), ("score", "0.98"), ("evidence", "model"))
            writer.write(
                Capture(
                    url=url,
                    status=200,
                    reason="OK",
                    headers=(("Content-Type", "text/html; charset=utf-8"),),
                    body=body,
                    started=BEGIN,
                    request=f"GET / HTTP/1.1\r\nHost: {url.split('/')[2]}\r\n\r\n".encode(),
                    address="192.0.2.7",
                    notes=notes,
                )
            )
    folder = collection.archive_folder
    entries = [lookup(folder, url)[0] for url in shown]
    records = [(entry.filename, entry.offset, entry.length) for entry in entries]
    lines = []
    for number, url in enumerate(urls):
        file, offset, length = records[number % RECORDS]
        fields = f'"mime":"text/html","status":"200","digest":"X","length":"{length}","offset":"{offset}"'
        lines.append(f'{key_of(url)} 20260101000000 {{"url":"{url}",{fields},"filename":"{file}"}}\n')
    lines.sort()
    (folder / "index.cdxj").write_text("".join(lines), encoding="utf-8")
    return records


def _log(collection: Collection, urls: list[str], records: list[tuple[str, str, str]]) -> None:
    chance = random.Random(1)
    with collection.log_file.open("w", encoding="utf-8") as log:
        for number, url in enumerate(urls):
            at = (BEGIN + timedelta(seconds=number * 300 * 86400 / len(urls))).timestamp()
            language = chance.choices(("th", "en", "lo", "fa", "zh"), (70, 20, 3, 2, 5))[0]
            file, offset, _ = records[number % RECORDS]
            visit = Visit(
                *(at, 200, "text/html", chance.randint(800, 200_000), language == "th", 0.9, language),
                record=f"{file}:{offset}",
                seconds=0.3,
                charset=chance.choice(("utf-8", "utf-8", "windows-874")),
            )
            lease = Lease(number, Url(url), "", 0.5, 4, "http://seed.example.th/", b"", 0, at)
            log.write(line(lease, Ending(State.DONE, "ok", at, visit=visit)))


def _frontier(collection: Collection, urls: list[str]) -> None:
    """All offered through the frontier, then marked as done in one go: a million single finishes take an hour."""
    frontier = SqliteFrontier(collection.frontier_file)
    for first in range(0, len(urls), 20_000):
        frontier.offer([Offer(Url(url), 0.5, 4) for url in urls[first : first + 20_000]])
    frontier.close()
    db = sqlite3.connect(collection.frontier_file)
    db.execute("UPDATE url SET state = 1, reason = 'ok', attempts = 1 WHERE id % 10 > 0")
    db.execute("DELETE FROM queue WHERE id % 10 > 0")
    db.execute(
        "INSERT INTO visit SELECT id, 1767225600 + id, 200, 'text/html', 9000, id % 3 > 0, 0.9,"
        " CASE WHEN id % 3 > 0 THEN 'th' ELSE 'en' END, 100, id, 'x:1', 0.3, 'utf-8' FROM url WHERE state = 1"
    )
    done = db.execute("SELECT count(*) FROM url WHERE state = 1").fetchone()[0]
    rows = {"waiting": len(urls) - done, "done": done, "bytes": done * 9000}
    # As many pages as the log has, or the application would count them again from the frontier.
    rows |= {"judged": len(urls), "wanted": sum(line.wanted is True for line in read_log(collection.log_file))}
    db.executemany("INSERT OR REPLACE INTO tally VALUES (?, ?)", rows.items())
    db.commit()
    db.close()


def _feeds(path: Path, feeds: int) -> None:
    """A month of polls and posts of so many feeds."""
    dice, now = random.Random(1), time.time()
    with FeedStore(path) as store:
        for n in range(1, feeds + 1):
            store.add(f"https://feed{n}.example/rss", now - 40 * 86400, title=f"Feed {n}")
        db = store.db
        db.execute("BEGIN")
        polls: list[tuple[object, ...]] = []
        posts: list[tuple[object, ...]] = []
        for n in range(1, feeds + 1):
            centre = dice.random() * 24
            for day in range(35):
                begin = now - (36 - day) * 86400
                polls += [(n, begin + k * 7200.0, 200, "ok", 10, 1, 0, "") for k in range(12)]
                for k in range(dice.randrange(10)):
                    at = begin + (dice.gauss(centre, 3) % 24) * 3600
                    key = f"{n}-{day}-{k}"
                    posts.append(
                        (n, key, f"Title {key}", "", f"http://x.example/{key}", at, at + 1800, 1, 1, 1, len(posts) + 1)
                    )
        db.executemany("INSERT INTO poll VALUES (?, ?, ?, ?, ?, ?, ?, ?)", polls)
        db.executemany(
            "INSERT OR IGNORE INTO post (feed, key, title, description, link, published, first_seen, day, month, hour,"
            " number) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            posts,
        )
        db.execute("UPDATE feed SET expected_delay = 1800, gain = 5000")
        db.execute("COMMIT")


def cpu_of(pid: int) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(pid: int) -> tuple[float, float]:
    """Resident megabytes now and at most."""
    text = Path(f"/proc/{pid}/status").read_text()
    now, most = (re.search(rf"{name}:\s+(\d+)", text) for name in ("VmRSS", "VmHWM"))
    assert now
    assert most
    return int(now[1]) / 1024, int(most[1]) / 1024


def routes(url: str) -> list[str]:
    host, page = url.split("/")[2], quote(url)
    return [
        "/overview",
        "/crawl",
        f"/crawl?url={page}",
        "/feeds",
        "/feeds?order=delay&page=5",
        "/feeds/1",
        "/posts",
        "/collection",
        "/collection/hosts",
        "/collection/hosts?order=bytes",
        "/collection/hosts?order=name",
        "/collection/hosts?domain=co.th",
        f"/collection/pages?by=host&key={host}",
        "/collection/pages?by=language&key=th",
        "/collection/pages?by=status&key=200&before=100000000",
        f"/collection/page?url={page}",
        "/lab",
        "/metrics",
        "/api/openapi.json",
        "/api/crawl",
        "/api/crawl/history?points=2000",
        "/api/crawl/tables?limit=200",
        f"/api/crawl/why?url={page}",
        "/api/feeds",
        "/api/feeds/1",
        "/api/feeds/dial",
        "/api/feeds/next",
        "/api/feeds/latest",
        "/api/feeds/opml",
        "/api/posts",
        "/api/collection",
        "/api/collection/times?kind=language",
        "/api/collection/hosts?order=wanted",
        f"/api/collection/page?url={page}",
        f"/api/collection/record?url={page}",
        "/api/overview/choices",
    ]


def get(link: str) -> bytes:
    with urllib.request.urlopen(link, timeout=120) as answer:
        return bytes(answer.read())


def follow(link: str) -> None:
    """What an open crawl page does: read events as long as they come."""
    with urllib.request.urlopen(f"{link}/api/crawl/events", timeout=120) as events, suppress(OSError):
        while events.readline():
            pass


def idle_cpu(pid: int, seconds: float = 10.0) -> float:
    """CPU seconds a second that the server takes while nobody asks anything."""
    time.sleep(3)
    before = cpu_of(pid)
    time.sleep(seconds)
    return (cpu_of(pid) - before) / seconds


def measure(collection: Collection, url: str, times: int, operators: int) -> float:
    server = subprocess.Popen(
        [sys.executable, "-m", "phasa", "serve", str(collection.path), "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        found = re.search(r"http://\S+/", server.stdout.readline())
        assert found
        link = found[0].rstrip("/")
        began = cpu_of(server.pid)
        while b'"counted":1.0' not in get(f"{link}/api/collection"):
            time.sleep(2)
        time.sleep(3)
        print(f"log counted in {cpu_of(server.pid) - began:.1f} CPU s; memory {memory_of(server.pid)[0]:.0f} MB")
        streams = [threading.Thread(target=follow, args=(link,), daemon=True) for _ in range(operators)]
        for stream in streams:
            stream.start()
        idle = idle_cpu(server.pid)
        print(f"{operators} streams of live events: {idle * 1000:.0f} ms CPU a second")
        worst = 0.0
        for path in routes(url):
            try:
                size = len(get(link + path))
            except urllib.error.HTTPError as problem:
                print(f"{problem.code}: {path}")
                continue
            before, begun = cpu_of(server.pid), time.monotonic()
            for _ in range(times):
                get(link + path)
            spent = max(0.0, (cpu_of(server.pid) - before - idle * (time.monotonic() - begun)) / times)
            worst = max(worst, spent)
            print(f"{spent * 1000:7.1f} ms  {size / 1000:8.1f} kB  {path}")
        now, most = memory_of(server.pid)
        print(f"worst {worst * 1000:.1f} ms CPU; memory {now:.0f} MB, at most {most:.0f} MB")
        return worst
    finally:
        server.terminate()
        server.wait(20)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=60_000)
    parser.add_argument("--feeds", type=int, default=1_000)
    parser.add_argument("--operators", type=int, default=20)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="Make the collection here and leave it; use it if it is there.")
    asked = parser.parse_args()
    url = url_of(asked.pages // 2, asked.hosts)
    with tempfile.TemporaryDirectory() as folder:
        path = asked.keep or Path(folder) / "large-web"
        began = time.process_time()
        fresh = not (path / Collection.SETTINGS).exists()
        collection = make(path, asked.pages, asked.hosts, asked.feeds) if fresh else Collection.open(path)
        print(f"{asked.pages:,} pages, {asked.hosts:,} hosts, made in {time.process_time() - began:.0f} CPU s")
        measure(collection, url, asked.times, asked.operators)


if __name__ == "__main__":
    main()
