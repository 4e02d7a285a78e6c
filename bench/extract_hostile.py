"""Pages that nobody should write, up to 50 MB: CPU seconds and memory of both extractors.

python bench/extract_hostile.py [KIND ...]

Each page is read by `phasa.overview.extract` in its sandbox; CPU seconds are those of this process and of the sandbox,
memory is the most that the sandbox had by then. Kinds marked `refused` are larger than the limit and say so.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from phasa.errors import InputError
from phasa.overview.extract import extract

_WORDS = "A sentence that is repeated very often, with a number. "
_PARAGRAPHS = "".join(f"<p>{_WORDS}{n}</p>" for n in range(78_000))

KINDS = {
    "paragraphs": f"<body><div>{_PARAGRAPHS}</div></body>",
    "one leaf": f"<p>{_WORDS * 92_000}</p>",
    "one form": f"<body><form>{_PARAGRAPHS}</form>",
    "nested": "<div>" * 100_000 + "deep down",
    "nested and closed": "<div>" * 100_000 + "deep" + "</div>" * 100_000,
    "broken": "<p><b><i><table><tr><td><<a href='x>" * 60_000 + "text",
    "unclosed": "<b><i><p>text " * 120_000,
    "less-than": "<" * 5_000_000,
    "links": "<ul>" + "".join(f"<li><a href=/{n}>Item {n}</a></li>" for n in range(130_000)) + "</ul>",
    "attributes": "<div " + " ".join(f"a{n}=1" for n in range(500_000)) + ">text</div>",
    "classes": "".join(f"<div class='c{n} related-{n} x'>Text number {n} is here.</div>" for n in range(70_000)),
    "tables": "<table>" * 3_000 + "<tr><td>cell</td></tr>" * 60_000,
    "entities": "<p>" + "&amp;&lt;&#8217;&nbsp;" * 230_000,
    "comments": "<!-- x -->text<p>" * 280_000,
    "thai": "<body>" + "".join(f"<p>{'ภาษาไทยง่ายนิดเดียว' * 4} {n}</p>" for n in range(60_000)),
    "breaks": "text<br>" * 600_000,
    "json-ld": "<script type='application/ld+json'>" + "[" * 100_000 + "</script><p>text" * 3,
    "spans": "<span>a</span> " * 330_000,
    "named spans": "<span class=a>aa</span><span class=b>bb</span>" * 110_000,
    "spans in spans": "<span class=a>x</span><span class=b>" * 140_000,
    "links beside links": "<a href=/1>one</a><a href=/2>two</a>" * 140_000,
    # As on 84000.org: tables in tables, quotations in quotations, each set in by the one around it.
    "nested blanks": "<blockquote>\n" * 400 + "<table><tr><td>word</td><td>\n" * 300 + "text " * 10_000,
    "nested lists": "<ul><li>item number one of the list" * 20_000,
    "100,000 elements": "<div>" + "".join(f"<p><b>Item {n}</b></p>" for n in range(50_000)) + "</div>",
    "headlines": "".join(
        f"<li><h3><a href=/{n}>A headline of some length, number {n}</a></h3></li>" for n in range(70_000)
    ),
    "19 MB": f"<body><div>{_PARAGRAPHS * 3}{_PARAGRAPHS[:3_000_000]}</div></body>",
    "50 MB": f"<p>{_WORDS * 920_000}</p>",
}


def cpu() -> float:
    """Processor seconds of this process and of those that it started and that still run."""
    return time.process_time() + sum(map(_cpu_of, _children()))


def memory() -> float:
    """MB that the largest process we started had at the most."""
    lines = (line for child in _children() for line in Path(f"/proc/{child}/status").read_text().splitlines())
    peaks = [int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")]
    return max(peaks, default=0.0)


def _children() -> list[int]:
    own = Path(f"/proc/{os.getpid()}/task")
    found: list[int] = []
    queue = [int(child) for task in own.iterdir() for child in (task / "children").read_text().split()]
    while queue:
        child = queue.pop()
        found.append(child)
        tasks = Path(f"/proc/{child}/task")
        queue += [int(one) for task in tasks.iterdir() for one in (task / "children").read_text().split()]
    return found


def _cpu_of(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    extract("<p>The model is loaded, the page is read.</p>")
    print(f"{'kind':<20}{'method':<9}{'CPU s':>6}{'characters in':>15}{'out':>12}{'MB, most':>10}")
    for kind in sys.argv[1:] or KINDS:
        page = KINDS[kind]
        for method in ("phasa", "thesis"):
            before = cpu()
            try:
                told = f"{len(extract(page, method=method).text):,}"
            except InputError:
                told = "refused"
            spent = cpu() - before
            print(f"{kind:<20}{method:<9}{spent:>6.2f}{len(page):>15,}{told:>12}{memory():>10.0f}", flush=True)


if __name__ == "__main__":
    main()
