"""Pages that nobody should write, up to 5 MB: CPU seconds of both extractors.

python bench/extract_hostile.py [KIND ...]
"""

from __future__ import annotations

import sys
import time

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
}


def main() -> None:
    extract("<p>The model is loaded, the page is read.</p>")
    print(f"{'kind':<20}{'method':<9}{'CPU s':>6}{'characters in':>15}{'out':>10}")
    for kind in sys.argv[1:] or KINDS:
        page = KINDS[kind]
        for method in ("phasa", "thesis"):
            before = time.process_time()
            text = extract(page, method=method).text
            spent = time.process_time() - before
            print(f"{kind:<20}{method:<9}{spent:>6.2f}{len(page):>15,}{len(text):>10,}", flush=True)


if __name__ == "__main__":
    main()
