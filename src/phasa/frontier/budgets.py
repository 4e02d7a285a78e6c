"""Budgets: how much a crawl may take from a host, a site, the whole web and this machine."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from phasa.settings import Settings


class Budgets(Settings, frozen=True, kw_only=True):
    """Hard stops of a crawl; 0 means no limit."""

    pages: Annotated[int, Meta(ge=0, description="Pages in all, over every run; 0 = no limit.")] = 0
    seconds: Annotated[float, Meta(ge=0, description="Time of one run, in seconds; 0 = no limit.")] = 0.0
    megabytes: Annotated[float, Meta(ge=0, description="Body megabytes of one run; 0 = no limit.")] = 0.0
    idle_seconds: Annotated[
        float, Meta(ge=0, description="A run ends when no host may be asked for this long; 0 = it waits.")
    ] = 120.0
    free_disk_megabytes: Annotated[
        float, Meta(ge=0, description="A run stops before the free disk space falls below this.")
    ] = 500.0
    pages_per_host: Annotated[int, Meta(ge=0, description="Pages taken from one host; 0 = no limit.")] = 0
    pages_per_site: Annotated[int, Meta(ge=0, description="Pages taken from one registered domain; 0 = no limit.")] = 0
    queue: Annotated[
        int, Meta(ge=0, description="URLs that may wait; the least wanted is dropped beyond it; 0 = no limit.")
    ] = 0


NO_LIMITS = Budgets(free_disk_megabytes=0.0, idle_seconds=0.0)
