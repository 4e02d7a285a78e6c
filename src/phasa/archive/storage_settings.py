"""Where finished archive files go, as section [storage] of collection.toml."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from phasa.settings import Settings


class StorageSettings(Settings, frozen=True, kw_only=True):
    """The storage of a collection, how it is reached, and how patient phasa is with it."""

    url: Annotated[
        str,
        Meta(
            description="Where finished WARC files are shipped: s3://bucket/prefix, or file:/path of a folder; empty = "
            "they stay here (docs/storage.md)."
        ),
    ] = ""
    keep_local: Annotated[
        bool,
        Meta(description="Keep the local copy of a file that was shipped; false = it goes once its digest was seen."),
    ] = True
    durable: Annotated[
        Literal["local", "shipped"],
        Meta(
            description="When a page is safe: local (its record is on this disk), shipped (phasa status counts pages "
            "not shipped yet, and the end of a crawl waits for them)."
        ),
    ] = "local"
    endpoint: Annotated[
        str, Meta(description="Address of an S3 server that is not Amazon's, http://host:port; empty = AWS_ENDPOINT.")
    ] = ""
    region: Annotated[str, Meta(description="Region of the bucket; empty = AWS_REGION of the environment.")] = ""
    credentials: Annotated[
        str,
        Meta(
            description="File with lines AWS_ACCESS_KEY_ID=… and AWS_SECRET_ACCESS_KEY=…, relative to this folder; "
            "empty = the environment, or the role of the machine."
        ),
    ] = ""
    wait_seconds: Annotated[
        float,
        Meta(
            ge=0, description="How long the end of a crawl waits for its last files to be shipped; the next start or "
            "`phasa archive ship` does the rest."
        ),
    ] = 60.0  # fmt: skip
    retry_seconds: Annotated[
        float, Meta(gt=0, description="Longest pause before storage that fails is tried again; pauses double up to it.")
    ] = 600.0
    cache_megabytes: Annotated[
        float, Meta(ge=0, description="Disk for pieces of shipped files that were read back; 0 = none are kept.")
    ] = 1000.0
