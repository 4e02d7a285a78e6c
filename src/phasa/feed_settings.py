"""How the feeds of a collection are polled, and what lists of them may weigh: section [feeds] of collection.toml."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from phasa.settings import Settings


class FeedSettings(Settings, frozen=True, kw_only=True):
    """The policy of the feeds of a collection, and bounds on them and on the OPML lists that bring them."""

    policy: Annotated[
        str,
        Meta(
            pattern=r"^(phasa|dorpm|rs|uniform|fixed:[1-9][0-9]{0,2})$",
            description="How feeds are polled: phasa, dorpm, rs, uniform, or fixed:N for N polls a day. A feed may have"
            " its own.",
        ),
    ] = "phasa"
    per_day: Annotated[float, Meta(gt=0, description="Polls a day for all feeds together.")] = 2000.0
    at_start: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Share of a day's polls that may be made at once when a watch begins, so that new feeds are"
            " known soon; the rest of that day's come evenly.",
        ),
    ] = 0.5
    per_feed: Annotated[
        float | None, Meta(description="Polls a day of each feed on its own, in place of the common budget.")
    ] = None
    least_gap: Annotated[
        float,
        Meta(ge=0, description="Least seconds between two polls of a feed, unless its document would lose posts."),
    ] = 900.0
    window_share: Annotated[
        float,
        Meta(ge=0, le=1, description="Share of the entries of a document that may be new at a poll; 0 looks away."),
    ] = 0.5
    bootstrap_hours: Annotated[
        float, Meta(gt=0, description="Hours between polls of a feed while dorpm or rs collect their first window.")
    ] = 2.0
    learn_days: Annotated[int, Meta(gt=0, description="Days that a plan of dorpm is learned from.")] = 28
    update_days: Annotated[int, Meta(gt=0, description="Days that a plan of dorpm is followed.")] = 28
    rs_days: Annotated[int, Meta(gt=0, description="Days that rs learns from, once.")] = 14
    zone: Annotated[str, Meta(description="Time zone of a feed's days and hours, unless it has its own.")] = "UTC"
    identity: Annotated[
        Literal["guid", "title"],
        Meta(description="What makes a post the same one: guid (else link), or title as in the thesis."),
    ] = "guid"

    webhook_hours: Annotated[
        float, Meta(ge=0, description="Hours for which a webhook is tried before a post becomes a dead letter.")
    ] = 24.0
    feeds: Annotated[int, Meta(gt=0, description="Most feeds of the collection; a list that brings more is cut.")] = (
        50_000
    )
    list_bytes: Annotated[int, Meta(gt=0, description="Largest OPML list that is read, in bytes.")] = 10_000_000
    list_outlines: Annotated[int, Meta(gt=0, description="Most outlines of one list; a longer one is refused.")] = (
        100_000
    )
    list_depth: Annotated[
        int, Meta(gt=0, le=100, description="Folders in folders that are kept of a list; deeper ones are left out.")
    ] = 16
    category_length: Annotated[int, Meta(gt=0, description="Longest category, in letters; the rest is cut.")] = 200
    title_length: Annotated[int, Meta(gt=0, description="Longest title of a feed, in letters; the rest is cut.")] = 500
