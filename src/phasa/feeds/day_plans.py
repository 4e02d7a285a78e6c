"""Plans of the day for feeds that do not follow one: what their page and report show, kept in versions."""

from __future__ import annotations

import logging

from phasa.feeds.plan import plan_points
from phasa.feeds.rhythm import CHECK_EVERY, LearnedHours
from phasa.feeds.rows import FeedRow
from phasa.feeds.store import FeedStore

log = logging.getLogger(__name__)


class DayPlans:
    """The present plan of each feed under `phasa`: made again when it is outdated."""

    def __init__(self, store: FeedStore) -> None:
        self._store = store
        self._learned: dict[int, LearnedHours] = {}

    def forget(self, feed: int) -> None:
        self._learned.pop(feed, None)

    def keep(self, feed: FeedRow, now: float, per_day: float) -> None:
        """Keep a plan for about so many polls a day, if there is none or it no longer holds."""
        learned = self._learned.get(feed.id)
        if learned is not None and now - learned.checked < CHECK_EVERY:
            return
        times = self._store.posting_times(feed.id)
        if learned is None and (made := self._store.last_plan(feed.id)) is not None:
            self._learned[feed.id] = LearnedHours.at(made, times)
            return
        why = "first plan" if learned is None else learned.outdated(now, times)
        if why is None:
            return
        self._learned[feed.id] = LearnedHours.at(now, times)
        if plans := plan_points(feed.url, times, per_day, now, self._store.bad_days(feed.id)):
            version = self._store.keep_plans(feed.id, now, plans, why)
            log.info("%s: plan %d: %s", feed.url, version, why)
