"""How up to date a collection is, estimated from its visits, and what another budget would bring."""

from __future__ import annotations

import time
from array import array
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import numpy as np

from phasa.collection import Collection
from phasa.crawl.page_weights import PageWeights
from phasa.frontiers import read_frontier
from phasa.schedule.common_budget import read_shares
from phasa.schedule.trust import FIRST, OWN_PAST
from phasa.schedule.usual import Place, Usual, drawn, place_of
from phasa.schedule.value import Aim, Floats, share_budget, up_to_date

DAY = 86_400.0
_DRAWS = 200
_MOST_HOSTS = 10


class Budget(msgspec.Struct, frozen=True):
    """What a budget would keep up to date in the long run, by the rates that are believed. `by_weight`: pages counted
    as much as they are wanted."""

    requests_per_day: float
    up_to_date: float
    by_weight: float


class ChangingHost(msgspec.Struct, frozen=True):
    """A host, its pages under revisit, and changes of one of them in a week."""

    host: str
    pages: int
    changes_per_week: float


class Freshness(msgspec.Struct, frozen=True, kw_only=True):
    """A collection of now. `low` and `high` are bounds of the share that is up to date (90 %)."""

    pages: int
    """Pages under revisit."""
    settled: int
    """Pages that are not visited any more: gone, moved or refused."""
    visits: int
    visits_last_day: int
    late: int
    """Pages whose moment has passed."""
    up_to_date: float | None
    low: float | None
    high: float | None
    by_weight: float | None
    """The same share, where each page counts as much as it is wanted."""
    aim: str
    requests_per_day: float
    price: float | None
    """Where feeds are on the same budget: seconds of waiting that a request saves at least."""
    for_pages: float | None
    for_feeds: float | None
    """Requests a day that each of them has then; None while only one of them runs."""
    budgets: tuple[Budget, ...]
    hosts: tuple[ChangingHost, ...]


def read_freshness(collection: Collection, now: float | None = None) -> Freshness:
    """Read from the frontier, while a crawl may be running. Memory is that of a few numbers for each page."""
    moment = time.time() if now is None else now
    settings = collection.settings.fresh
    shares = read_shares(collection.budget_file, settings.requests_per_day, moment) if settings.with_feeds else None
    settled = visits = 0
    places: dict[Place, int] = {}
    wanted = PageWeights(settings)
    rows = array("d")

    def paces() -> Iterator[tuple[str, float, float]]:
        nonlocal settled, visits
        for page in frontier.watched():
            visits += page.visits
            if page.due is None:
                settled += 1
                continue
            number = places.setdefault(place_of(page.url), len(places))
            rows.extend((number, page.due, page.at, page.changes, page.seconds, wanted.of(page.url, page.score).times))
            yield page.url, page.changes, page.seconds

    with read_frontier(collection) as frontier:
        believed = Usual(paces())
        last_day = frontier.visits_since(moment - DAY)
        trust = frontier.note(OWN_PAST) or FIRST
    where, due, at, changes, seconds, weights = np.frombuffer(rows).reshape(-1, 6).T
    usual = np.asarray([believed.at(place) for place in places])[where.astype(int)] if len(where) else np.zeros(0)
    rates = drawn(usual, changes, seconds, trust)
    share, low, high, by_weight = _share(trust + changes, trust / usual + seconds, moment - at, weights)
    counts: Counter[str] = Counter()
    for place, pages in zip(places, np.bincount(where.astype(int), minlength=len(places)), strict=True):
        counts[place.host] += int(pages)
    busiest = sorted(counts, key=lambda name: (-believed.hosts[name], name))
    return Freshness(
        pages=len(where),
        settled=settled,
        visits=visits,
        visits_last_day=last_day,
        late=int((due < moment).sum()),
        up_to_date=share,
        low=low,
        high=high,
        by_weight=by_weight,
        aim=settings.aim,
        requests_per_day=settings.requests_per_day,
        price=round(shares.price, 1) if shares is not None else None,
        for_pages=round(shares.per_day.get("pages", 0.0), 2) if shares is not None else None,
        for_feeds=round(shares.per_day.get("feeds", 0.0), 2) if shares is not None else None,
        budgets=_budgets(rates, weights, settings.requests_per_day, settings.aim),
        hosts=tuple(
            ChangingHost(name, counts[name], round(believed.hosts[name] * 7 * DAY, 3)) for name in busiest[:_MOST_HOSTS]
        ),
    )


class _Share(NamedTuple):
    share: float | None = None
    low: float | None = None
    high: float | None = None
    by_weight: float | None = None


def _share(shape: Floats, rate: Floats, age: Floats, weights: Floats) -> _Share:
    """The share of pages that have not changed since they were seen, and its bounds: rates are drawn from what is
    believed of them (Gamma distributions), and changes from the rates. And the same share by weight."""
    if not len(age):
        return _Share()
    rng = np.random.default_rng(1)
    draws, weighted = np.empty(_DRAWS), np.empty(_DRAWS)
    for number in range(_DRAWS):
        fresh = np.exp(-rng.gamma(shape) / rate * np.maximum(age, 0.0))
        draws[number] = (rng.random(len(age)) < fresh).mean()
        weighted[number] = np.average(fresh, weights=weights)
    low, high = np.quantile(draws, (0.05, 0.95))
    share = float(draws.mean())
    bounds = round(min(float(low), share), 4), round(max(float(high), share), 4)
    return _Share(round(share, 4), *bounds, round(float(weighted.mean()), 4))


def _budgets(rates: Floats, weights: Floats, requests: float, aim: Aim) -> tuple[Budget, ...]:
    if not len(rates):
        return ()
    base = requests or len(rates) / 30
    found = []
    for factor in (0.25, 0.5, 1.0, 2.0, 4.0):
        visits = share_budget(rates, base * factor / DAY, aim, weights).visits
        with np.errstate(divide="ignore"):
            shares = np.where(visits > 0, up_to_date(rates, 1 / visits), 0.0)
        by_weight = float(np.average(shares, weights=weights))
        found.append(Budget(round(base * factor, 2), round(float(shares.mean()), 4), round(by_weight, 4)))
    return tuple(found)
