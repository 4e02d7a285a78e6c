"""bench/feeds_watch.py: the watch on a virtual clock waits for posts as long as `evaluate` says."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from bench import feeds_watch
from phasa.feeds.evaluate import evaluate
from phasa.feeds.rhythm import DAY, HOUR
from phasa.feeds.trace import Trace


def busy_feed() -> Trace:
    """120 posts a day for a fortnight, by day only: more between two polls than a document usually shows."""
    days = np.arange(14)[:, None] * DAY + 20_000 * DAY
    return Trace("busy", (days + 8 * HOUR + np.arange(120) * 300).ravel().astype(np.int64))


@pytest.mark.parametrize("m", [1, 8])
def test_a_feed_busier_than_its_document_waits_as_evaluated(m: int) -> None:
    trace = busy_feed()
    (row,) = evaluate([trace], [m], ["phasa"])
    assert asyncio.run(feeds_watch.watch(trace, m, "phasa")) == pytest.approx(row.delay_hours, rel=0.02)


def test_a_post_that_is_never_found_ends_the_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = busy_feed()
    monkeypatch.setattr(
        feeds_watch, "bisect_right", lambda times, at: min(1000, int(np.searchsorted(times, at, "right")))
    )
    with pytest.raises(RuntimeError, match="busy: the watch has not found every post"):
        asyncio.run(feeds_watch.watch(trace, 8, "phasa"))
