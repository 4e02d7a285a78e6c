"""How pages are visited again: section [fresh] of collection.toml."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from phasa.settings import Settings
from phasa.web.url import parse

LEAST_WEIGHT, MOST_WEIGHT = 0.001, 1000.0


class FreshSettings(Settings, frozen=True, kw_only=True):
    """The budget of revisits, and what they are for."""

    requests_per_day: Annotated[
        float,
        Meta(
            ge=0,
            description="Visits a day to pages that were wanted, to see whether they changed; the crawl runs on then "
            "until it is stopped. 0: a page is fetched once.",
        ),
    ] = 0.0
    with_feeds: Annotated[
        bool,
        Meta(
            description="Polls of feeds are paid from requests_per_day, too: each request goes where it saves most "
            "waiting. per_day of section [feeds] does not count then."
        ),
    ] = False
    post_weight: Annotated[
        float,
        Meta(gt=0, description="With with_feeds: how much a post that waits counts beside a page that is out of date."),
    ] = 1.0
    aim: Annotated[
        Literal["fresh", "delay", "versions"],
        Meta(
            description="What revisits are for: fresh (as many pages up to date as can be), delay (every change is "
            "seen soon), versions (as few versions missed as can be)."
        ),
    ] = "fresh"
    weights: Annotated[
        dict[str, float],
        Meta(
            description="How much pages of some places are wanted beside others, which count once: of a host and all "
            'hosts under it, or of what is under a path there: { "news.example" = 5.0, "ku.ac.th/old" = 0.2 }; the '
            "closest name counts."
        ),
    ] = field(default_factory=dict)
    score_weight: Annotated[
        bool,
        Meta(
            description="A page counts as much as its judge scored it when it was last seen (0.1 at the least), so "
            "that revisits go to what is most of the wanted kind."
        ),
    ] = True
    discovery: Annotated[
        float,
        Meta(
            ge=0,
            lt=1,
            description="Share of the requests that is kept for pages not seen before, while there are any to fetch.",
        ),
    ] = 0.5
    least_hours: Annotated[float, Meta(gt=0, description="Least hours between two visits of a page.")] = 6.0
    most_days: Annotated[float, Meta(gt=0, description="Most days between two, where the budget allows it.")] = 365.0
    least_change: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="How much of the text of a page must differ (digits left out) before it counts as changed: "
            "0.1 is beyond what near duplicates do, 0 counts every letter.",
        ),
    ] = 0.1
    conditional: Annotated[
        bool, Meta(description="Ask only for what changed (ETag, Last-Modified); every ninth visit asks in full.")
    ] = True

    def __post_init__(self) -> None:
        for name, weight in self.weights.items():
            if parse(f"http://{name}") is None or "://" in name:
                raise ValueError(f"weights: {name!r} is not a host, nor a host and a path, as news.example/today")
            if not LEAST_WEIGHT <= weight <= MOST_WEIGHT:
                raise ValueError(
                    f"weights: {weight:g} for {name!r} is not between {LEAST_WEIGHT:g} and {MOST_WEIGHT:g}"
                )
