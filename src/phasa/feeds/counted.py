"""Polls and posts of feeds as they were counted, kept while they hold: a page of the application asks for all."""

from __future__ import annotations

import threading

from phasa.feeds.rows import PollCounts, PostCounts
from phasa.feeds.store import FeedStore

LAG = 3600.0
"""Seconds by which the beginning of what was counted may be behind the one that is asked for."""


class Counted:
    """Counts of every feed, made again for those that were polled since. For one file; may be asked by many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._since = float("-inf")
        self._polls: dict[int, PollCounts] = {}
        self._posts: dict[int, PostCounts] = {}

    def of(self, store: FeedStore, since: float) -> tuple[dict[int, PollCounts], dict[int, PostCounts]]:
        """Polls and posts of every feed since a moment, which is at most `LAG` seconds later than what is counted."""
        with self._lock:
            last = store.last_polls()
            if not 0 <= since - self._since <= LAG:
                self._since, self._polls, self._posts = since, {}, {}
            polled = [feed for feed, at in last.items() if feed not in self._polls or self._polls[feed].last != at]
            if polled:
                every = None if len(polled) == len(last) else polled
                self._polls = self._polls | store.poll_counts(self._since, every)
                self._posts = self._posts | store.post_counts(self._since, every)
            return self._polls, self._posts
