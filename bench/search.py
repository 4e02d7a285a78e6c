"""CPU of a search in the application over a large index, with the chart of its matches.

    python bench/search.py --pages 1000000

Fills a search index with pages of twenty words each, one of which every page has, and asks it in several ways. Prints
the least CPU of three tries for each.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from phasa.service.search_index import Filter, Found, SearchIndex, facets_of

WORDS = [f"w{number}" for number in range(5000)]
QUESTIONS = {
    "nothing": ("", Filter()),
    "a word of every page": ("common", Filter()),
    "the same in a month": ("common", Filter(month="2026-03")),
    "the same on a host": ("common", Filter(host="h7.example.th")),
    "a word of few pages": ("w171", Filter()),
    "two words": ("w17 w18", Filter()),
    "a word of a fifth, begun": ("quarte", Filter()),
    "a word of every page, begun": ("commo", Filter()),
    "a language": ("", Filter(language="en")),
    "wanted in a month": ("", Filter(month="2026-03", wanted=True)),
    "a host": ("", Filter(host="h7.example.th")),
    "nowhere": ("zzz", Filter()),
}


def pages(number: int) -> Iterator[Found]:
    for one in range(1, number + 1):
        host = f"h{one % max(1, number // 17)}.example.th"
        day = date(2026, 1, 1) + timedelta(days=one * 300 // number)
        language = "th" if one % 3 else "en"
        yield Found(
            *(f"http://{host}/{one}.html", host, language, one % 3 > 0),
            *("A title", "lead " * 48, f"{day}T00:00:00+00:00", 9000),
        )


def fill(path: Path, number: int) -> None:
    SearchIndex(path).close()
    chance = random.Random(1)
    db = sqlite3.connect(path)
    for place, found in enumerate(pages(number), 1):
        db.execute(
            "INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 3000)",
            (place, found.url, found.host, found.language, found.wanted, found.title, found.lead, found.time, 9000),
        )
        body = " ".join(["common", *["quarterly"] * (place % 5 == 0), *chance.choices(WORDS, k=20)])
        db.execute(
            "INSERT INTO words (rowid, title, body, facets) VALUES (?, 'A title', ?, ?)",
            (place, body, facets_of(found)),
        )
    db.commit()
    db.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "search.db"
        fill(path, given.pages)
        index = SearchIndex(path, read_only=True)
        for name, (words, where) in QUESTIONS.items():
            costs = []
            for _ in range(3):
                begun = time.process_time()
                result = index.search(words, where, 1, 30)
                costs.append(time.process_time() - begun)
            print(f"{name:28} {min(costs) * 1000:7.1f} ms CPU, {result.total:,} found on {len(result.days)} days")
        index.close()


if __name__ == "__main__":
    main()
