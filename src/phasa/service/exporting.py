"""The task of an export job (phasa.service.work)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from phasa.archive.text import Text, page_text, read_texts, write_jsonl, write_parquet
from phasa.archive.wacz import export_wacz
from phasa.collection import Collection
from phasa.crawl.run.status import read_status
from phasa.errors import InputError
from phasa.service.jobs import Order
from phasa.service.work import Tell


def run(order: Order, tell: Tell) -> str:
    """Write the file of an order. Raises PhasaError when there is nothing to write."""
    collection, out = Collection.open(Path(order.collection)), Path(order.out)
    match order.options["format"]:
        case "wacz":
            tell(0, None, "packing WARC files")
            return f"{export_wacz(collection.archive_folder, out, title=collection.path.name):,} pages"
        case "jsonl":
            return f"{write_jsonl(_texts(collection, tell), out):,} pages"
        case "parquet":
            return f"{write_parquet(_texts(collection, tell), out):,} pages"
        case "opml":
            return _opml(collection, out)
        case "arff":
            tell(0, None, "reading links")
            return _arff(collection, out)
        case other:
            raise InputError(f"{other}: no such form")


def _texts(collection: Collection, tell: Tell) -> Iterator[Text]:
    total = read_status(collection).pages or None
    tell(0, total, "reading pages")
    for number, text in enumerate(read_texts(collection.archive_folder, page_text), 1):
        tell(number, total, "reading pages")
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
