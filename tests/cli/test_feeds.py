"""`phasa feeds` as a script sees it."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from email.utils import formatdate
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from tests.cli.test_main import phasa

from phasa.feeds.post import Post
from phasa.feeds.rows import PollRow
from phasa.feeds.store import FeedStore


@pytest.fixture
def trace(tmp_path: Path) -> str:
    lines = [f"a\t{86400 * day + 3600 * hour + 60}" for day in range(60) for hour in (8, 9, 10, 17)]
    path = tmp_path / "posts.tsv"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_plan_gives_points_and_expected_delay(trace: str) -> None:
    (row,) = json.loads(phasa("feeds", "plan", trace, "--per-day", "2", "--method", "dorpm", "--json").stdout)
    assert (row["feed"], row["cluster"], row["points"]) == ("a", "all", [11, 18])
    assert row["times"] == ["11:00", "18:00"]
    assert row["rounded_delay_hours"] == 0.75


def test_plan_follows_the_zone(trace: str) -> None:
    shown = phasa("feeds", "plan", trace, "--per-day", "2", "--method", "dorpm", "--zone", "Asia/Bangkok").stdout
    assert "01:00 18:00" in shown


def test_plan_for_a_target_and_for_a_budget(trace: str) -> None:
    (row,) = json.loads(phasa("feeds", "plan", trace, "--target", "0.5", "--method", "dorpm", "--json").stdout)
    assert row["per_day"] == 4
    assert row["expected_delay_hours"] <= 0.5
    (row,) = json.loads(phasa("feeds", "plan", trace, "--budget", "3", "--json").stdout)
    assert len(row["points"]) == 3


def test_a_shared_budget_follows_the_zone_and_sets_the_polls_itself(trace: str) -> None:
    there = phasa("feeds", "plan", trace, "--budget", "2", "--zone", "Asia/Bangkok").stdout
    here = phasa("feeds", "plan", trace, "--budget", "2").stdout
    assert "11:00 18:00" in here
    assert "01:00 18:00" in there
    refused = phasa("feeds", "plan", trace, "--budget", "2", "--per-day", "3")
    assert refused.returncode == 1
    assert "leave --per-day" in refused.stderr


def test_evaluate_prints_the_contract(trace: str) -> None:
    answer = phasa(
        "feeds", "evaluate", trace, "--split", "0.5", "--per-day", "1,2", "--policies", "phasa,uniform", "--json"
    )
    rows = json.loads(answer.stdout)
    assert [sorted(row) for row in rows] == [["delay_hours", "feed", "learned", "per_day", "policy", "posts"]] * 4
    assert rows[1]["delay_hours"] == 12


def test_evaluate_shares_a_budget_under_every_policy_that_runs(trace: str) -> None:
    answer = phasa("feeds", "evaluate", trace, "--budget", "4", "--policies", "phasa,dorpm,rs,uniform,oracle", "--json")
    assert [row["policy"] for row in json.loads(answer.stdout)] == [
        "phasa", "dorpm", "rs", "uniform", "oracle",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "words", [("--split", "2"), ("--per-day", "x"), ("--per-day", "0"), ("--policies", "magic"), ("--budget", "-1")]
)
def test_wrong_options_are_one_line(trace: str, words: tuple[str, ...]) -> None:
    answer = phasa("feeds", "evaluate", trace, *words)
    assert answer.returncode == 1
    assert answer.stderr.count("\n") == 1


def test_an_unknown_zone_is_named(trace: str) -> None:
    assert "Moon/Base" in phasa("feeds", "plan", trace, "--zone", "Moon/Base").stderr


OPML = '<opml version="2.0"><body><outline text="x" xmlUrl="http://e.example/rss"/></body></opml>'


def test_feeds_are_added_imported_exported_and_reported(tmp_path: Path) -> None:
    collection = str(tmp_path / "c")
    phasa("init", collection)
    assert "added" in phasa("feeds", "add", collection, "http://e.example/rss", "http://f.example/").stdout
    (tmp_path / "list.opml").write_text(OPML)
    assert "0 feeds added, 1 known already" in phasa("feeds", "import", collection, str(tmp_path / "list.opml")).stdout
    assert 'xmlUrl="http://f.example/"' in phasa("feeds", "export", collection).stdout
    page = '<html><head><link rel="alternate" type="application/rss+xml" href="/news.xml"></head></html>'
    (tmp_path / "page.html").write_text(page)
    found = phasa("feeds", "discover", collection, str(tmp_path / "page.html"), "--base", "http://g.example/")
    assert "http://g.example/news.xml: added" in found.stdout
    assert len(json.loads(phasa("feeds", "report", collection, "--json").stdout)) == 3
    assert "3 feeds" in phasa("feeds", "report", collection).stdout
    assert "no posts yet" in (tmp_path / "c" / "reports" / "feeds.html").read_text()


def test_feed_commands_say_what_is_wrong(tmp_path: Path) -> None:
    assert "no collection here" in phasa("feeds", "add", str(tmp_path), "http://e.example/").stderr
    collection = str(tmp_path / "c")
    phasa("init", collection)
    assert "not a usable" in phasa("feeds", "add", collection, "ftp://x/").stderr
    assert "no feeds yet" in phasa("feeds", "watch", collection).stderr


def test_a_bad_address_does_not_keep_the_good_ones_out_and_a_near_one_is_named(tmp_path: Path) -> None:
    collection = str(tmp_path / "c")
    phasa("init", collection)
    done = phasa("feeds", "add", collection, "a.example/rss", "feed://b.example/rss")
    assert "did you mean https://a.example/rss?" in done.stderr
    assert "http://b.example/rss: added" in done.stdout
    assert done.returncode == 1


def test_who_only_reads_makes_no_file_and_changes_none(tmp_path: Path) -> None:
    collection = str(tmp_path / "c")
    phasa("init", collection)
    readers = (["list", "--json"], ["latest"], ["export"], ["report"], ["feed"], ["trace"])
    for command, *options in readers:
        phasa("feeds", command, collection, *options)
        assert not (tmp_path / "c" / "feeds.db").exists(), command
    phasa("feeds", "add", collection, "http://e.example/rss")
    with closing(sqlite3.connect(tmp_path / "c" / "feeds.db")) as db:
        # As an earlier version left it.
        db.execute("ALTER TABLE feed DROP COLUMN hold")
        db.execute("PRAGMA journal_mode = DELETE")
    before = (tmp_path / "c" / "feeds.db").read_bytes()
    for command, *options in readers:
        phasa("feeds", command, collection, *options)
        assert (tmp_path / "c" / "feeds.db").read_bytes() == before, command
    assert "http://e.example/rss" in phasa("feeds", "list", collection).stdout


def test_feeds_are_listed_removed_and_taken_up_again(tmp_path: Path) -> None:
    collection = str(tmp_path / "c")
    phasa("init", collection)
    assert "no feeds yet" in phasa("feeds", "list", collection).stderr
    phasa("feeds", "add", collection, "http://e.example/rss")
    assert "no longer watched" in phasa("feeds", "remove", collection, "http://e.example/rss").stdout
    assert "[removed by you]" in phasa("feeds", "list", collection).stdout
    assert "watched again" in phasa("feeds", "add", collection, "http://e.example/rss").stdout
    (row,) = json.loads(phasa("feeds", "list", collection, "--json").stdout)
    assert (row["url"], row["retired"]) == ("http://e.example/rss", "")


def test_the_latest_posts_come_first_as_plain_lines(tmp_path: Path) -> None:
    collection = tmp_path / "c"
    phasa("init", str(collection))
    with FeedStore(collection / "feeds.db") as store:
        store.add("http://e.example/rss", 1000.0, title="E")
        posts = [Post(f"{k}", f"http://e.example/{k}", f"<i>post</i>\t{k}", "", 2000.0 + k) for k in range(3)]
        future = Post("f", "http://e.example/f", "from the future", "", 9e9)
        store.record(PollRow(1, 2001.5, 200, "ok", 4, 0, False, ""), [*posts, future])
    lines = phasa("feeds", "latest", str(collection)).stdout.splitlines()
    assert [line.split("\t")[2] for line in lines] == ["post 2", "from the future", "post 1", "post 0"]
    assert len(phasa("feeds", "latest", str(collection), "-n", "2").stdout.splitlines()) == 2
    assert "not known here" in phasa("feeds", "latest", str(collection), "--feed", "http://x/").stderr
    found = json.loads(phasa("feeds", "latest", str(collection), "--feed", "http://e.example/rss", "--json").stdout)
    assert len(found) == 4


def test_evaluate_sums_up_or_tells_of_each_feed(trace: str) -> None:
    words = ("--per-day", "1", "--policies", "phasa,uniform")
    summary = phasa("feeds", "evaluate", trace, *words).stdout.splitlines()
    assert summary[1].split()[:3] == ["polls", "a", "day"]
    assert summary[-1].split() == ["1", "each", "uniform", "12.000", "1.000"]
    each = phasa("feeds", "evaluate", trace, *words, "--each").stdout.splitlines()
    assert all(len(line.split("\t")) == 5 for line in each)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """A site on this machine with a page, the feed that it announces, and nothing else."""
    folder = tmp_path / "www"
    folder.mkdir()
    (folder / "index.html").write_text('<link rel="alternate" type="application/rss+xml" href="/rss.xml" title="News">')
    item = "<item><title>&lt;b&gt;new\x9b&lt;/b&gt;</title><link>http://e.example/1</link><guid>1</guid>"
    # What was there before the feed was watched is no news.
    item += f"<pubDate>{formatdate(time.time() + 600)}</pubDate></item>"
    (folder / "rss.xml").write_text(f"<rss><channel><title>News</title>{item}</channel></rss>", encoding="utf-8")
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def test_a_site_is_asked_for_its_feeds_and_they_are_watched(tmp_path: Path, site: str) -> None:
    collection = tmp_path / "c"
    phasa("init", str(collection))
    assert "allow_private = true" in phasa("feeds", "discover", str(collection), site + "/").stderr
    settings = collection / "collection.toml"
    settings.write_text(settings.read_text().replace("allow_private = false", "allow_private = true"))
    assert phasa("feeds", "discover", str(collection), site + "/").stdout == f"{site}/rss.xml: added\n"
    assert "known already" in phasa("feeds", "discover", str(collection), site + "/rss.xml").stdout
    assert "404" in phasa("feeds", "discover", str(collection), site + "/none").stderr
    phasa("feeds", "add", str(collection), site + "/")
    done = phasa("feeds", "watch", str(collection), "--seconds", "3", "--spacing", "0.1", "--no-crawl")
    assert done.stdout == "News\tnew›\thttp://e.example/1\n"
    assert "watching 2 feeds" in done.stderr
    assert f"{site}/: no feed in the answer; it is a page that announces {site}/rss.xml" in done.stderr
