"""The numbers of a run."""

from __future__ import annotations

from pathlib import Path

import msgspec

from phasa.crawl.meter import Meter, Metrics, prometheus, write_metrics
from phasa.frontier.protocol import Stats


def reading() -> Metrics:
    meter = Meter(started=100.0, limit=1000)
    for number in range(150):
        meter.fetched("200", 1000)
        meter.judged(number < 100)
    meter.fetched('odd "name"', 0)
    return meter.read(200.0, Stats(done=151, judged=150, wanted=100, bytes=2_000_000, words=5000, waiting=7))


def test_harvest_is_cumulative_and_of_the_last_hundred() -> None:
    metrics = reading()
    assert metrics.harvest == 100 / 150
    assert metrics.harvest_last_100 == 0.5
    assert metrics.pages_per_second == 1.51
    assert metrics.words_per_megabyte == 2500.0
    assert metrics.seconds_left is not None
    assert round(metrics.seconds_left) == 562


def test_a_fresh_meter_divides_by_nothing() -> None:
    metrics = Meter(0.0).read(0.0, Stats())
    assert (metrics.harvest, metrics.harvest_last_100, metrics.words_per_megabyte, metrics.seconds_left) == (
        0,
        0,
        0,
        None,
    )


def test_metrics_are_written_for_people_and_for_prometheus(tmp_path: Path) -> None:
    write_metrics(reading(), tmp_path)
    read = msgspec.json.decode((tmp_path / "metrics.json").read_bytes(), type=Metrics)
    assert read.wanted == 100
    text = prometheus(reading())
    assert "phasa_wanted 100\n" in text
    assert 'phasa_outcomes{outcome="odd \\"name\\""} 1\n' in text
    assert (tmp_path / "metrics.prom").read_text() == text
