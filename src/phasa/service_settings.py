"""What the web application takes on at a time, as section [service] of collection.toml."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from phasa.settings import Settings


class ServiceSettings(Settings, frozen=True, kw_only=True):
    """Bounds on connections, requests and bytes, so that no number of clients takes the machine."""

    connections: Annotated[
        int, Meta(gt=0, description="Open connections; beyond it the oldest that has not asked anything is closed.")
    ] = 400
    requests: Annotated[int, Meta(gt=0, description="Requests that are worked on at a time; others wait.")] = 8
    waiting: Annotated[int, Meta(ge=0, description="Requests that may wait; more are sent away with 503.")] = 200
    streams: Annotated[int, Meta(gt=0, description="Pages that follow live events at a time; more get 503.")] = 100
    body_bytes: Annotated[int, Meta(gt=0, description="Largest body of a request, in bytes.")] = 1_000_000
    held_bytes: Annotated[
        int, Meta(gt=0, description="Bytes of all requests and answers that are held at a time; more get 503.")
    ] = 64_000_000
    proxy_header: Annotated[
        str,
        Meta(
            description='A header in which a reverse proxy names who signed in to it, as "X-Remote-User"; the name '
            "must be that of an operator (phasa people). Empty: none."
        ),
    ] = ""
    proxies: Annotated[
        tuple[str, ...],
        Meta(description='Addresses or networks whose proxy_header is believed, as ["127.0.0.1", "10.0.0.0/8"].'),
    ] = ()
    upkeep_seconds: Annotated[
        float,
        Meta(ge=0, description="How often search and start page are brought up to date, if anything came; 0: never."),
    ] = 300.0
    header_seconds: Annotated[float, Meta(gt=0, description="Time in which the header of a request must come.")] = 10.0
    request_seconds: Annotated[float, Meta(gt=0, description="Time in which a whole request must come.")] = 30.0
    answer_seconds: Annotated[
        float, Meta(gt=0, description="Longest time that a client may leave 64 KB of its answer unread.")
    ] = 30.0
