"""The pages of a crawl that is over, read back from its archive and judged again, in the order of their fetch."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from pathlib import Path

from phasa.archive.reader import read_warc
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.live import out_links
from phasa.crawl.parts import PageJudge
from phasa.crawl.strategy import JudgedPage
from phasa.web.html import read_page
from phasa.web.url import Url, parse


def recorded_pages(folder: Path, judge: PageJudge) -> Iterator[JudgedPage]:
    """Every HTML page of the WARC files in a folder once, with its judgement and its links."""
    files = sorted([*folder.glob("*.warc.gz"), *folder.glob("*.warc"), *folder.glob("*.warc.gz.open")])
    seen: set[Url] = set()
    for stored in merge(*(read_warc(path) for path in files), key=lambda stored: stored.time):
        url = parse(stored.url)
        if url is None or url in seen or stored.revisit or stored.status != 200 or "html" not in stored.mime:
            continue
        seen.add(url)
        page = read_page(stored.content, url, header=stored.content_type)
        yield JudgedPage(url, judge.judge(Answer(Kind.PAGE, page=page)), out_links(page))
