"""Worlds whose pages change, with the exact truth: when each page got new content, and what else happened to it.

Rates are heavy-tailed (Gamma, shape 0.7) around a rate of each site; a third of the sites has a rhythm (changes by day
and on working days only); a site has *releases* that touch many of its pages at one moment; on some pages a clock and
an advert differ at every request, which is no change of content; some move, and some die. All follows from the seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from phasa.errors import InputError
from phasa.schedule.value import Floats

DAY = 86_400.0
MOST_PAGES = 1_000_000
_PER_SITE = 40
_MEAN_DAYS = 30.0  # between two changes of a page, in the mean of rates
_RELEASES = 6  # of a site in a year
_TOUCHED = 0.4  # of its pages, by a release
_DEATHS, _MOVES, _RESTLESS = 0.02, 0.02, 0.15  # shares of the pages in a year; of those with a clock
_WORDS = (
    *("บ้าน", "เมือง", "ข่าว", "ภาษา", "ตลาด", "ทะเล", "ภูเขา", "แม่น้ำ", "โรงเรียน"),
    *("หนังสือ", "ดนตรี", "อาหาร", "ฤดูฝน", "เดินทาง", "ประวัติ"),
)


@dataclass(frozen=True)
class ChangingPage:
    """The truth about one page: moments of new content, in seconds since the beginning; when it is gone or has moved
    (infinite: never); whether something that is no content differs at every request."""

    name: str
    changes: Floats
    gone: float
    moved: float
    restless: bool

    def version(self, at: float) -> int:
        """How often it has changed by then."""
        return int(np.searchsorted(self.changes, at, side="right"))

    def text(self, at: float, request: int = 0) -> str:
        """Its content at a moment; with a clock and an advert that differ at every request when it is restless."""
        rng = np.random.default_rng([*self.name.encode(), self.version(at)])
        body = " ".join(_WORDS[place] for place in rng.integers(0, len(_WORDS), 150))
        return f"{body} {request:06d} {request * 7 % 1000}" if self.restless else body


class ChangingWorld:
    """`pages` pages over `days` days. Raises InputError for a name that is none (`SEED:PAGES`)."""

    def __init__(self, seed: int, pages: int, days: float = 365.0) -> None:
        self.days = days
        rng = np.random.default_rng([seed, pages])
        end = days * DAY
        site = np.arange(pages) // _PER_SITE
        sites = int(site[-1]) + 1
        pace = rng.lognormal(-0.3, 0.8, sites)
        self.rates = rng.gamma(0.7, 1 / 0.7, pages) * pace[site] / (_MEAN_DAYS * DAY)
        """Changes a second of each page, releases left out."""
        rhythmic = rng.random(sites) < 1 / 3
        releases = [np.sort(rng.random(rng.poisson(_RELEASES * days / 365))) * end for _ in range(sites)]
        self.pages = [
            self._page(rng, number, rhythmic[site[number]], releases[site[number]], end) for number in range(pages)
        ]

    @classmethod
    def from_name(cls, name: str, days: float = 365.0) -> ChangingWorld:
        seed, _, pages = name.partition(":")
        if not (seed.isdigit() and pages.isdigit() and 1 <= int(pages) <= MOST_PAGES):
            raise InputError(
                f"a world that changes is named SEED:PAGES, with at most {MOST_PAGES:,} pages, not '{name}'"
            )
        return cls(int(seed), int(pages), days)

    def _page(
        self, rng: np.random.Generator, number: int, rhythmic: bool, releases: Floats, end: float
    ) -> ChangingPage:
        wanted = 3.0 if rhythmic else 1.0  # two of three moments are at night or on a free day
        times = rng.random(rng.poisson(self.rates[number] * end * wanted)) * end
        if rhythmic:
            times = times[_at_work(times)]
        touched = releases[rng.random(len(releases)) < _TOUCHED]
        gone, moved = (rng.exponential(365 * DAY / share) for share in (_DEATHS, _MOVES))
        changes = np.sort(np.concatenate((times, touched)))
        folder = "news" if self.rates[number] > 1 / (_MEAN_DAYS * DAY) else "pages"
        name = f"s{number // _PER_SITE}/{folder}/{number}"
        return ChangingPage(name, changes[changes < min(gone, moved)], gone, moved, bool(rng.random() < _RESTLESS))

    def trace(self) -> Iterator[tuple[str, Floats]]:
        """Each page with the moments of its changes, its first appearance at 0 among them, as traces have them."""
        for page in self.pages:
            yield page.name, np.concatenate(([0.0], page.changes))


def _at_work(times: Floats) -> Floats:
    """Which moments are on a working day between 6 and 17.2 o'clock: a third of all."""
    hour, day = times % DAY / 3600, times // DAY % 7
    return np.asarray((hour >= 6) & (hour < 17.2) & (day < 5))
