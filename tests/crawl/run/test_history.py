"""The record of a crawl over time: bounded, whole, and readable after a crash."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.crawl.meter import Meter, Metrics
from phasa.crawl.run.history import FILE, History, read_history, thinned
from phasa.frontier.protocol import Stats


def metrics(time: float, pages: int = 0, *, paused: bool = False) -> Metrics:
    stats = Stats(judged=pages, wanted=pages // 2, done=pages, bytes=pages * 1000, words=pages * 10, waiting=pages * 3)
    return msgspec.structs.replace(Meter(0.0).read(time, stats), paused=paused, fetches=pages + 1)


def test_a_sample_holds_the_totals(tmp_path: Path) -> None:
    History(tmp_path).note(metrics(5.0, 1000))
    (sample,) = read_history(tmp_path)
    assert (sample.time, sample.pages, sample.wanted, sample.queue) == (5.0, 1000, 500, 3000)
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
    file = tmp_path / FILE
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
