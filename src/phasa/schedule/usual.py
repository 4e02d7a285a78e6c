"""How often pages usually change, by what their addresses say: the prior under which a page seen once has a rate.

The rate of all pages is drawn on by each host, that of the host by its segments (the first directory), each as far as
its own visits say; the kind of a page (home page, list, page, query) and its depth multiply it, as much as they do all
over the web that was seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from phasa.schedule.value import Floats

DAY = 86_400.0
Number = TypeVar("Number", float, Floats)
FIRST = 1 / (30 * DAY)
"""Changes a second of a page when nothing is known yet."""
TRUST = 1.0
"""Changes that a wider circle counts for in the rate of a narrower one."""
SEGMENT_TRUST = 1000.0
"""The same for the host of a segment. Pages of a directory change together: hundreds of changes may be one event, of
which `neighbours` hears anyway."""
_SURE = 5.0  # changes of a kind before it is believed to differ
_MOST = 10.0  # times that a kind may be quicker or slower than others
_DEEPEST = 3


class Place(NamedTuple):
    """Where a page is, and what kind of page its address says it is."""

    host: str
    segment: str
    kind: str


def place_of(url: str) -> Place:
    """Of an address as `web.url` writes it."""
    host, _, path = url.partition("://")[2].partition("/")
    path, asked, _ = path.partition("?")
    names = path.split("/")
    last = names.pop()
    if not names and not last and not asked:
        return Place(host, host, "home")
    kind = "query" if asked else "list" if not last or last.startswith("index.") else "page"
    return Place(host, f"{host}/{names[0]}" if names else host, f"{kind} {min(len(names), _DEEPEST)}")


class Usual:
    """What is believed of pages before their own visits. Memory is that of the places, not of the pages."""

    def __init__(self, paces: Iterable[tuple[str, float, float]] = ()) -> None:
        """`paces`: address of a page, the changes seen of it and in how many seconds."""
        seen: dict[Place, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for url, changes, seconds in paces:
            sums = seen[place_of(url)]
            sums[0] += changes
            sums[1] += seconds
        hosts = _sums((place.host, found, time) for place, (found, time) in seen.items())
        inside = ((place, found, time) for place, (found, time) in seen.items() if place.segment != place.host)
        segments = _sums((place.segment, found, time) for place, found, time in inside)
        self.mean = drawn(FIRST, sum(one[0] for one in hosts.values()), sum(one[1] for one in hosts.values()))
        self.hosts = {name: drawn(self.mean, *sums) for name, sums in hosts.items()}
        self._segments = {
            name: drawn(self.hosts[name.partition("/")[0]], found, time, SEGMENT_TRUST)
            for name, (found, time) in segments.items()
        }
        self._kinds: dict[str, float] = {}
        expected = _sums((place.kind, found, self._around(place) * time) for place, (found, time) in seen.items())
        for kind, (found, usual) in expected.items():
            self._kinds[kind] = min(max((_SURE + found) / (_SURE + usual), 1 / _MOST), _MOST)

    def _around(self, place: Place) -> float:
        return self._segments.get(place.segment) or self.hosts.get(place.host, self.mean)

    def at(self, place: Place) -> float:
        """Changes a second that are usual at a place."""
        return self._around(place) * self._kinds.get(place.kind, 1.0)

    def rate(self, url: str, changes: float = 0.0, seconds: float = 0.0, trust: float = TRUST) -> float:
        """The rate that is believed of a page with so many changes in such a time."""
        return drawn(self.at(place_of(url)), changes, seconds, trust)


def drawn(usual: Number, changes: Number, seconds: Number, trust: float = TRUST) -> Number:
    """So many changes in such a time, drawn to what is usual."""
    return (trust + changes) / (trust / usual + seconds)


def _sums(rows: Iterable[tuple[str, float, float]]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for name, first, second in rows:
        found[name][0] += first
        found[name][1] += second
    return found
