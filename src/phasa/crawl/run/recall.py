"""Answers that a killed crawl had kept and not settled: they are read from the archive, and not asked for again.

A page's record is on disk some moments before the frontier commits it. After a kill the records behind the last commit
of each worker belong to URLs that still wait: when such a URL has its turn, its answer comes from the record, and the
record is kept as it is.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from phasa.archive.capture import ArchiveError
from phasa.archive.damage import noted
from phasa.archive.reader import positions, read_record, resolve
from phasa.archive.shelf import own_files
from phasa.archive.storage import StorageError
from phasa.crawl.answer import Answer
from phasa.crawl.judge import Judgement
from phasa.crawl.record import WarcArchive
from phasa.frontier.outbox import Unsettled
from phasa.frontier.stored import StoredFrontier
from phasa.web.exchange import Exchange, Outcome
from phasa.web.fetch import Fetcher
from phasa.web.http import REDIRECTS
from phasa.web.inflate import inflate
from phasa.web.limits import Limits
from phasa.web.url import Url

_WORKER = re.compile(r"-(\d+)\.warc\.gz$")
_logger = logging.getLogger(__name__)


def recall_unsettled(
    frontier: StoredFrontier, folder: Path, finished: Iterable[str], only: int | None = None
) -> list[Unsettled]:
    """The answers that the archive has of URLs that still wait. `finished`: WARC files that were found open. `only`:
    those of one worker, while others are at work."""
    marks = frontier.outbox.records()
    found: list[Unsettled] = []
    ends: dict[int, str] = {}
    with noted():  # damage was told when the files were finished
        for worker, path, start in _behind(folder, marks, set(finished)):
            try:
                for offset, _, stored in positions(path, start):
                    record = f"{path.name}:{offset}"
                    if record != marks.get(worker) and only in (None, worker):
                        found.append(Unsettled(stored.url, record))
                        ends[worker] = record
            except StorageError as problem:  # it may ask for a page twice, and must not stop a crawl
                _logger.warning("%s: not looked through for answers: %s", path, problem)
    recalled = frontier.recall(found, ends)
    if recalled:
        _logger.info("%d pages were answered before the crawl was killed: read from %s", len(recalled), folder)
    return recalled


def _behind(folder: Path, marks: dict[int, str], finished: set[str]) -> Iterator[tuple[int, Path, int]]:
    """(worker, file, where to begin) of what may stand behind the last commits."""
    for path in own_files(folder):
        found = _WORKER.search(path.name)
        if found is None:
            continue
        worker = int(found[1])
        name, _, offset = marks.get(worker, "").rpartition(":")
        if path.name == name:
            yield worker, path, int(offset)
        elif path.name > name if name else path.name in finished:
            yield worker, path, 0


class Recalled:
    """The remembered answers of one process, each given out once."""

    def __init__(self, folder: Path, answers: Iterable[Unsettled]) -> None:
        self._folder = folder
        self._records = {answer.url: answer.record for answer in answers}
        self._given: dict[tuple[str, float], str] = {}

    def exchange(self, url: Url, accept: Sequence[str] | None, limits: Limits, inflated: bool) -> Exchange | None:
        """The answer of a URL as it was fetched; None when it must be asked for."""
        record = self._records.pop(url, "")
        if not record:
            return None
        name, _, offset = record.rpartition(":")
        try:
            stored = resolve(self._folder, read_record(self._folder / name, int(offset), url))
        except (ArchiveError, StorageError, OSError) as problem:
            _logger.warning("%s: asked for again: %s", url, problem)
            return None
        body, broken = stored.body, ""
        if inflated:
            coding = next((value for key, value in stored.headers if key.lower() == "content-encoding"), "")
            body, broken = inflate(stored.body, coding, limits)
        redirect = stored.status in REDIRECTS
        if not stored.status or broken or stored.truncated not in ("", "length"):
            return None
        outcome: Outcome = "too_large" if stored.truncated and not redirect else "ok"
        if accept is not None and stored.mime and not redirect and not stored.mime.startswith(tuple(accept)):
            outcome = "wrong_type"
        exchange = Exchange(
            url=url,
            started=stored.time.timestamp(),
            status=stored.status,
            headers=stored.headers,
            wire_body=stored.body,
            address=stored.address,
            final_url=url,
            outcome=outcome,
            body=body,
        )
        self._given[url, exchange.started] = record
        return exchange

    def record(self, exchange: Exchange | None) -> str:
        """Where an answer stands that was given out; '' for one that was asked for."""
        return self._given.pop((exchange.url, exchange.started), "") if exchange is not None else ""


class RecallFetcher(Fetcher):
    """A fetcher that looks among the recalled answers first; with `only_recalled` nowhere else, and what is not there
    raises ArchiveError."""

    recalled: Recalled | None = None
    only_recalled = False

    async def fetch(
        self,
        address: Url,
        etag: str | None = None,
        modified: str | None = None,
        accept: Sequence[str] | None = None,
        limits: Limits | None = None,
        validated: Url | None = None,
        inflated: bool = True,
    ) -> Exchange:
        if self.recalled is not None:
            known = self.recalled.exchange(address, accept, limits or self.limits, inflated)
            if known is not None:
                return known
        if self.only_recalled:
            raise ArchiveError(f"{address}: no whole answer in the archive")
        return await super().fetch(address, etag, modified, accept, limits, validated, inflated)


class RecallArchive(WarcArchive):
    """Keeps what was asked for; what was recalled is kept already."""

    recalled: Recalled | None = None

    def keep(self, answer: Answer, judgement: Judgement | None) -> str:
        record = self.recalled.record(answer.exchange) if self.recalled is not None else ""
        return record or super().keep(answer, judgement)
