"""What `import phasa` offers (docs/api.md): the same functions that the commands call, with Python values in and out.

Nothing heavy is imported before a function is called. What cannot be done raises `phasa.errors.PhasaError` with a
message that names the thing, what was wrong with it and what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from phasa.errors import CollectionError, InputError

if TYPE_CHECKING:
    from phasa.archive.reader import Stored
    from phasa.archive.text import Text
    from phasa.collection import Collection, CollectionSettings
    from phasa.crawl.meter import Metrics
    from phasa.crawl.run.explain import Explanation
    from phasa.crawl.run.runs import Run
    from phasa.crawl.run.status import Status
    from phasa.feeds.plan import Plan
    from phasa.lab.curves import Summary
    from phasa.language.verdict import Verdict
    from phasa.overview.extract import Content
    from phasa.overview.keywords import Keyword
    from phasa.overview.overview import Overview

Page = str | bytes | Path
"""HTML: its text, its bytes (decoded by what they say of themselves), or the file that holds them."""


def detect(text: str, *, method: str = "auto", language: str | None = None) -> Verdict:
    """In which language a text is: a BCP 47 code (`und` when unknown), a score from 0 to 1, and the evidence.

    `method` and `language` are those of `phasa detect --method --lang`.
    """
    from phasa.language.detectors import detector

    return detector(method, language).detect(text)


def segment(text: str, language: str | None = None, *, engine: str | None = None) -> list[str]:
    """The words of a text, blanks and punctuation included; joined they are the text.

    Without `language` it is detected. `engine` is one of `phasa segment --engine`.
    """
    from phasa.language.detectors import detect as guess
    from phasa.language.segmenters import load_segmenter, segmenter_for

    code = language or guess(text).language
    return (load_segmenter(engine, code) if engine else segmenter_for(code)).words(text)


def extract(page: Page, url: str = "", *, method: str = "phasa") -> Content:
    """The key content of a page: title, text, author, date, language, and the elements the text is made of."""
    from phasa.overview.extract import extract as take

    return take(_read(page), url, method)


def keywords(
    pages: Page | Sequence[Page], *, top: int = 15, language: str | None = None, weigh: str = "phasa"
) -> list[Keyword]:
    """The `top` words that say what a page, or some pages together, are about, heaviest first. `weigh` names a weight:
    phasa's own, or a published one (`phasa keywords --help`)."""
    found = _overview(pages, language, "", weigh).lists[100]
    return sorted(found, key=lambda keyword: -keyword.weight)[:top]


def overview(pages: Page | Sequence[Page], *, title: str = "", language: str | None = None) -> Overview:
    """What a page, or some pages together, are about: keyword lists of every size, contexts, and `html()`, the
    variable tag cloud as one self-contained page."""
    return _overview(pages, language, title, "phasa")


def plan_feed(
    posts: Iterable[float | datetime],
    per_day: int | None = 4,
    *,
    target_hours: float | None = None,
    method: str = "phasa",
    bins: int = 24,
    zone: tzinfo = UTC,
) -> list[Plan]:
    """When to poll a feed that posted at these moments (Unix seconds or datetimes with a time zone): one plan for
    workdays and weekends each, or one for all days.

    Give `per_day=None` with `target_hours` for the fewest polls that keep the mean delay below the target.
    """
    import numpy as np

    from phasa.feeds.plan import plan_feed as plan
    from phasa.feeds.trace import Trace

    seconds = [post.timestamp() if isinstance(post, datetime) else post for post in posts]
    if not seconds:
        raise InputError("posts: none given; a plan is made from the moments at which a feed posted")
    trace = Trace("feed", np.sort(np.array(seconds, dtype=np.int64)))
    return plan(trace, per_day, method=method, bins=bins, zone=zone, target_hours=target_hours)


def compare(
    strategies: Sequence[str] = ("hybrid", "lswc", "bfs"),
    *,
    world: str | Sequence[str] = "1:20000",
    graph: Path | None = None,
    seeds: str = "",
    kb: Path | None = None,
    pages: int = 2000,
    language: str = "th",
    draws: int = 10,
    lies: float = 1.0,
    judge: str = "crawl",
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[Summary]:
    """Strategies side by side in the lab, as `phasa lab run` compares them: harvest and coverage with intervals.

    On generated webs named SEED:PAGES that lie so many times as often as real ones (0: the webs of the papers), or on
    a stored `graph` with `draws` draws of seeds, or the `seeds` of a file. `kb` is a knowledge base of `phasa learn`.
    The `judge` of a generated web's pages is that of a crawl, which reads them, or the 'web', which knows them.
    A strategy may be one of your own: `./mine.py:Mine` (docs/plugins.md).
    """
    from phasa.lab.compare import compare as run
    from phasa.lab.curves import MIXED, Ground, summarise

    worlds = [world] if isinstance(world, str) else world
    grounds = (
        [Ground(seeds or MIXED, language, graph=graph, draw=draw + 1, kb=kb) for draw in range(1 if seeds else draws)]
        if graph is not None
        else [Ground(seeds or "thai1", language, world=name, lies=lies, kb=kb, judge=judge) for name in worlds]
    )
    return summarise(run(grounds, strategies, pages, workers=workers, show=progress))


def create_collection(
    folder: str | Path, language: str = "th", *, seeds: Sequence[str] = (), contact: str = "", server: str = ""
) -> OpenCollection:
    """Make a collection, as `phasa init` does, with these addresses to start from. Raises CollectionError when there
    is one already."""
    from phasa.collection import Collection

    made = Collection.create(Path(folder), language=language, contact=contact, server=server)
    if seeds:
        (made.path / made.SEEDS).write_text("".join(f"{seed}\n" for seed in seeds), encoding="utf-8")
    return OpenCollection(made)


def open_collection(folder: str | Path) -> OpenCollection:
    """The collection in a folder. Raises CollectionError when there is none."""
    from phasa.collection import Collection

    return OpenCollection(Collection.open(Path(folder)))


class PageLink(NamedTuple):
    """A link of a kept page."""

    source: str
    target: str
    anchor: str


class PageVerdict(NamedTuple):
    """What the crawl's judge said of a page when it came."""

    url: str
    language: str
    wanted: bool
    score: float


class OpenCollection:
    """A collection: what it holds as iterators, what can be done with it as methods. It may be read while it is being
    crawled by another process."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection

    def __repr__(self) -> str:
        return f"<phasa collection {str(self.path)!r}, language {self.settings.language}>"

    @property
    def path(self) -> Path:
        """Its folder."""
        return self._collection.path

    @property
    def settings(self) -> CollectionSettings:
        """What collection.toml says."""
        return self._collection.settings

    # ── what it holds ────────────────────────────────────────────────────────────────────────────

    def captures(self) -> Iterator[Stored]:
        """Every record of the archive in the order of the files: address, time, status, headers, body."""
        from phasa.archive.reader import read_archive

        return read_archive(self._collection.archive_folder)

    def pages(self) -> Iterator[Text]:
        """Every HTML page that came with status 200: address, time, title, visible text, language."""
        from phasa.archive.text import page_text, read_texts

        return read_texts(self._collection.archive_folder, page_text)

    def links(self) -> Iterator[PageLink]:
        """The links of every kept page."""
        from phasa.archive.reader import read_archive
        from phasa.web.apart import try_page
        from phasa.web.html import PAGE_TAGS
        from phasa.web.http import PAGE_TYPES
        from phasa.web.url import parse

        for stored in read_archive(self._collection.archive_folder):
            url = parse(stored.url)
            if url is None or stored.status != 200 or stored.revisit or stored.mime not in PAGE_TYPES:
                continue
            page = try_page(stored.content, url, header=stored.content_type, tags=PAGE_TAGS)
            for link in page.links if page is not None else ():
                yield PageLink(url, link.url, link.anchor)

    def verdicts(self) -> Iterator[PageVerdict]:
        """What the judge said of every page that was judged, in the order of the addresses' discovery."""
        from phasa.frontiers import read_frontier

        last, most = 0, 5_000
        with read_frontier(self._collection) as frontier:
            while visits := frontier.visits_after(last, most):
                for visit in visits:
                    if visit.wanted is not None:
                        yield PageVerdict(visit.url, visit.language or "und", visit.wanted, visit.score)
                last = visits[-1].id

    # ── what can be done ─────────────────────────────────────────────────────────────────────────

    def crawl(
        self,
        pages: int | None = None,
        *,
        seconds: float | None = None,
        strategy: str | None = None,
        kb: str | Path | None = None,
        cycles: int = 0,
        workers: int = 1,
        progress: Callable[[Metrics], None] | None = None,
    ) -> Run:
        """Run or resume the crawl, as `phasa crawl` does: `pages` more pages, or so many seconds, or until nothing
        waits. `kb` is the knowledge base of `nb` and `hybrid`, if not the collection's own;
        `cycles`: crawl in so many more cycles.
        Raises CollectionError when somebody else works on the collection."""
        from phasa.crawl.run.runs import run_collection, with_limits

        chosen = with_limits(self._collection, pages, seconds, strategy, Path(kb) if kb else None)
        with chosen.locked():
            return run_collection(chosen, progress, workers=workers, cycles=cycles)

    def status(self) -> Status:
        """Where it stands: pages, harvest, what waits."""
        from phasa.crawl.run.status import read_status

        return read_status(self._collection)

    def why(self, url: str) -> Explanation:
        """The whole story of one address: found where, fetched when, kept or dropped for which reason."""
        from phasa.crawl.run.explain import explain

        return explain(self._collection, url)

    def export(self, to: Literal["wacz", "jsonl", "parquet", "repository"], out: str | Path) -> int:
        """Write the collection in a form that other programs read; how many pages. Raises CollectionError when there
        is nothing to write."""
        from phasa.archive.repository import export_repository
        from phasa.archive.shelf import has_pages
        from phasa.archive.text import write_jsonl, write_parquet
        from phasa.archive.wacz import export_wacz

        archive = self._collection.archive_folder
        if not has_pages(archive):
            raise CollectionError(f"{self.path}: no page to export; crawl first: phasa crawl {self.path}")
        target = Path(out)
        match to:
            case "wacz":
                return export_wacz(archive, target, title=self.path.name)
            case "jsonl":
                return write_jsonl(self.pages(), target)
            case "parquet":
                return write_parquet(self.pages(), target)
            case "repository":
                return export_repository(archive, target)
            case _:
                raise InputError(f"{to}: not a form of export; there are wacz, jsonl, parquet and repository")


def _overview(
    pages: Page | Sequence[Page],
    language: str | None,
    title: str,
    weigh: str,
) -> Overview:
    from phasa.overview.overview import overview_of
    from phasa.overview.reading import read_content

    several = [pages] if isinstance(pages, str | bytes | Path) else list(pages)
    if not several:
        raise InputError("pages: none given")
    readings = [
        read_content(_read(page), str(page) if isinstance(page, Path) else f"page {number}", language=language)
        for number, page in enumerate(several, 1)
    ]
    return overview_of(readings, title=title, weigh=weigh)


def _read(page: Page) -> str | bytes:
    return page.read_bytes() if isinstance(page, Path) else page
