"""Key content beside its peers: every public benchmark by its own rule, pages per CPU second on the same bytes.

trafilatura (fast and default), resiliparse and readability-lxml run in the same process on the same pages, decoding
included; loading a library is not counted, the sandbox that parses for phasa is. phasa's weights were trained on these
pages: the honest figure for pages it has not seen is in the row `cross-validated` of the manual
(`python -m phasa.overview.learn --check`).
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from pathlib import Path

from extract_hostile import cpu  # type: ignore[import-not-found]  # beside this file
from phasa.overview.extract import extract
from phasa.overview.learn.benchmarks import Page, read_benchmarks, score_all

Extractor = Callable[[bytes], str]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=Path(os.environ.get("PHASA_DATA", "../shared/data")))
    options.add_argument("--only", help="names of extractors, parted by commas")
    arguments = options.parse_args()
    pages = read_benchmarks(arguments.data)
    chosen = arguments.only.split(",") if arguments.only else list(EXTRACTORS)
    print("extractor\tset\tprecision\trecall\tf1\tpages\tpages_per_cpu_s")
    for name in chosen:
        try:
            extractor = EXTRACTORS[name]()
            extractor(b"<html><body><p>Warm up.</p></body></html>")
        except ImportError as missing:
            print(f"{name}\tnot measured: {missing}")
            continue
        measure(name, extractor, pages)


def measure(name: str, extractor: Extractor, pages: list[Page]) -> None:
    answers: list[tuple[Page, str]] = []
    spent: dict[str, float] = {}
    for page in pages:
        start = cpu()
        try:
            text = extractor(page.body)
        except Exception:  # noqa: BLE001 - a peer may fail in any way; it then has no text
            text = ""
        spent[page.benchmark] = spent.get(page.benchmark, 0.0) + cpu() - start
        answers.append((page, text))
    for benchmark, scores in score_all(answers).items():
        count = sum(page.benchmark == benchmark for page in pages)
        figures = "\t".join(f"{figure:.4f}" for figure in scores)
        print(f"{name}\t{benchmark}\t{figures}\t{count}\t{count / spent[benchmark]:.0f}", flush=True)


def _phasa() -> Extractor:
    return lambda body: extract(body).text


def _thesis() -> Extractor:
    return lambda body: extract(body, method="thesis").text


def _trafilatura(fast: bool) -> Extractor:
    import trafilatura

    return lambda body: trafilatura.extract(body, fast=fast, include_comments=False) or ""


def _resiliparse() -> Extractor:
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    def run(body: bytes) -> str:
        return str(extract_plain_text(bytes_to_str(body, detect_encoding(body)), main_content=True, links=False))

    return run


def _readability() -> Extractor:
    import readability
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    tags = re.compile(r"<[^>]+>")

    def run(body: bytes) -> str:
        from html import unescape

        return unescape(tags.sub(" ", readability.Document(bytes_to_str(body, detect_encoding(body))).summary()))

    return run


EXTRACTORS: dict[str, Callable[[], Extractor]] = {
    "phasa": _phasa,
    "thesis": _thesis,
    "trafilatura-fast": lambda: _trafilatura(fast=True),
    "trafilatura": lambda: _trafilatura(fast=False),
    "resiliparse": _resiliparse,
    "readability-lxml": _readability,
}


if __name__ == "__main__":
    main()
