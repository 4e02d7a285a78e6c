"""Where the time of extraction goes: milliseconds of processor time a page for each step, in one process.

    python bench/extract_parts.py [--data DIR] [--at-once 40] [--every 4]

Pages are those of trafilatura's and the article-extraction benchmark, every fourth; the sandbox is not in it.
"""

from __future__ import annotations

import argparse
import itertools
import os
from collections import defaultdict
from pathlib import Path
from time import process_time

from phasa.garbage import never_collected
from phasa.overview.extract import languages_of
from phasa.overview.extract.blocks import lay_out
from phasa.overview.extract.features import Draft, measure_pages
from phasa.overview.extract.judged import WEIGHTS, extract_elements
from phasa.overview.extract.metadata import read_metadata
from phasa.overview.extract.page import read_text, read_tree
from phasa.overview.extract.scorer import load_trees
from phasa.overview.learn.benchmarks import Page, read_benchmarks


def measure(pages: list[Page], at_once: int) -> dict[str, float]:
    """Seconds by step. Measuring and judging are done twice, alone and inside `choose`, which is given without them."""
    spent: dict[str, float] = defaultdict(float)
    trees = load_trees(WEIGHTS)
    languages_of([("warm up", "")])
    for begin in range(0, len(pages), at_once):
        drafts = []
        for page in pages[begin : begin + at_once]:
            times = [process_time()]
            text = read_text(page.body)
            times.append(process_time())
            tree = read_tree(text)
            times.append(process_time())
            metadata = read_metadata(tree, "")
            times.append(process_time())
            drafts.append(Draft(lay_out(tree), metadata.evidence))
            times.append(process_time())
            for step, start, end in zip(("decode", "parse", "metadata", "walk"), times, times[1:], strict=False):
                spent[step] += end - start
        times = [process_time()]
        features = measure_pages(drafts)
        times.append(process_time())
        trees.judge(features)
        times.append(process_time())
        found = extract_elements(drafts)
        times.append(process_time())
        languages_of([("\n".join(element.text for element in elements), "") for elements in found])
        times.append(process_time())
        measured, judged, chosen, detected = (end - start for start, end in itertools.pairwise(times))
        spent["features"] += measured
        spent["judge"] += judged
        spent["choose"] += max(0.0, chosen - measured - judged)
        spent["language"] += detected
    return spent


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path(os.environ.get("PHASA_DATA", "../shared/data")))
    options.add_argument("--at-once", type=int, default=40, help="pages that are judged together")
    options.add_argument("--every", type=int, default=4)
    chosen = options.parse_args()
    if not chosen.data.is_dir():
        print(f"skipped: no real data at {chosen.data}")
        return
    pages = [page for page in read_benchmarks(chosen.data) if page.benchmark in ("trafilatura", "aeb")]
    pages = pages[:: chosen.every]
    with never_collected():
        spent = measure(pages, chosen.at_once)
    whole = sum(spent.values())
    for step, seconds in spent.items():
        print(f"{step:9} {1000 * seconds / len(pages):6.2f} ms a page {100 * seconds / whole:3.0f} %")
    print(f"{len(pages)} pages, {len(pages) / whole:.0f} a CPU second")


if __name__ == "__main__":
    main()
