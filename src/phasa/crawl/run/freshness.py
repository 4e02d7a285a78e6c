"""How up to date a collection is, estimated from its visits, and what another budget would bring."""

from __future__ import annotations

import math
import time

import msgspec
import numpy as np

from phasa.collection import Collection
from phasa.frontier.origins import host_of
from phasa.frontiers import read_frontier
from phasa.schedule.value import Floats, share_budget, up_to_date

DAY = 86_400.0
_USUAL = 1 / (30 * DAY)  # changes a second of a page before anything is known (crawl.revisits)
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
    budgets: tuple[Budget, ...]
    hosts: tuple[ChangingHost, ...]


def read_freshness(collection: Collection, now: float | None = None) -> Freshness:
    """Read from the frontier, while a crawl may be running. Memory is that of a few numbers for each page."""
    moment = time.time() if now is None else now
    settings = collection.settings.fresh
    names: dict[str, int] = {}
    rows: list[tuple[float, ...]] = []
    with read_frontier(collection) as frontier:
        for page in frontier.watched():
            number = names.setdefault(host_of(page.host), len(names))
            due = math.nan if page.due is None else page.due
            rows.append((number, due, page.at, page.visits, page.changes, page.seconds))
        last_day = frontier.visits_since(moment - DAY)
    table = np.asarray(rows, np.float64).reshape(len(rows), 6)
    active = np.isfinite(table[:, 1])
    hosts, due, at, _, changes, seconds = table[active].T
    mean = (1 + changes.sum()) / (1 / _USUAL + seconds.sum())
    by_host = (np.bincount(hosts.astype(int), changes, len(names)) + 1) / (
        np.bincount(hosts.astype(int), seconds, len(names)) + 1 / mean
    )
    usual = by_host[hosts.astype(int)]
    rates = (1 + changes) / (1 / usual + seconds)
    share, low, high = _share(changes, seconds, usual, moment - at)
    counts = np.bincount(hosts.astype(int), minlength=len(names))
    busiest = sorted(names, key=lambda name: (-by_host[names[name]], name))
    return Freshness(
        pages=int(active.sum()),
        settled=int((~active).sum()),
        visits=int(table[:, 3].sum()),
        visits_last_day=last_day,
        late=int((due < moment).sum()),
        up_to_date=share,
        low=low,
        high=high,
        aim=settings.aim,
        requests_per_day=settings.requests_per_day,
        budgets=_budgets(rates, settings.requests_per_day, collection),
        hosts=tuple(
            ChangingHost(name, int(counts[names[name]]), round(float(by_host[names[name]] * 7 * DAY), 3))
            for name in busiest[:_MOST_HOSTS]
            if counts[names[name]]
        ),
    )


def _share(
    changes: Floats, seconds: Floats, usual: Floats, age: Floats
) -> tuple[float | None, float | None, float | None]:
    """The share of pages that have not changed since they were seen, and its bounds: rates are drawn from what is
    believed of them, and changes from the rates."""
    if not len(age):
        return None, None, None
    rng = np.random.default_rng(1)
    draws = np.empty(_DRAWS)
    shape, rate = 1 + changes, 1 / usual + seconds
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
