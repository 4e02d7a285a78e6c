"""Manners in numbers: how long a host rests after each answer (DESIGN §3.4). Pure; the frontier keeps the times."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from msgspec import Meta, field

from phasa.settings import Settings

DAY = 86_400.0
AWAKE = float("-inf")
"""When a host or an address that does not rest may be asked."""
IN_USE = float("inf")
"""When an address that is being asked may be asked again: nobody knows before the answer is there."""


class Politeness(Settings, frozen=True, kw_only=True):
    """How a crawl behaves towards servers."""

    delay: Annotated[float, Meta(ge=0, description="Seconds between two requests to one host.")] = 1.0
    delays: Annotated[
        dict[str, float],
        Meta(
            description="Seconds between two requests to some hosts, and to all hosts under them, in place of delay: "
            '{ "slow.example" = 10.0 }; what a robots.txt asks for (Crawl-delay) is kept to all the same.'
        ),
    ] = field(default_factory=dict)
    address_delay: Annotated[
        float, Meta(ge=0, description="Seconds between two requests to one server address, whatever the host names.")
    ] = 1.0
    robots: Annotated[bool, Meta(description="Obey robots.txt and Crawl-delay (RFC 9309).")] = True
    tries: Annotated[int, Meta(gt=0, description="Times a URL is tried before it is dropped.")] = 3
    backoff: Annotated[
        float, Meta(gt=0, description="Seconds a host rests after an error; doubles with each error in a row.")
    ] = 30.0
    backoff_limit: Annotated[float, Meta(gt=0, description="The longest such rest, in seconds.")] = 3600.0
    failures: Annotated[
        int, Meta(gt=0, description="Failures in a row after which a host is given up and its URLs are dropped.")
    ] = 8
    lease: Annotated[float, Meta(gt=0, description="Seconds after which an unfinished fetch is given to another.")] = (
        300.0
    )

    def __post_init__(self) -> None:
        for name, seconds in self.delays.items():
            if not 0 <= seconds <= DAY:
                raise ValueError(f"delays: {seconds:g} seconds for {name!r} are not between 0 and a day")

    def delay_of(self, host: str) -> Delay:
        """The delay of a host, which may be given with its port, and for whom it was set."""
        if self.delays:
            name = host if host in self.delays or host.endswith("]") else host.partition(":")[0]
            while name:
                if name in self.delays:
                    return Delay(self.delays[name], name)
                name = name.partition(".")[2]
        return Delay(self.delay, "")


class Delay(NamedTuple):
    """Seconds between two requests to a host; `name`: the host or domain that the settings name, '' for all."""

    seconds: float
    name: str


FREE = Politeness(delay=0.0, address_delay=0.0, robots=False)
"""No manners: for a web that is not there (the lab)."""


def pause(
    manners: Politeness,
    host: str = "",
    *,
    crawl_delay: float = 0.0,
    retry_after: float = 0.0,
    overloaded: bool = False,
    failed: bool = False,
    errors_in_row: int = 0,
) -> float:
    """Seconds a host rests after an answer.

    The longest of: the delay of the settings for this host, the Crawl-delay of its robots.txt, the Retry-After of the
    answer, and after an overload (429, 503) or a failure to answer, a back-off that doubles with each error in a row
    (`errors_in_row` counts those before this one). What a server asks for is obeyed up to one day.
    """
    rest = max(manners.delay_of(host).seconds, min(crawl_delay, DAY), min(retry_after, DAY))
    if overloaded or failed:
        doubled = manners.backoff * 2.0 ** min(errors_in_row, 40)
        rest = max(rest, min(doubled, manners.backoff_limit))
    return rest
