"""When the feeds of a world post: a rate, a profile of the day and a weekend habit per feed, posts as a Poisson stream.

Any hour can be asked for by itself; the posts of an hour depend only on the world, the site and the hour.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

from phasa.lab.chance import Dice
from phasa.lab.markup import has_feed
from phasa.lab.sentences import write_title
from phasa.lab.topics import TOPICS
from phasa.lab.world import World

HOUR = 3600
# Share of a day's posts by hour, in three habits: offices, evenings, machines.
_OFFICE = (0, 0, 0, 0, 0, 1, 3, 6, 10, 12, 11, 9, 6, 9, 10, 9, 8, 5, 3, 2, 1, 1, 0, 0)
_EVENING = (3, 1, 1, 0, 0, 0, 1, 2, 3, 3, 3, 4, 5, 4, 4, 4, 5, 6, 8, 11, 12, 11, 9, 6)
_MACHINE = (1,) * 24
_HABITS = (_OFFICE, _EVENING, _MACHINE)


@dataclass(frozen=True)
class Rhythm:
    """How a feed posts."""

    per_day: float
    """Mean posts on a working day."""
    hours: tuple[float, ...]
    """Share of the posts of a day in each hour; they add up to 1."""
    weekend: float
    """Posts on Saturdays and Sundays, relative to other days."""


@dataclass(frozen=True)
class Post:
    """One item of a feed."""

    at: int
    """Unix time."""
    guid: str
    title: str
    url: str


def feeds_of(world: World) -> list[int]:
    """The sites with a feed."""
    return [site for site in range(len(world.sites)) if has_feed(world, site)]


def rhythm_of(world: World, site: int) -> Rhythm:
    """The rhythm of a site's feed."""
    dice = Dice(world.seed, "rhythm", site)
    habit = _HABITS[min(2, int(dice.unit() * 2.4))]
    shift = dice.between(-2, 2)
    weights = [habit[(hour - shift) % 24] + 0.02 for hour in range(24)]
    total = sum(weights)
    per_day = 0.3 * math.exp(dice.unit() * math.log(100))
    weekend = 1.0 if habit is _MACHINE else 0.15 + 0.6 * dice.unit()
    return Rhythm(per_day, tuple(weight / total for weight in weights), weekend)


def posts(world: World, site: int, start: int, end: int) -> list[Post]:
    """The posts of a site's feed with start ≤ time < end, oldest first."""
    rhythm = rhythm_of(world, site)
    found: list[Post] = []
    for hour in range(start // HOUR, -(-end // HOUR)):
        found += [post for post in _hour(world, site, rhythm, hour) if start <= post.at < end]
    return found


def _hour(world: World, site: int, rhythm: Rhythm, hour: int) -> list[Post]:
    # The Unix epoch began on a Thursday.
    is_weekend = (hour // 24 + 3) % 7 >= 5
    mean = rhythm.per_day * rhythm.hours[hour % 24] * (rhythm.weekend if is_weekend else 1.0)
    dice = Dice(world.seed, "post", site, hour)
    times = sorted(hour * HOUR + dice.below(HOUR) for _ in range(_poisson(dice, mean)))
    first, count = int(world.sites.first[site]), int(world.sites.pages[site])
    language = world.pages.languages[int(world.pages.language[first])]
    made: list[Post] = []
    for number, at in enumerate(times):
        own = Dice(world.seed, "item", site, hour, number)
        title = write_title(own, language, own.below(len(TOPICS)))
        made.append(Post(at, f"{site}-{hour}-{number}", title, world.url(first + own.below(count))))
    return made


def _poisson(dice: Dice, mean: float) -> int:
    """Knuth's method: means are small here."""
    limit, product, count = math.exp(-mean), dice.unit(), 0
    while product > limit:
        product *= dice.unit()
        count += 1
    return count


def write_feed(world: World, site: int, now: int, items: int = 20) -> str:
    """The feed as RSS 2.0 as it stands at a moment: the latest items first."""
    from email.utils import formatdate

    latest: list[Post] = []
    day = 24 * HOUR
    for back in range(60):
        latest[:0] = posts(world, site, now - (back + 1) * day, now - back * day)
        if len(latest) >= items:
            break
    entries = "".join(
        f"<item><title>{escape(post.title)}</title><link>{escape(post.url)}</link>"
        f'<guid isPermaLink="false">{post.guid}</guid><pubDate>{formatdate(post.at, usegmt=True)}</pubDate></item>'
        for post in reversed(latest[-items:])
    )
    host = world.styles[site].host
    return (
        f'<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>{host}</title>'
        f"<link>http://{host}/</link><description>{host}</description>{entries}</channel></rss>"
    )
