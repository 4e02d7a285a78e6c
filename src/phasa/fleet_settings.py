"""How a fleet of workers runs."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from phasa.settings import Settings


class FleetSettings(Settings, frozen=True, kw_only=True):
    """Workers on many machines: `phasa fleet`."""

    address: Annotated[
        str,
        Meta(description="The Ray cluster to work on, host:port of its head; empty = a cluster of this machine alone."),
    ] = ""
    workers: Annotated[int, Meta(ge=1, le=10_000, description="Workers of the whole fleet.")] = 2
    lifetime: Annotated[
        float,
        Meta(
            ge=2,
            le=3600,
            description="Seconds without a sign of life after which a worker counts as lost and others take its sites.",
        ),
    ] = 30.0
    cpus: Annotated[
        float, Meta(ge=0, description="Processors that each worker takes of a machine, for placing it.")
    ] = 1.0
    share_every: Annotated[
        float,
        Meta(
            ge=1,
            description="Seconds between two exchanges of what the workers' strategies learned; more often while a"
            " crawl is young.",
        ),
    ] = 60.0
