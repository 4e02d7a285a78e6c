"""One owner: workers end with the process that started them, the lock is theirs too, an older owner cannot write."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.durability.kills import done_urls, toll_of
from tests.durability.small_web import SmallWeb, collection_for, command, finish

from phasa import processes
from phasa.collection import Collection
from phasa.errors import CollectionError
from phasa.frontier.database import SupersededError
from phasa.frontier.protocol import Ending, Offer, State
from phasa.frontier.sqlite import Partition, SqliteFrontier
from phasa.processes import SharedFile, die_with_parent, is_alive
from phasa.web.url import Url


def until(true: Callable[[], object], seconds: float = 90.0) -> None:
    for _ in range(int(seconds / 0.05)):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen")


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """The crawl workers that a process has started."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_to_the_process_that_started_workers_leaves_no_orphans(tmp_path: Path, number: signal.Signals) -> None:
    small = SmallWeb(400, hosts=16, seconds=0.05)
    small.counts_answers = True
    with small.serving():
        collection = collection_for(tmp_path / "c", small, connections=8)
        first = command("crawl", collection.path, "--quiet", "--workers", "2")
        until(lambda: len(small.arrivals) > 60 and len(done_urls(collection)) > 20)
        workers = workers_of(first)
        assert len(workers) == 2
        asked = len(small.arrivals)
        first.send_signal(number)
        second = command("crawl", collection.path, "--quiet", "--workers", "2")  # at once
        code, out, err = finish(first)
        if number is signal.SIGTERM:
            assert (code, "stopped by you" in out) == (0, True), err
        until(lambda: not any(map(is_alive, workers)), 10.0)
        code, _, err = finish(second)
        if code == 1:  # the first one was still about to stop in good order
            assert "already being worked on" in err
            code, _, err = finish(command("crawl", collection.path, "--quiet", "--workers", "2"))
        assert code == 0, err
    toll = toll_of(collection, small, 1)
    assert toll[1:6] == (0, 0, 0, 0, 0)
    pages = Counter(f"{a.host}{a.path}" for a in small.arrivals if a.path != "/robots.txt")
    twice = [url for url, n in pages.items() if n > 1]
    assert len(twice) <= 16, "no more than was in flight"
    if number is signal.SIGTERM:
        assert not twice
    assert asked < len(small.arrivals)


def test_two_workers_and_a_page_limit_are_one_limit(tmp_path: Path) -> None:
    small = SmallWeb(240, hosts=16)
    with small.serving():
        collection = collection_for(tmp_path / "c", small)
        code, out, err = finish(command("crawl", collection.path, "--quiet", "--workers", "3", "--pages", "50"))
        assert code == 0, err
        assert "limit of 50 pages is reached" in out
        assert len(done_urls(collection)) == 50
        finish(command("crawl", collection.path, "--quiet", "--workers", "2", "--pages", "30"))
        assert len(done_urls(collection)) == 80
    pages = {f"{a.host}{a.path}" for a in small.arrivals if a.path != "/robots.txt"}
    assert len(pages) == 80, "nothing beyond the limit is even asked for"


def test_a_second_ctrl_c_ends_at_once_without_a_traceback(tmp_path: Path) -> None:
    for workers in ("1", "2"):
        small = SmallWeb(100, hosts=10, seconds=20.0)
        small._handler = lambda host, path, small=small: small.answer(host, path)  # type: ignore[misc]
        with small.serving():
            collection = collection_for(tmp_path / workers, small)
            process = command("crawl", collection.path, "--quiet", "--workers", workers)
            until(lambda small=small: small.arrivals)  # type: ignore[misc]
            time.sleep(1.0)
            process.send_signal(signal.SIGINT)
            time.sleep(1.0)
            assert process.poll() is None, "it waits for the page that is being fetched"
            process.send_signal(signal.SIGINT)
            code, _, err = finish(process, timeout=60.0)
        assert code == 130
        assert "Traceback" not in err, err


def _hold(lock: SharedFile, seconds: float) -> None:
    assert os.fstat(lock.number).st_size >= 0
    time.sleep(seconds)


def test_the_lock_is_held_until_the_last_worker_ends(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "c")
    with collection.locked():
        assert collection.lock_file is not None
        child = multiprocessing.get_context("spawn").Process(
            target=_hold, args=(SharedFile(collection.lock_file), 60.0)
        )
        child.start()
    assert collection.is_locked(), "the worker has it"
    with pytest.raises(CollectionError, match="already being worked on"), collection.locked():
        pass
    child.kill()
    child.join()
    with collection.locked():
        pass


def _parent(report: Path, with_prctl: bool) -> None:
    child = multiprocessing.get_context("spawn").Process(target=_child, args=(report, with_prctl))
    child.start()
    time.sleep(60.0)


def _child(report: Path, with_prctl: bool) -> None:
    if not with_prctl:
        processes._PR_SET_PDEATHSIG = -1  # as on a system that has no such thing
    die_with_parent()
    report.write_text(str(os.getpid()))
    time.sleep(60.0)


@pytest.mark.parametrize("with_prctl", [True, False])
def test_a_child_ends_with_its_parent(tmp_path: Path, with_prctl: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tmp_path / "pid"
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]), prepend=os.pathsep)
    imports = "from pathlib import Path; from tests.durability.test_owner import _parent"
    code = f"{imports}; _parent(Path({str(report)!r}), {with_prctl})"
    parent = subprocess.Popen([sys.executable, "-c", code])
    until(lambda: report.exists() and report.read_text())
    child = int(report.read_text())
    assert is_alive(child)
    parent.kill()
    parent.wait()
    until(lambda: not is_alive(child), 10.0)


def test_an_older_owner_cannot_commit(tmp_path: Path) -> None:
    older = SqliteFrontier(tmp_path / "f.db")
    older.offer([Offer(Url("http://a.example/"))])
    (lease,) = older.lease(1.0)
    newer = SqliteFrontier(tmp_path / "f.db")
    older.finish(lease, Ending(State.DONE, "200", 1.0))
    with pytest.raises(SupersededError, match="taken over by another process"):
        older.commit()
    older.close()
    assert newer.stats().waiting == 1, "nothing of it was written"
    (again,) = newer.lease(100.0)
    newer.finish(again, Ending(State.DONE, "200", 100.0))
    newer.close()


def test_a_worker_of_an_older_owner_cannot_even_join(tmp_path: Path) -> None:
    first = SqliteFrontier(tmp_path / "f.db", partition=Partition(0, 2))
    epoch = first.epoch
    worker = SqliteFrontier(tmp_path / "f.db", partition=Partition(1, 2), epoch=epoch)
    worker.close()
    first.close()
    SqliteFrontier(tmp_path / "f.db", partition=Partition(0, 2)).close()
    with pytest.raises(SupersededError):
        SqliteFrontier(tmp_path / "f.db", partition=Partition(1, 2), epoch=epoch)


def test_a_crawl_whose_lock_was_deleted_ends_when_another_takes_over(tmp_path: Path) -> None:
    small = SmallWeb(300, hosts=6, seconds=0.1)
    with small.serving():
        collection = collection_for(tmp_path / "c", small)
        first = command("crawl", collection.path, "--quiet")
        until(lambda: len(done_urls(collection)) > 10)
        (collection.path / Collection.LOCK).unlink()  # as if it were on a disk that knows no locks
        second = command("crawl", collection.path, "--quiet")
        code, _, err = finish(first)
        assert code == 1
        assert "taken over by another process" in err
        assert "Traceback" not in err
        code, _, err = finish(second)
        assert code == 0, err
    assert done_urls(collection) == small.urls()
