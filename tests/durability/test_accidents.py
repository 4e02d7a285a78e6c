"""A full disk, a clock that jumps, a second process: clear words and nothing lost."""

from __future__ import annotations

import resource
import signal
import time
from pathlib import Path

from tests.durability.kills import done_urls
from tests.durability.small_web import SmallWeb, collection_for, command, finish
from tests.durability.test_kill import check_archive

from phasa.collection import Collection
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Ending, Offer, State
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import SqliteFrontier
from phasa.web.url import Url


def small_files() -> None:
    """No file may grow beyond 150 KB: what a full disk looks like to a program."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))


def test_a_full_disk_ends_the_crawl_with_clear_words_and_it_goes_on_later(tmp_path: Path) -> None:
    small = SmallWeb(300, hosts=6)
    with small.serving():
        collection = collection_for(tmp_path / "c", small, warc_megabytes=1000.0)
        code, _, err = finish(command("crawl", collection.path, "--quiet", preexec_fn=small_files))
        assert code == 1
        assert "frontier.db" in err or "warc.gz" in err
        assert len(err.strip().splitlines()) == 1, err
        before = done_urls(collection)
        assert len(before) < 300
        seen = len(small.arrivals)
        code, _, err = finish(command("crawl", collection.path, "--quiet"))
        assert code == 0, err
    assert done_urls(collection) == small.urls()
    again = {f"http://{arrival.host}{arrival.path}" for arrival in small.arrivals[seen:]}
    assert not again & before
    check_archive(collection)


def test_a_crawl_stops_before_the_disk_is_full(tmp_path: Path) -> None:
    small = SmallWeb(50, hosts=5)
    with small.serving():
        collection = collection_for(tmp_path / "c", small)
        text = collection.settings_file.read_text().replace("free_disk_megabytes = 0.0", "free_disk_megabytes = 1e12")
        collection.settings_file.write_text(text)
        _, out, _ = finish(command("crawl", collection.path, "--quiet"))
    assert "MB of disk are free, less than free_disk_megabytes" in out


def test_a_clock_that_jumps_back_an_hour_does_not_stop_the_crawl(tmp_path: Path) -> None:
    rules = Rules(manners=Politeness(delay=5.0, address_delay=0.0))
    url = Url("http://a.example/")
    first = SqliteFrontier(tmp_path / "f.db", rules)
    first.offer([Offer(url), Offer(Url("http://a.example/2"))])
    (lease,) = first.lease(100_000.0)
    first.finish(lease, Ending(State.DONE, "200", at=100_000.0, pause=5.0))
    first.close()
    second = SqliteFrontier(tmp_path / "f.db", rules)
    assert second.lease(96_400.0) == [], "it may have been asked just now"
    second.lease(96_405.0)
    assert [lease.url for lease in second.lease(96_410.0)] == ["http://a.example/2"], "five seconds, not an hour"
    second.close()


def test_a_second_process_is_told_who_is_at_work(tmp_path: Path) -> None:
    # Slow enough that it is still at work when two more commands have started on a busy machine.
    small = SmallWeb(400, hosts=4, seconds=0.5)
    with small.serving():
        collection = collection_for(tmp_path / "c", small)
        first = command("crawl", collection.path, "--quiet")
        for _ in range(600):
            if small.arrivals:
                break
            time.sleep(0.1)
        code, _, err = finish(command("crawl", collection.path, "--quiet"))
        assert code == 1
        assert f"already being worked on by process {first.pid}" in err
        code, out, _ = finish(command("status", collection.path, "--json"))
        assert code == 0
        assert '"running":true' in out
        first.send_signal(signal.SIGINT)
        code, out, _ = finish(first)
        assert code == 0
        assert "stopped by you" in out
    done = len(done_urls(collection))
    assert 0 < done < 400
    check_archive(collection)


def test_a_lock_left_by_a_killed_process_blocks_nobody(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "c")
    (collection.path / Collection.LOCK).write_text("process 1")
    with collection.locked():
        pass
