"""How up to date a collection is, estimated from its visits, and what another budget would bring."""

from __future__ import annotations

import time
from array import array
from collections import Counter
from collections.abc import Iterator

import msgspec
import numpy as np

from phasa.collection import Collection
from phasa.frontiers import read_frontier
from phasa.schedule.common_budget import read_shares
from phasa.schedule.trust import FIRST, OWN_PAST
from phasa.schedule.usual import Place, Usual, drawn, place_of
from phasa.schedule.value import Floats, share_budget, up_to_date

DAY = 86_400.0
_DRAWS = 200
_MOST_HOSTS = 10


class Budget(msgspec.Struct, frozen=True):
    """What a budget would keep up to date in the long run, by the rates that are believed."""

    requests_per_day: float
    up_to_date: float


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
    rows = array("d")

    def paces() -> Iterator[tuple[str, float, float]]:
        nonlocal settled, visits
        for page in frontier.watched():
            visits += page.visits
            if page.due is None:
                settled += 1
                continue
            number = places.setdefault(place_of(page.url), len(places))
            rows.extend((number, page.due, page.at, page.changes, page.seconds))
            yield page.url, page.changes, page.seconds

    with read_frontier(collection) as frontier:
        believed = Usual(paces())
        last_day = frontier.visits_since(moment - DAY)
        trust = frontier.note(OWN_PAST) or FIRST
    where, due, at, changes, seconds = np.frombuffer(rows).reshape(-1, 5).T
    usual = np.asarray([believed.at(place) for place in places])[where.astype(int)] if len(where) else np.zeros(0)
    rates = drawn(usual, changes, seconds, trust)
    share, low, high = _share(trust + changes, trust / usual + seconds, moment - at)
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
        aim=settings.aim,
        requests_per_day=settings.requests_per_day,
        price=round(shares.price, 1) if shares is not None else None,
        for_pages=round(shares.per_day.get("pages", 0.0), 2) if shares is not None else None,
        for_feeds=round(shares.per_day.get("feeds", 0.0), 2) if shares is not None else None,
        budgets=_budgets(rates, settings.requests_per_day, collection),
        hosts=tuple(
            ChangingHost(name, counts[name], round(believed.hosts[name] * 7 * DAY, 3)) for name in busiest[:_MOST_HOSTS]
        ),
    )


def _share(shape: Floats, rate: Floats, age: Floats) -> tuple[float | None, float | None, float | None]:
    """The share of pages that have not changed since they were seen, and its bounds: rates are drawn from what is
    believed of them (Gamma distributions), and changes from the rates."""
    if not len(age):
        return None, None, None
    rng = np.random.default_rng(1)
    draws = np.empty(_DRAWS)
    for number in range(_DRAWS):
        fresh = np.exp(-rng.gamma(shape) / rate * np.maximum(age, 0.0))
        draws[number] = (rng.random(len(age)) < fresh).mean()
    low, high = np.quantile(draws, (0.05, 0.95))
    share = float(draws.mean())
    return round(share, 4), round(min(float(low), share), 4), round(max(float(high), share), 4)


def _budgets(rates: Floats, requests: float, collection: Collection) -> tuple[Budget, ...]:
    if not len(rates):
        return ()
    aim = collection.settings.fresh.aim
    base = requests or len(rates) / 30
    found = []
    for factor in (0.25, 0.5, 1.0, 2.0, 4.0):
        visits = share_budget(rates, base * factor / DAY, aim).visits
        with np.errstate(divide="ignore"):
            share = np.where(visits > 0, up_to_date(rates, 1 / visits), 0.0).mean()
        found.append(Budget(round(base * factor, 2), round(float(share), 4)))
    return tuple(found)
