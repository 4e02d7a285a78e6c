"""One price of a request: polls of feeds and revisits of pages on one budget.

Each side says how many requests a day it would make at each of many prices; a price is the seconds of waiting that a
request must save. The price at which both together use the budget gives each its share: a request is then worth as much
on one side as on the other. The sides are two programs (`phasa feeds watch`, `phasa crawl`) that may start and stop
when they like, so what they want and have stands in a small file beside them. A side never takes what the other still
has: the budget is kept at every moment, and a share moves when the one who has it gives it away.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from phasa.errors import PhasaError
from phasa.schedule.value import Floats

PRICES: Floats = np.geomspace(1.0, 1e12, 241)
LEAST = 0.02
"""Share of the budget that each side keeps that runs, so that it always learns what it might be worth."""
AWAY = 3600.0
"""Seconds after which a side that did not ask is taken to have stopped; what it had is free then."""

Demand = Callable[[Floats], Floats]
"""Requests a day at each of these prices."""


class Half(NamedTuple):
    """One side: what it would ask for at each of `PRICES`, what it has, and since when."""

    wants: Floats
    per_day: float
    asked: float


class Shares(NamedTuple):
    """How a budget is shared now."""

    price: float
    per_day: dict[str, float]


class CommonBudget:
    """One side's view of the budget of a collection."""

    def __init__(self, path: Path, side: str, per_day: float) -> None:
        self._path, self._side, self._per_day = path, side, per_day

    def share(self, demand: Demand, now: float) -> float:
        """Requests a day that this side may make until it asks again. Raises PhasaError when the file is no such
        file."""
        wants = np.minimum(demand(PRICES), 1e15)
        try:
            with closing(_open(self._path)) as db:
                db.execute("BEGIN IMMEDIATE")
                halves = _halves(db, now)
                others = {name: half for name, half in halves.items() if name != self._side}
                given = self._fair(wants, others)
                free = self._per_day - sum(half.per_day for half in others.values())
                given = max(0.0, min(given, free))
                # A side that has just begun finds everything taken: it waits until the other asks, and gives.
                db.execute("INSERT OR REPLACE INTO side VALUES (?, ?, ?, ?)", (self._side, wants.tobytes(), given, now))
                db.execute("COMMIT")
        except sqlite3.Error as problem:
            raise PhasaError(f"{self._path.name}: the budget cannot be shared ({problem}); remove that file") from None
        return given

    def _fair(self, wants: Floats, others: dict[str, Half]) -> float:
        if not others:
            return self._per_day
        together = wants + sum(half.wants for half in others.values())
        mine = float(np.interp(np.log(price_of(together, self._per_day)), np.log(PRICES), wants))
        if together[0] < self._per_day:  # more than all could use: what is left over is shared by halves
            mine += float(self._per_day - together[0]) / (1 + len(others))
        least = LEAST * self._per_day
        return min(max(mine, least), self._per_day - least * len(others))

    def leave(self) -> None:
        """This side stops: what it had is free."""
        with suppress(sqlite3.Error), closing(_open(self._path)) as db:
            db.execute("DELETE FROM side WHERE name = ?", (self._side,))


def price_of(wants: Floats, per_day: float) -> float:
    """The price at which so much is asked for in all; the lowest when all that is wanted can be had."""
    return float(np.exp(np.interp(-per_day, -wants, np.log(PRICES))))


def read_shares(path: Path, per_day: float, now: float) -> Shares | None:
    """How the budget is shared now; None when fewer than two sides run."""
    if not path.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=10.0)) as db:
            halves = _halves(db, now)
    except sqlite3.Error:
        return None
    if len(halves) < 2:
        return None
    together = np.sum([half.wants for half in halves.values()], axis=0)
    return Shares(price_of(together, per_day), {name: half.per_day for name, half in sorted(halves.items())})


def _open(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, timeout=30.0)
    db.execute("CREATE TABLE IF NOT EXISTS side (name TEXT PRIMARY KEY, wants BLOB, per_day REAL, asked REAL) STRICT")
    return db


def _halves(db: sqlite3.Connection, now: float) -> dict[str, Half]:
    found = {}
    for name, blob, per_day, asked in db.execute("SELECT name, wants, per_day, asked FROM side"):
        if now - asked < AWAY and len(blob) == PRICES.nbytes:
            found[name] = Half(np.frombuffer(blob, np.float64), per_day, asked)
    return found
