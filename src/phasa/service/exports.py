"""Exports of the collection: each is a background job that ends with a file. `run` is the task of that job."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from phasa.archive.text import Text, page_text, read_texts, write_jsonl, write_parquet
from phasa.archive.wacz import export_wacz
from phasa.collection import Collection
from phasa.corpus.options import profile_of
from phasa.errors import InputError
from phasa.frontiers import read_frontier
from phasa.service.job_process import Order, Tell
from phasa.service.job_shelf import Job
from phasa.service.section import Call, Nothing
from phasa.service.service import Service
from phasa.service.sizes import Estimate, estimates
from phasa.service.upkeep_job import DIGEST, read_digest

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
    language: Annotated[str, Meta(max_length=20, description="Only pages in this language (jsonl, parquet).")] = ""


class AskedCorpus(msgspec.Struct, frozen=True):
    """A corpus: clean, deduplicated text of one language."""

    language: Annotated[str, Meta(max_length=20, description="Its code; empty: that of the collection.")] = ""
    clean: Annotated[bool, Meta(description="Leave out pages of poor quality, spam and boilerplate.")] = False
    repeats: Annotated[bool, Meta(description="Keep pages that repeat others.")] = False
    mask: Annotated[bool, Meta(description="Mask personal data.")] = False
    form: Annotated[Literal["jsonl", "parquet"], Meta(description="The form of its text.")] = "jsonl"


def _formats(service: Service, asked: Nothing) -> tuple[Format, ...]:
    return FORMATS


def sizes_before(service: Service, asked: Nothing) -> list[Estimate]:
    """What each export would hold; nothing before the upkeep job has counted it."""
    digest = read_digest(service.folder / DIGEST)
    return estimates(service.collection, digest.sizes) if digest and digest.sizes else []


def _export(service: Service, asked: AskedExport) -> Job:
    file = f"{service.name}.{asked.format}"
    title = f"Export as {next(one.label for one in FORMATS if one.name == asked.format)}"
    path = service.collection.path.resolve()
    return service.jobs.start(title, __name__, path, file, {"format": asked.format, "language": asked.language})


def _corpus(service: Service, asked: AskedCorpus) -> Job:
    language = asked.language or service.profile.code
    options = {"language": language, "form": asked.form}
    options |= {name: "yes" * getattr(asked, name) for name in ("clean", "repeats", "mask")}
    path = service.collection.path.resolve()
    profile_of(language)  # says what is wrong with it, if anything
    return service.jobs.start(
        f"Corpus {language}", "phasa.service.corpus_job", path, f"{service.name}-corpus.zip", options
    )


EXPORT_CALLS = (
    Call("GET", "/api/collection/exports", "The forms a collection can be written in.", _formats, tuple[Format, ...]),
    Call("GET", "/api/collection/sizes", "How large exports would be, about.", sizes_before, list[Estimate]),
    Call(
        *("POST", "/api/collection/exports", "Write the collection in a form.", _export),
        *(Job, AskedExport),
        then="/jobs/{0.id}",
    ),
    Call(
        *("POST", "/api/collection/corpus", "Make a corpus.", _corpus),
        *(Job, AskedCorpus),
        then="/jobs/{0.id}",
    ),
)


# ── the task ─────────────────────────────────────────────────────────────────────────────────────


def run(order: Order, tell: Tell) -> str:
    """Write the file of an order. Raises PhasaError when there is nothing to write."""
    collection, out = Collection.open(Path(order.collection)), Path(order.out)
    match order.options["format"]:
        case "wacz":
            tell(0, None, "packing WARC files")
            return f"{export_wacz(collection.archive_folder, out, title=collection.path.name):,} pages"
        case "jsonl":
            return f"{write_jsonl(_texts(collection, tell, order.options.get('language', '')), out):,} pages"
        case "parquet":
            return f"{write_parquet(_texts(collection, tell, order.options.get('language', '')), out):,} pages"
        case "opml":
            return _opml(collection, out)
        case "arff":
            tell(0, None, "reading links")
            return _arff(collection, out)
        case other:
            raise InputError(f"{other}: no such form")


def _texts(collection: Collection, tell: Tell, language: str) -> Iterator[Text]:
    with read_frontier(collection) as frontier:
        total = frontier.totals().pages or None
    tell(0, total, "reading pages")
    for number, text in enumerate(read_texts(collection.archive_folder, page_text), 1):
        tell(number, total, "reading pages")
        if not language or text.language == language:
            yield text


def _opml(collection: Collection, out: Path) -> str:
    from phasa.feeds.opml import Outline, write_opml
    from phasa.feeds.store import FeedStore

    if not (collection.path / "feeds.db").exists():
        raise InputError("no feed is watched yet: phasa feeds add adds one")
    with FeedStore(collection.path / "feeds.db") as store:
        feeds = [Outline(feed.url, feed.title, feed.category) for feed in store.feeds() if not feed.retired]
    out.write_text(write_opml(feeds, collection.path.name), encoding="utf-8")
    return f"{len(feeds):,} feeds"


def _arff(collection: Collection, out: Path) -> str:
    from phasa.crawl.learn.knowledge import write_arff
    from phasa.crawl.learn.lesson import KNOWLEDGE, knowledge_of

    learned = collection.models_folder / KNOWLEDGE
    if learned.exists():
        shutil.copyfile(learned, out)
        return "as phasa learn wrote it"
    base, _ = knowledge_of(collection)
    out.write_text(write_arff(base), encoding="utf-8")
    return f"{len(base):,} rows"
