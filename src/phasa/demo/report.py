"""The page that the demo leaves behind: what was done, in figures, with links to the other files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from phasa.crawl.run.crawl_log import read_log
from phasa.demo.newsroom import LEARN_DAYS, WATCH_DAYS, Watched
from phasa.lab.chart import Chart, Series
from phasa.lab.result import Result, Section, Table

EVERY = 100


def harvest(log: Path) -> list[bool]:
    """Of each page in crawl.log that was judged, whether it was in the language, in the order of the crawl."""
    return [line.wanted for line in read_log(log) if line.wanted is not None]


def cumulative(wanted: Sequence[bool]) -> Series:
    """The share of wanted pages after every hundred."""
    x = range(EVERY, len(wanted) + 1, EVERY)
    return Series("phasa, over HTTP", list(x), [sum(wanted[:upto]) / upto for upto in x])


def written(
    world: str,
    sites: int,
    wanted: Sequence[bool],
    replayed: Sequence[Series],
    watched: Watched,
    host: str,
    words: Sequence[str],
) -> Result:
    """The report as a result of the lab, which knows how to write itself as one page."""
    share = sum(wanted) / max(1, len(wanted))
    rows = [(one.name, int(one.x[-1]), f"{one.y[-1]:.1%}") for one in (cumulative(wanted), *replayed) if len(one.x)]
    sections = [
        Section(
            "The crawl",
            f"A web of {sites} sites was made on this machine (world {world}) and served over HTTP. It has the "
            "language mix of the published study: 35 % of the pages are Thai, many of them on foreign hosts.\n\n"
            f"phasa fetched {len(wanted)} pages; {share:.1%} of them are Thai. Two other strategies were replayed on "
            "the same web from the same seeds: breadth-first, the usual way to crawl, and LSWC, a published one.",
            tables=[Table("Share of Thai pages among those fetched", ("strategy", "pages", "Thai"), rows)],
            charts=[Chart("Harvest", "pages fetched", "share in Thai", [cumulative(wanted), *replayed], y_top=1.0)],
        ),
        Section(
            "The feeds",
            f"{watched.feeds} feeds of that web were watched on a fast clock: {LEARN_DAYS} days to learn when each "
            f"posts, {WATCH_DAYS} days to use it. With {watched.polls / WATCH_DAYS:.0f} requests a day in all, "
            f"a post was found {watched.delay:.1f} hours after it appeared; the same requests spread evenly need "
            f"{watched.evenly:.1f}.\n\n"
            f"The feeds pages show the last 30 days, half of which it was still learning: "
            f"{watched.lately.polls_per_day:.0f} requests a day, {watched.lately.achieved or 0.0:.1f} hours.\n\n"
            "feeds.html shows the rhythm of each feed, when it will be asked next, and why.",
            tables=[
                Table(
                    "Hours from a post to its discovery",
                    ("requests", "mean delay", "posts"),
                    [
                        ("when they are worth most (phasa)", watched.delay, watched.posts),
                        ("evenly", watched.evenly, watched.posts),
                    ],
                    note="Evenly: half the gap between two polls.",
                )
            ],
        ),
        Section(
            "The words",
            f"What {host} is about, the largest site of the pages read, without menus and adverts: "
            + " · ".join(words)
            + "\n\n"
            "cloud.html is the same as a tag cloud; the curve below it chooses how many words are shown.",
        ),
    ]
    summary = (
        "Made by `make demo`. Beside this page: cloud.html, feeds.html, and thai-web, a collection like any other."
    )
    return Result("report", "phasa: a web crawled, watched and read", summary, sections)
