"""What clouds open with, over real pages and real sites: how many words, how many ties among the ten heaviest, how many
broken words.

    python bench/cloud_words.py [--data DIR] [--pages 200]

Pages: Thai and Persian home pages, and articles. Sites: the publishers of the fundus pages, the hosts with several
pages in trafilatura's evaluation, the categories of the Thai government's news. A tie is a word among the ten heaviest
whose weight another of the ten has. A broken word is Thai torn within a letter, a character that no font shows, or a
short Thai piece that is in no dictionary and never stands free in the text (an upper bound: short names are such too).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.keyword_pages import articles, home_pages

from phasa.language.segmenters import frequencies_of
from phasa.language.wordlists import word_list
from phasa.overview.overview import Overview, overview_of
from phasa.overview.reading import RawPage, Reading, match_readings, read_pages

FEWEST, MOST = 30, 80
SHORT = 4
SITE_PAGES = 20
_TORN = re.compile("^[\u0e30-\u0e3a\u0e45\u0e47-\u0e4e]|[\u0e40-\u0e44]$|[\ufffd\ue000-\uf8ff]|^[\u0e01-\u0e2e]$")
_THAI = re.compile("[\u0e00-\u0e7f]+$")


class Figures(NamedTuple):
    """Of one cloud: words shown at first, of how many; words among the ten heaviest that are tied; broken words."""

    shown: int
    words: int
    top: int
    tied: int
    broken: list[str]


def figures_of(made: Overview, known: frozenset[str]) -> Figures:
    keywords = sorted(made.lists[100], key=lambda keyword: -keyword.weight)
    shown = keywords[: made.opens_with()]
    top = [round(keyword.weight, 9) for keyword in shown[:10]]
    free = _free(made, {keyword.term for keyword in shown})
    broken = [keyword.term for keyword in shown if _is_broken(keyword.term, known, free)]
    return Figures(len(shown), len(keywords), len(top), sum(top.count(weight) > 1 for weight in top), broken)


def _is_broken(term: str, known: frozenset[str], free: set[str]) -> bool:
    if any(_TORN.search(part) for part in term.split()):
        return True
    return bool(_THAI.match(term)) and len(term) <= SHORT and term not in known and term not in free


def _free(made: Overview, terms: set[str]) -> set[str]:
    """The terms that stand somewhere between blanks or marks."""
    out = set()
    for page in made.pages:
        for text, occurrences in page.passages:
            for start, end, term in occurrences:
                if term in terms and not _THAI.match(text[start - 1 : start]) and not _THAI.match(text[end : end + 1]):
                    out.add(term)
    return out


def pages_of(data: Path, most: int) -> Iterator[Reading]:
    sets = (home_pages(data, "th"), home_pages(data, "fa"), articles(data))
    for number, pages in enumerate(sets):
        share = most // 3 + (number < most % 3)
        yield from (page.reading for page in islice(pages, share))


def sites_of(data: Path) -> dict[str, list[Reading]]:
    """The pages of each site, what repeats on them taken out."""
    raw: dict[str, list[RawPage]] = defaultdict(list)
    for archive, site in (
        ("extract-fundus/fundus.tar.xz", r"([^/_]+)_"),
        ("extract-trafilatura/html.tar.xz", r"(.+)\.[^.]+\.html"),
    ):
        with tarfile.open(data / archive) as bundle:
            for member in bundle:
                name = re.search(site, member.name)
                file = bundle.extractfile(member) if name and ".html" in member.name else None
                if name and file:
                    body = gzip.decompress(file.read()) if member.name.endswith(".gz") else file.read()
                    raw[name[1]].append(RawPage(body, member.name))
    several = {name: pages[:SITE_PAGES] for name, pages in raw.items() if len(pages) > 1}
    out = {name: [reading for _, reading in read_pages(pages) if reading] for name, pages in several.items()}
    with gzip.open(data / "thaigov-news" / "news.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            news = out.setdefault(f"thaigov {row['category']}", [])
            if len(news) < SITE_PAGES:
                news.append(Reading(row["url"], row["title"], (row["title"], *row["body"].split("\n")), "th"))
    return {name: match_readings(pages) for name, pages in out.items() if len(pages) > 1}


def report(name: str, clouds: Iterable[Figures]) -> None:
    rows = list(clouds)
    top, shown = sum(row.top for row in rows), sum(row.shown for row in rows)
    broken = [word for row in rows for word in row.broken]
    within = sum(FEWEST <= row.shown <= MOST for row in rows)
    few = sum(row.shown < FEWEST for row in rows)
    print(
        f"{name}: {len(rows)} clouds; ties among the ten heaviest {100 * sum(row.tied for row in rows) / top:.1f} %; "
        f"broken {100 * len(broken) / shown:.2f} % of {shown:,} words shown; "
        f"{within} open with {FEWEST} to {MOST} words, {few} with all they have (fewer), "
        f"{len(rows) - within - few} with more"
    )
    print(f"   broken: {' '.join(sorted(set(broken))[:40])}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("PHASA_DATA", Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default), help="folder of the real data")
    parser.add_argument("--pages", type=int, default=200, help="how many pages")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"skipped: no real data at {options.data}")
        return
    known = frozenset(word_list("th")) | frozenset(frequencies_of("th") or ())
    report("pages", (figures_of(overview_of([page]), known) for page in pages_of(options.data, options.pages)))
    report("sites", (figures_of(overview_of(pages), known) for pages in sites_of(options.data).values()))


if __name__ == "__main__":
    main()
