"""Histograms, clusters, drift."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from phasa.errors import InputError
from phasa.feeds.dates import parse_date
from phasa.feeds.rhythm import Cluster, daily_counts, drift, histogram, stamp

BANGKOK = dt.timezone(dt.timedelta(hours=7))


def test_days_without_posts_count_as_days() -> None:
    counts = daily_counts([0, 3 * 86400.0])
    assert [str(day) for day in counts.days] == ["1970-01-01", "1970-01-02", "1970-01-03", "1970-01-04"]
    assert counts.combined()[0] == 2


def test_bins_follow_the_zone() -> None:
    assert daily_counts([0.0], zone=BANGKOK).combined().argmax() == 7


def test_fast_and_careful_histograms_agree() -> None:
    times = np.random.default_rng(0).integers(0, 10**8, 500)
    assert np.array_equal(histogram(times, 3600), daily_counts(times.tolist()).combined())


def test_the_week_starts_on_monday() -> None:
    monday = dt.datetime(2010, 4, 5, 0, 30, tzinfo=dt.UTC).timestamp()
    assert histogram(np.array([int(monday)]), 3600, 7 * 86400).argmax() == 0


@pytest.mark.parametrize("bins", [0, 7 * 11])
def test_bins_must_divide_the_day(bins: int) -> None:
    with pytest.raises(InputError, match="bins"):
        daily_counts([0.0], bins)


def test_bins_must_divide_the_period() -> None:
    with pytest.raises(InputError, match="divide"):
        histogram(np.array([1]), 7000)


@pytest.mark.parametrize("text", ["", "yesterday", "99 Foo 2010"])
def test_no_date_is_none(text: str) -> None:
    assert parse_date(text) is None


def test_six_bins_of_four_hours() -> None:
    assert stamp(4 * 3600, bins=6).bin == 2


def test_only_weekends_make_one_cluster() -> None:
    saturday = dt.datetime(2010, 4, 3, 12, tzinfo=dt.UTC).timestamp()
    assert daily_counts([saturday, saturday + 86400]).clusters() == (Cluster.ALL,)


def test_drift_sees_a_changed_rhythm_and_no_other() -> None:
    random = np.random.default_rng(5)
    usual = 40 * (1 + np.sin(np.arange(24) / 24 * 2 * np.pi))
    old = random.poisson(usual).astype(np.float64)
    assert drift(old, random.poisson(usual * 0.5).astype(np.float64)) > 0.01
    assert drift(old, random.poisson(np.roll(usual, 6)).astype(np.float64)) < 1e-6
    assert drift(old, np.zeros(24)) == 1.0
    assert drift(np.ones(24) / 24, np.ones(24) / 24) == 1.0
