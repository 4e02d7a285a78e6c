"""Exports of the collection: each is a background job that ends with a file."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from phasa.service.jobs import Job
from phasa.service.section import Call, Nothing
from phasa.service.service import Service

FormatName = Literal["wacz", "jsonl", "parquet", "opml", "arff"]


class Format(msgspec.Struct, frozen=True):
    """A form that other programs read."""

    name: FormatName
    label: str
    about: str


FORMATS = (
    Format("wacz", "WACZ", "Everything, to be replayed in ReplayWeb.page or pywb"),
    Format("jsonl", "JSON lines", "The text of every page with its language"),
    Format("parquet", "Parquet", "The same as a table for data tools"),
    Format("opml", "OPML", "The feeds that are watched"),
    Format("arff", "ARFF", "The knowledge base of links, for Weka"),
)


class AskedExport(msgspec.Struct, frozen=True):
    """Which form."""

    format: Annotated[FormatName, Meta(description="The form to write.")]


def _formats(service: Service, asked: Nothing) -> tuple[Format, ...]:
    return FORMATS


def _export(service: Service, asked: AskedExport) -> Job:
    file = f"{service.name}.{asked.format}"
    title = f"Export as {next(one.label for one in FORMATS if one.name == asked.format)}"
    path = service.collection.path.resolve()
    return service.jobs.start(title, "phasa.service.exporting", path, file, {"format": asked.format})


EXPORT_CALLS = (
    Call("GET", "/api/collection/exports", "The forms a collection can be written in.", _formats, tuple[Format, ...]),
    Call(
        *("POST", "/api/collection/exports", "Write the collection in a form.", _export),
        *(Job, AskedExport),
        then="/jobs/{0.id}",
    ),
)
