"""The hours at which feeds of a kind post: what a feed that has shown little yet is believed to be like."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from phasa.feeds.rhythm import HOUR, MONDAY, WEEK
from phasa.feeds.shape import BINS, LEAST_POSTS, PER_HOUR, Shape
from phasa.feeds.trace import Times

Floats = NDArray[np.float64]
# Feeds of a kin from which on they are asked; with fewer all feeds of the collection are.
ENOUGH_KIN = 3
# First documents that are thought over together, from so many on, and how far back they are believed.
DOCUMENTS, ENOUGH_DOCUMENTS, BACK = 1000, 10, 8 * WEEK
# Posts that every day and every hour are believed to have had beforehand; rounds in which the fit has settled.
DAY_PRIOR, HOUR_PRIOR, ROUNDS = 10.0, 10.0, 8


class Neighbours:
    """Mean shapes of the feeds that have shown enough, of each kin and of all; until there are some, the hours and days
    that fit the first documents of all best."""

    def __init__(self) -> None:
        self._sums: dict[str, Floats] = {}
        self._counts: dict[str, int] = {}
        self._posts: list[Floats] = []
        self._watched: list[Floats] = []
        self._fitted: Floats | None = None
        self._fitted_of = 0

    def show(self, times: Times, now: float) -> None:
        """The first document of a feed: its posts until now."""
        recent = times[times > now - BACK]
        if len(recent) < 2 or len(self._posts) >= DOCUMENTS:
            return
        hours = np.arange(recent[0] // HOUR, max(now // HOUR, recent[0] // HOUR + 1))
        self._watched.append(np.bincount(_hour_of_week(hours * HOUR), minlength=168).astype(np.float64))
        self._posts.append(np.bincount(_hour_of_week(recent), minlength=168).astype(np.float64))

    def add(self, kin: str, shape: Shape, posts: int) -> None:
        """A feed was learned; one of few posts teaches nothing."""
        if posts < LEAST_POSTS:
            return
        for group in {kin, ""}:
            self._sums[group] = self._sums.get(group, np.zeros(BINS)) + shape.rates
            self._counts[group] = self._counts.get(group, 0) + 1

    def of(self, kin: str) -> Floats | None:
        """The mean rates of the kin, else of all feeds; None while too few are known."""
        for group in (kin, ""):
            if self._counts.get(group, 0) >= ENOUGH_KIN:
                return np.asarray(self._sums[group] / self._counts[group], dtype=np.float64)
        if len(self._posts) < ENOUGH_DOCUMENTS:
            return None
        if self._fitted is None or len(self._posts) > 1.2 * self._fitted_of:
            self._fitted, self._fitted_of = _fit(np.array(self._posts), np.array(self._watched)), len(self._posts)
        return self._fitted


def _fit(posts: Floats, watched: Floats) -> Floats:
    """The rates of the week, day by hour, under which feeds that were watched for so many hours of each kind are
    likeliest to have posted what they posted, each at a pace of its own.

    A feed that posts thirty times a day shows one Sunday, one that posts twice a day a fortnight: the second says how
    much less a Sunday is, and so how fast the first will be on Monday."""
    days, hours = np.ones(7), np.ones(24)
    for _ in range(ROUNDS):
        week = np.outer(days, hours).ravel()
        pace = posts.sum(axis=1) / np.maximum(watched @ week, 1e-9)
        found, passed = posts.sum(axis=0).reshape(7, 24), (pace @ watched).reshape(7, 24)
        days = (found.sum(axis=1) + DAY_PRIOR) / ((passed * hours).sum(axis=1) + DAY_PRIOR)
        hours = (found.sum(axis=0) + HOUR_PRIOR) / ((passed * days[:, None]).sum(axis=0) + HOUR_PRIOR)
        days, hours = days / days.mean(), hours / hours.mean()
    return np.asarray(np.repeat(np.outer(days, hours).ravel(), PER_HOUR), dtype=np.float64)


def _hour_of_week(times: Times) -> NDArray[np.int64]:
    return np.asarray((times - MONDAY) % WEEK // HOUR, dtype=np.int64)
