"""Revisit policies by name, side by side on one trace: ours, the published ones and the simple ones.

Policies that plan ahead visit each page evenly at a rate of its own, from a phase that spreads the pages. Those that
look at every moment take the pages to which a visit is worth most, as many as the budget has paid for by then: the
price is what the last of them is worth.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from phasa.errors import InputError
from phasa.schedule.neighbours import slot_of
from phasa.schedule.rates import Ints
from phasa.schedule.replay import WEEK, Future, Past, Visits
from phasa.schedule.together import Together, kinds_of_groups, number_groups
from phasa.schedule.value import SPREAD, Aim, Floats, share_budget, worth

Policy = Callable[[Past, Future, float, Aim], Visits]
"""What is known, what may be asked, visits a page and week, the aim; the visits that are made."""

_GOLDEN = 0.6180339887
_TRUST = 8.0  # changes that the usual rate counts for in that of a page, where changes are shared
_TRUSTS = np.asarray([0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
_SURE = 0.1  # of what a change says counts: those of one burst say the same


def visits_of(policy: str, past: Past, future: Future, per_week: float, aim: Aim) -> Visits:
    """The visits that a policy makes after the split, within the budget. Raises InputError."""
    if not per_week > 0:
        raise InputError(f"--per-week {per_week:g}: give a positive number of visits a page and week")
    if policy not in POLICIES:
        raise InputError(f"policy {policy!r}: choose one of {', '.join(POLICIES)}")
    return POLICIES[policy](past, future, per_week, aim)


def _even(rates: Floats, future: Future) -> Visits:
    """Visits at even gaps, so many a second of each page."""
    pages = np.flatnonzero(rates > 0)
    gaps = 1 / rates[pages]
    first = gaps * ((pages * _GOLDEN) % 1.0)
    counts = np.maximum(np.floor((future.end - future.begin - first) / gaps) + 1, 0).astype(np.int64)
    number = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    times = future.begin + np.repeat(first, counts) + number * np.repeat(gaps, counts)
    return Visits(np.repeat(pages, counts), times)


def _uniform(past: Past, future: Future, per_week: float, aim: Aim) -> Visits:
    return _even(np.full(len(past.names), per_week / WEEK), future)


def _proportional(past: Past, future: Future, per_week: float, aim: Aim) -> Visits:
    return _even(past.counts * per_week / WEEK / past.counts.mean(), future)


def _sqrt(past: Past, future: Future, per_week: float, aim: Aim) -> Visits:
    roots = np.sqrt(past.counts)
    return _even(roots * per_week / WEEK / roots.mean(), future)


def _optimum(past: Past, future: Future, per_week: float, aim: Aim) -> Visits:
    """Cho and Garcia-Molina's, with the rates that the pages are going to have."""
    return _even(share_budget(future.rates(), len(past.names) * per_week / WEEK, aim).visits, future)


def _learned(past: Past, future: Future, per_week: float, aim: Aim) -> Visits:
    """The same with the rates that the pages had, each drawn to the mean (empirical Bayes)."""
    rates = _shrunk(past)
    return _even(share_budget(rates, len(past.names) * per_week / WEEK, aim).visits, future)


def _wire(past: Past, future: Future, per_week: float, aim: Aim) -> Visits:
    """The order of WIRE (persian-crawling §4.3): what is least likely to be up to date first, 1 − freshness^1."""
    rates = _shrunk(past)
    seen = np.full(len(past.names), future.begin)

    def look(now: float, room: int) -> Ints:
        chosen = _best(-np.expm1(-rates * (now - seen)), room)
        seen[chosen] = now
        return chosen

    return _looking(past, future, per_week, look)


def _phasa(past: Past, future: Future, per_week: float, aim: Aim) -> Visits:
    """What a visit is worth by the rates and by what was found changed elsewhere in the same folders (`together`).

    Where most changes are shared by neighbours, those tell of each other, and the past of a page says little; as far as
    pages change alone, their own past counts, and they are visited evenly."""
    slot = slot_of(WEEK / per_week)
    groups = number_groups(kinds_of_groups(past.names, past.pages, past.times), past.pages, past.times)
    rates = np.full(len(past.names), max(_mean_rate(past), 1e-12))
    own = float(groups.places.own.mean())
    alone = max(1 - (1 - own) / own, 0.0)  # by the odds that a change is shared
    trust = _TRUST ** (1 - alone) * learn_trust(past) ** alone
    slots, watched = int((future.end - future.begin) / slot) + 2, past.end - past.first
    beliefs = Together(rates, groups, slot, slots, trust, alone * (past.counts - 1), alone * watched)
    uneven = np.exp((1 - alone) * SPREAD * (2 * ((np.arange(len(past.names)) * _GOLDEN) % 1.0) - 1))

    def look(now: float, room: int) -> Ints:
        when = (now - future.begin) / slot
        chosen = _best(worth(beliefs.expected(when), beliefs.rates, aim, uneven), room)
        changed = future.changed(chosen, future.begin + beliefs.seen[chosen] * slot, now)
        beliefs.saw(when, chosen, changed)
        return chosen

    return _looking(past, future, per_week, look)


def _looking(past: Past, future: Future, per_week: float, look: Callable[[float, int], Ints]) -> Visits:
    """Look at all pages again and again, and visit as many as the budget has paid for since."""
    interval = slot_of(WEEK / per_week) / 2
    pages: list[Ints] = []
    times: list[Floats] = []
    paid, now = 0.0, future.begin
    while (now := now + interval) <= future.end:
        paid += len(past.names) * per_week / WEEK * interval
        room = min(int(paid), len(past.names))
        if room:
            pages.append(look(now, room))
            times.append(np.full(room, now))
            paid -= room
    if not pages:
        return Visits(np.zeros(0, np.int64), np.zeros(0))
    return Visits(np.concatenate(pages), np.concatenate(times))


def _best(values: Floats, room: int) -> Ints:
    """The places of the highest values, ties in order."""
    return np.argsort(-values, kind="stable")[:room]


def _mean_rate(past: Past) -> float:
    """Changes a second of a page. Its first change is how it came to be known: it does not count."""
    return float((past.counts - 1).sum() / max(float(len(past.names) * (past.end - past.begin)), 1.0))


def learn_trust(past: Past) -> float:
    """Changes that the usual rate counts for in that of a page, by how well the earlier changes of pages foretold their
    later ones before the split, cut at some moments: few where each page has a rate of its own, many where pages take
    turns."""
    pages, times, count = past.pages, past.times, len(past.names)
    since = times > past.first[pages]  # the first change is how a page came to be known
    fits = np.zeros(len(_TRUSTS))
    for share in (0.3, 0.5, 0.7):
        cut = past.begin + (past.end - past.begin) * share
        known = past.first < cut
        if not known.any():
            continue
        early = np.bincount(pages[since & (times <= cut)], minlength=count)[known]
        later = np.bincount(pages[since & (times > cut)], minlength=count)[known]
        watched = cut - past.first[known]
        usual = max(float(early.sum()), 0.5) / float(watched.sum())
        for place, trust in enumerate(_TRUSTS):
            factor = (trust + early) / (trust + usual * watched)
            expected = max(float(later.mean()), 1e-9) * factor / factor.mean()
            fits[place] += float((later * np.log(expected) - expected).sum())
    weights = np.exp(_SURE * (fits - fits.max()))
    return float(np.exp((weights * np.log(_TRUSTS)).sum() / weights.sum()))


def _shrunk(past: Past) -> Floats:
    """The rate of each page, drawn to that of all: its changes since the first, by how widely such counts differ."""
    counts, seconds = past.counts - 1, np.maximum(past.end - past.first, 1.0)
    mean = max(float(counts.sum()), 0.5) / float(seconds.sum())
    excess = float(((counts - mean * seconds) ** 2 - mean * seconds).sum() / ((mean * seconds) ** 2).sum())
    shape = 1 / max(excess, 0.02)  # of the Gamma distribution of rates, by its moments
    return np.asarray((counts + shape) / (seconds + shape / mean))


POLICIES: dict[str, Policy] = {
    "phasa": _phasa,
    "uniform": _uniform,
    "proportional": _proportional,
    "sqrt": _sqrt,
    "learned": _learned,
    "wire": _wire,
    "optimum": _optimum,
}
"""By name. `optimum` alone knows what is going to happen."""
