"""The numbers that bound every exchange with a server (DESIGN §3.6)."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from phasa.settings import Settings


class Limits(Settings, frozen=True, kw_only=True):
    """Hard stops for one exchange: bytes, seconds, counts."""

    body_bytes: Annotated[int, Meta(gt=0, description="Largest body as sent, in bytes; longer is cut and marked.")] = (
        10 * 1024 * 1024
    )
    decoded_bytes: Annotated[
        int, Meta(gt=0, description="Largest body after decompression, in bytes; longer is cut and marked.")
    ] = 20 * 1024 * 1024
    decoded_ratio: Annotated[
        int, Meta(gt=0, description="Largest growth by decompression, once past 1 MiB; a bomb beyond it.")
    ] = 100
    header_bytes: Annotated[int, Meta(gt=0, description="Largest header block of an answer, in bytes.")] = 64 * 1024
    interim_answers: Annotated[
        int, Meta(ge=0, description="Most answers of status 1xx (100 Continue) before the answer itself.")
    ] = 10
    redirects: Annotated[int, Meta(ge=0, description="Redirects followed for one address.")] = 5
    redirect_chain: Annotated[
        int, Meta(ge=0, description="Redirects in a row that a crawl follows, from address to address.")
    ] = 10
    packed_members: Annotated[
        int, Meta(gt=0, description="Most members (streams, frames) of a packed body; a bomb beyond it.")
    ] = 10_000
    bodies_megabytes: Annotated[
        int, Meta(gt=0, description="Memory that the bodies under way share, per worker; beyond it they wait.")
    ] = 32
    idle_connections: Annotated[
        int, Meta(ge=0, description="Most connections kept open for a next request, as far as open files allow.")
    ] = 512
    parsers: Annotated[
        int, Meta(gt=0, description="Processes that read pages, per worker; the last is for large and costly pages.")
    ] = 2
    dear_seconds: Annotated[
        float,
        Meta(ge=0, description="A host whose pages take more processor time than this waits behind other hosts."),
    ] = 0.05
    cost_rest: Annotated[
        float, Meta(ge=0, description="Such a host rests for so many times the processor time that its pages take.")
    ] = 10.0
    parse_seconds: Annotated[
        float, Meta(gt=0, description="Processor time for reading one page; one that takes more has crashed.")
    ] = 20.0
    parse_megabytes: Annotated[
        int, Meta(gt=0, description="Memory for reading one page; one that takes more has crashed.")
    ] = 128
    connect_seconds: Annotated[float, Meta(gt=0, description="Time to resolve and connect.")] = 10.0
    first_byte_seconds: Annotated[float, Meta(gt=0, description="Time from the request to the answer's header.")] = 20.0
    read_seconds: Annotated[float, Meta(gt=0, description="Longest silence while the body comes.")] = 20.0
    total_seconds: Annotated[float, Meta(gt=0, description="Time for the whole exchange.")] = 60.0
    bytes_per_second: Annotated[
        float, Meta(ge=0, description="Slowest rate of a body, once it has lasted rate_after_seconds; 0 = any.")
    ] = 100.0
    rate_after_seconds: Annotated[float, Meta(ge=0, description="When the rate of a body begins to count.")] = 10.0
    url_length: Annotated[int, Meta(gt=0, description="Longest address that is taken.")] = 2048
    links_per_page: Annotated[int, Meta(gt=0, description="Most links that one page may give.")] = 5000
    link_bytes: Annotated[
        int, Meta(gt=0, description="Most bytes that the addresses of one page may have together, once made whole.")
    ] = 1024 * 1024
    page_tags: Annotated[int, Meta(gt=0, description="Most tags of one document that are parsed.")] = 200_000
    page_characters: Annotated[
        int, Meta(gt=0, description="Longest document that is parsed, in characters; the rest is not looked at.")
    ] = 2 * 1024 * 1024
