"""What a running crawl writes about itself: its workers, its numbers, and its record over time."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.collection import Collection
from phasa.crawl.meter import Meter, Metrics
from phasa.crawl.run.live_status import (
    HISTORY,
    History,
    LiveStatus,
    clear_live_status,
    read_history,
    read_live_status,
    thinned,
    write_metrics,
)
from phasa.frontier.protocol import Stats


def metrics(time: float, pages: int = 0, *, paused: bool = False) -> Metrics:
    stats = Stats(pages=pages, wanted=pages // 2, done=pages, bytes=pages * 1000, words=pages * 10, waiting=pages * 3)
    return msgspec.structs.replace(Meter(0.0).read(time, stats), paused=paused, fetches=pages + 1)


def test_a_sample_holds_the_totals(tmp_path: Path) -> None:
    History(tmp_path).note(metrics(5.0, 1000))
    (sample,) = read_history(tmp_path)
    assert (sample.time, sample.pages, sample.wanted, sample.waiting) == (5.0, 1000, 500, 3000)
    assert (sample.megabytes, sample.words) == (1.0, 10_000)


@settings(max_examples=20)
@given(st.integers(1, 400))
def test_the_series_never_has_more_than_its_number_and_keeps_both_ends(
    tmp_path_factory: pytest.TempPathFactory, seconds: int
) -> None:
    folder = tmp_path_factory.mktemp("h")
    history = History(folder, most=50)
    for second in range(seconds):
        history.note(metrics(float(second), second))
        assert len(history.samples) <= 50
    kept = read_history(folder)
    assert kept == history.samples
    assert kept[0].time == 0.0
    assert seconds - 1 - kept[-1].time < history.every
    assert [sample.time for sample in kept] == sorted(sample.time for sample in kept)


def test_the_series_goes_on_after_a_restart_at_the_same_pace(tmp_path: Path) -> None:
    first = History(tmp_path, most=10)
    for second in range(30):
        first.note(metrics(float(second), second))
    again = History(tmp_path, most=10)
    assert (again.every, again.samples) == (first.every, first.samples)


def test_a_pause_leaves_no_samples(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.note(metrics(1.0, 5))
    for second in range(2, 100):
        history.note(metrics(float(second), 5, paused=True))
    assert len(read_history(tmp_path)) == 1


def test_the_last_word_is_kept_though_it_comes_early(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.note(metrics(1.0, 5))
    history.note(metrics(1.2, 9), last_word=True)
    assert [sample.pages for sample in read_history(tmp_path)] == [5, 9]


def test_a_torn_line_costs_one_sample(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.note(metrics(1.0, 5))
    history.note(metrics(2.0, 6))
    file = tmp_path / HISTORY
    file.write_bytes(file.read_bytes()[:-7] + b"\n")
    assert [sample.pages for sample in read_history(tmp_path)] == [5]
    file.write_bytes(b"\xff\xfe")
    assert read_history(tmp_path) == []


def test_a_clock_set_back_does_not_stop_the_record(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.note(metrics(1000.0, 5))
    history.note(metrics(10.0, 6))
    assert len(read_history(tmp_path)) == 2


def test_a_run_that_fetched_nothing_yet_leaves_no_sample(tmp_path: Path) -> None:
    History(tmp_path).note(msgspec.structs.replace(metrics(1.0, 5), fetches=0))
    assert read_history(tmp_path) == []


def test_thinning_nothing_gives_nothing() -> None:
    assert thinned([]) == []


# ── workers ──────────────────────────────────────────────────────────────────────────────────────


def worker(time: float, *, ended: str = "", error: str = "") -> LiveStatus:
    return LiveStatus(
        time=time,
        process=1,
        workers=2,
        started=0.0,
        metrics=msgspec.structs.replace(metrics(time, 100), leased=2, ready_hosts=7, pages_per_second=3.0),
        strategy="hybrid",
        fetching=() if ended else (f"http://a.example/{time}",),
        pages_limit=0,
        seconds_limit=0.0,
        megabytes_limit=0.0,
        delay=1.0,
        ended=ended,
        errors=(error,) if error else (),
    )


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    made = Collection.create(tmp_path / "c")
    made.reports_folder.mkdir()
    return made


def write(collection: Collection, *workers: LiveStatus) -> None:
    for number, status in enumerate(workers):
        (collection.reports_folder / f"live-{number:02d}.json").write_bytes(msgspec.json.encode(status))


def test_workers_are_read_as_one(collection: Collection) -> None:
    assert read_live_status(collection) is None
    write(collection, worker(5.0, error="x"), worker(6.0, error="x"))
    both = read_live_status(collection)
    assert both is not None
    assert (both.time, both.metrics.leased, both.metrics.ready_hosts) == (6.0, 4, 14)
    assert both.fetching == ("http://a.example/5.0", "http://a.example/6.0")
    assert (both.ended, both.errors) == ("", ("x",))


def test_a_worker_that_has_ended_counts_with_what_it_did_not_with_its_hosts(collection: Collection) -> None:
    write(collection, worker(5.0, ended="nothing is left"), worker(6.0))
    both = read_live_status(collection)
    assert both is not None
    assert both.ended == ""
    assert both.metrics.fetches == 202
    assert (both.metrics.leased, both.metrics.ready_hosts, both.metrics.pages_per_second) == (2, 7, 3.0)
    write(collection, worker(5.0, ended="nothing is left"), worker(6.0, ended="so it is"))
    after = read_live_status(collection)
    assert after is not None
    assert after.ended == "nothing is left"


def test_a_torn_file_and_the_run_before_are_not_seen(collection: Collection) -> None:
    write(collection, worker(5.0), worker(6.0))
    (collection.reports_folder / "live-01.json").write_bytes(b"{")
    alone = read_live_status(collection)
    assert alone is not None
    assert alone.metrics.leased == 2
    clear_live_status(collection)
    assert read_live_status(collection) is None


def test_metrics_are_written_for_people_and_for_prometheus(tmp_path: Path) -> None:
    write_metrics(metrics(5.0, 100), tmp_path)
    assert msgspec.json.decode((tmp_path / "metrics.json").read_bytes(), type=Metrics).wanted == 50
    assert "phasa_wanted_pages_total 50\n" in (tmp_path / "metrics.prom").read_text()
    assert not list(tmp_path.glob("*.new"))
