"""The task that keeps the application's own files up to date (phasa.service.job_process): the search index, and the
digest of the start page, `service/digest.json`. Both are made from the collection and may be deleted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from phasa.collection import Collection
from phasa.crawl.run.freshness import read_freshness
from phasa.crawl.run.status import read_status
from phasa.errors import PhasaError
from phasa.files import whole_file
from phasa.overview.collection import Choice, collection_overview
from phasa.overview.keywords import Keyword
from phasa.overview.making import making_of
from phasa.service.formatting import encode, plain
from phasa.service.job_process import Order, Tell
from phasa.service.search_index import FILE, Filter, SearchIndex
from phasa.service.sizes import Sizes
from phasa.service.topics import Topic, topics_of

DIGEST = "digest.json"
WORDS = 60
READ_PAGES = 100
LONGEST_WORD = 40


class Word(msgspec.Struct, frozen=True):
    """A word of the cloud; `size` is 1 (light) to 7 (heavy)."""

    term: str
    size: int


class Digest(msgspec.Struct, frozen=True, kw_only=True):
    """What the start page shows that takes time to make. `pages`: how many the collection had then."""

    made: float
    pages: int
    words: list[Word] = []
    language: str = ""
    topics: list[Topic] = []
    up_to_date: float | None = None
    low: float | None = None
    high: float | None = None
    watched: int = 0
    visits_last_day: int = 0
    late: int = 0
    sizes: Sizes | None = None


def run(order: Order, tell: Tell) -> str:
    """Bring both files up to date. The file of the order is the digest as it was made."""
    collection, folder = Collection.open(Path(order.collection)), Path(order.options["folder"])
    index = SearchIndex(folder / FILE)
    try:
        added = index.update(collection.archive_folder, lambda done, of: tell(done, of, "reading pages"))
        tell(0, None, "reading pages")
        digest = msgspec.structs.replace(_digest(collection, index), sizes=_sizes(collection, index))
    finally:
        index.close()
    content = encode(digest)
    for path in (folder / DIGEST, Path(order.out)):
        with whole_file(path) as unfinished:
            unfinished.write_bytes(content)
    return f"{added:,} pages"


def read_digest(path: Path) -> Digest | None:
    """The digest as it was kept; None when there is none that can be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Digest)
    except (OSError, msgspec.DecodeError):
        return None


def _digest(collection: Collection, index: SearchIndex) -> Digest:
    status = read_status(collection)
    digest = Digest(made=time.time(), pages=status.pages)
    try:
        how = making_of(collection)
        language = collection.profile.code
        made = collection_overview(collection, Choice(language=language), most=how.pages or READ_PAGES, how=how)
        heaviest = sorted(made.lists[100], key=lambda keyword: -keyword.weight)[:WORDS]
        topics = _topics([keyword.term for keyword in heaviest], made.language, index)
        digest = msgspec.structs.replace(digest, words=_words(heaviest), language=made.language, topics=topics)
    except PhasaError:
        pass  # no page of the language yet, or none with text: shown without a cloud
    if collection.settings.fresh.requests_per_day:
        now = read_freshness(collection)
        digest = msgspec.structs.replace(
            digest,
            up_to_date=now.up_to_date,
            low=now.low,
            high=now.high,
            watched=now.pages,
            visits_last_day=now.visits_last_day,
            late=now.late,
        )
    return digest


def _topics(heaviest: Sequence[str], language: str, index: SearchIndex) -> list[Topic]:
    pages = {term: index.pages_with(term, language) for term in heaviest}
    total = next((one.pages for one in index.sizes() if one.language == language), 0)
    topics = []
    for topic in topics_of(heaviest, pages, total):
        words = [plain(word, LONGEST_WORD) for word in topic.words]
        # As many as the link finds, where the last word may be begun.
        topics.append(Topic(words, index.search(" ".join(words[:2]), Filter(language=language), 1, 1).total))
    return sorted(topics, key=lambda topic: -topic.pages)


def _sizes(collection: Collection, index: SearchIndex) -> Sizes | None:
    # This brings the corpus, which the application, a reader of digests, does without.
    from phasa.service.size_sample import measured

    try:
        return measured(collection, index)
    except (PhasaError, OSError):
        return None  # nothing is said beforehand then


def _words(heaviest: Sequence[Keyword]) -> list[Word]:
    """Sizes by rank, so that one heavy word does not make all others small; in the order of the alphabet."""
    sized = [
        Word(plain(keyword.term, LONGEST_WORD), 7 - place * 7 // len(heaviest))
        for place, keyword in enumerate(heaviest)
    ]
    return sorted(sized, key=lambda word: word.term)
