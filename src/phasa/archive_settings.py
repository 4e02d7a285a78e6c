"""What is kept of the web: section [archive] of collection.toml."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from phasa.settings import Settings


class ArchiveSettings(Settings, frozen=True, kw_only=True):
    """Whether answers are kept, and whether what a page needs to be seen is fetched for them."""

    keep: Annotated[bool, Meta(description="Keep what comes in WARC files.")] = True
    requisites: Annotated[
        bool,
        Meta(
            description="Also fetch what a wanted page needs to be seen: pictures, styles, scripts, fonts, frames. "
            "They are kept and never judged, and the rules of scope that choose pages do not choose them."
        ),
    ] = False
    requisites_per_page: Annotated[
        int, Meta(ge=0, description="Requisites that one page, style sheet or frame may ask for; 0 = no limit.")
    ] = 200
    requisite_requests: Annotated[
        int, Meta(ge=0, description="Requisites fetched in all, over every run; 0 = no limit.")
    ] = 0
