"""What is kept of home pages, beside peers: characters of text on the 256 Thai and the other pages of
`pages-homepages2018`, by group. There is no gold: the table tells how much comes out, not how much of it is right.

    python bench/extract_homes.py [--data DIR] [--group thai-utf8,thai-tis620] [--pages 100] [--peer-python PYTHON]

trafilatura and resiliparse run in the interpreter that --peer-python names (they need not be installed here).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

PEERS = """
import json, sys
import trafilatura
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
for line in sys.stdin:
    body = bytes.fromhex(line)
    text = bytes_to_str(body, detect_encoding(body))
    try:
        ours = trafilatura.extract(body, include_comments=False) or ""
    except Exception:
        ours = ""
    print(json.dumps([len(ours), len(extract_plain_text(text, main_content=True, links=False))]), flush=True)
"""


def pages_of(data: Path, groups: set[str]) -> Iterator[tuple[str, bytes]]:
    """Host and bytes of the pages of some groups."""
    with tarfile.open(data / "pages-homepages2018" / "pages.tar.xz") as archive:
        for member in archive:
            group, _, name = member.name.removeprefix("./").rpartition("/")
            if member.isfile() and group.rpartition("/")[2] in groups and (file := archive.extractfile(member)):
                yield name.removesuffix(".html"), file.read()


def show(name: str, lengths: list[int]) -> None:
    few = sum(length < 50 for length in lengths)
    print(f"{name:<24}{statistics.median(lengths):>8.0f}{sum(lengths) / len(lengths):>8.0f}{few:>10}{len(lengths):>7}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=Path(os.environ.get("PHASA_DATA", "../shared/data")))
    options.add_argument("--group", default="thai-utf8,thai-tis620")
    options.add_argument("--pages", type=int, default=100)
    options.add_argument("--peer-python", default=sys.executable)
    arguments = options.parse_args()
    from phasa.errors import PhasaError
    from phasa.overview.extract import extract

    pages = sorted(pages_of(arguments.data, set(arguments.group.split(","))))
    pages = pages[:: max(1, len(pages) // arguments.pages)][: arguments.pages]
    told: list[int] = []
    alone: list[int] = []
    kinds: list[str] = []
    for host, body in pages:
        for url, out in ((f"http://{host}/", told), ("", alone)):
            try:
                content = extract(body, url=url)
            except PhasaError:
                out.append(0)
                continue
            out.append(len(content.text))
            if url:
                kinds.append(content.kind)
    print(f"{'extractor':<24}{'median':>8}{'mean':>8}{'under 50':>10}{'pages':>7}")
    show("phasa, address given", told)
    show("phasa, file alone", alone)
    print(f"  front pages: {kinds.count('front')}, articles: {kinds.count('article')}")
    lines = "".join(body.hex() + "\n" for _, body in pages)
    done = subprocess.run(
        [arguments.peer_python, "-c", PEERS], input=lines, capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"peers not measured: {done.stderr.strip().splitlines()[-1]}")
        return
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    show("trafilatura", [row[0] for row in rows])
    show("resiliparse", [row[1] for row in rows])


if __name__ == "__main__":
    main()
