"""What a list of feeds may weigh, as section [feeds] of collection.toml."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from phasa.settings import Settings


class FeedSettings(Settings, frozen=True, kw_only=True):
    """Bounds on the feeds of a collection and on the OPML lists that bring them."""

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
