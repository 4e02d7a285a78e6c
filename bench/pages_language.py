"""Real home pages in their original encodings: what the detectors say, beside what the pages say of themselves.

Prints agreement of the verdict with the page's group (what it was collected as), with its html lang and with the
language of its top-level domain; the Persian cascade in its three modes; the sweep of Z; domain and encoding tables.

    python bench/pages_language.py --every 1
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import csv
import io
import tarfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from phasa.cli.pages import read_document
from phasa.language.charsets import charset_name
from phasa.language.detectors import detector
from phasa.language.detectors.dictionary import dictionary
from phasa.language.profile import known_languages, load_profile, profile_for
from phasa.language.verdict import Document

# What a group of pages was collected as; groups that are not here have no one language.
GROUPS = {
    "thai-tis620": "th",
    "thai-utf8": "th",
    "persian-utf8": "fa",
    "persian-win1256": "fa",
    "arabic-utf8": "ar",
    "lao": "lo",
    "khmer": "km",
    "burmese": "my",
    "english-about-thailand": "en",
}


class Seen(NamedTuple):
    """A page, what it was collected as, and what was found."""

    group: str
    url: str
    declared: str
    document: Document
    verdict: str


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", default=os.environ.get("PHASA_DATA", Path(__file__).parents[2] / "shared" / "data"))
    options.add_argument("--every", type=int, default=1, help="use every n-th page")
    options.add_argument("--show", action="store_true", help="list the pages where verdict and group differ")
    given = options.parse_args()
    start = time.process_time()
    pages = list(judge_pages(Path(given.data) / "pages-homepages2018", given.every))
    print(f"{len(pages)} pages in {time.process_time() - start:.1f} CPU s (decode, visible text, verdict)")
    print_groups(pages, given.show)
    print_agreement("html lang", ((page.verdict, declared_code(page.declared)) for page in pages))
    print_agreement("top-level domain", ((page.verdict, domain_language(page.url)) for page in pages))
    print_cascade(pages)
    print_sweep(pages)
    print_cross_tables(pages)


def judge_pages(folder: Path, every: int) -> Iterator[Seen]:
    with (folder / "index.tsv").open(encoding="utf-8", newline="") as index:
        rows = list(csv.DictReader(index, delimiter="\t"))[::every]
    wanted = {row["file"]: row for row in rows}
    auto = detector()
    with tarfile.open(folder / "pages.tar.xz") as tar:
        for member in tar:
            row = wanted.get(member.name.removeprefix("./"))
            body = tar.extractfile(member)
            if row is None or body is None:
                continue
            document, _ = read_document(io.BytesIO(body.read()).getvalue())
            yield Seen(row["group"], row["url"], row["html_lang"], document, auto.judge(document).language)


def print_groups(pages: Iterable[Seen], show: bool) -> None:
    by_group: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for page in pages:
        by_group[page.group][page.verdict] += 1
        if show and page.verdict != GROUPS.get(page.group, page.verdict):
            print(f"  {page.group}\t{page.verdict}\t{page.url}\t{page.document.charset}\t{len(page.document.text)}")
    print("\nverdict by group of pages")
    for group, verdicts in sorted(by_group.items()):
        total, expected = verdicts.total(), GROUPS.get(group)
        share = f"{verdicts[expected] / total:.3f}" if expected else "  -  "
        print(f"{group:24} {total:4} pages  agree {share}  {dict(verdicts.most_common(6))}")


def print_agreement(name: str, pairs: Iterable[tuple[str, str | None]]) -> None:
    known = [(verdict, said) for verdict, said in pairs if said is not None]
    by_language = Counter(said for _, said in known)
    agreed = Counter(said for verdict, said in known if verdict == said)
    print(f"\nagreement with the {name}: {agreed.total()} of {by_language.total()} pages that have one we know")
    for language, total in by_language.most_common():
        print(f"{language:5} {agreed[language]:4} of {total}")


def declared_code(tag: str) -> str | None:
    """The profile's code for an html lang attribute; None when it is empty or not of a shipped language."""
    profile = profile_for(tag.strip()) if tag.strip() else None
    return profile.code if profile else None


def domain_language(url: str) -> str | None:
    """The language of a national domain that only one shipped language calls its own."""
    domain = (urlsplit(url).hostname or "").rpartition(".")[2]
    users = [code for code in known_languages() if domain in load_profile(code).tlds]
    if domain == "ir":
        return "fa"
    return users[0] if len(users) == 1 else None


def print_cascade(pages: list[Seen]) -> None:
    persian = [page for page in pages if GROUPS.get(page.group) == "fa"]
    others = [page for page in pages if page.group in GROUPS and GROUPS[page.group] != "fa"]
    print(f"\nPersian cascade on {len(persian)} Persian and {len(others)} other pages")
    for method in ("persian-meta", "persian-content", "persian", "auto"):
        chosen = detector(method)
        found = sum(chosen.judge(page.document).language == "fa" for page in persian)
        wrong = sum(chosen.judge(page.document).language == "fa" for page in others)
        print(f"{method:16} found {found:4}   others called Persian {wrong}")


def print_sweep(pages: list[Seen]) -> None:
    """E1 / row 27: pages by Γ for Thai; the cut-off lies where the histogram has its valley."""
    gamma = dictionary(load_profile("th")).gamma
    ratios = [gamma(page.document.text[:20_000]) for page in pages]
    print("\nΓ for Thai: pages with Γ ≥ Z, and pages between this Z and the one above")
    above = 0
    for step in range(20, 0, -1):
        limit = step * 0.05
        count = sum(ratio >= limit for ratio in ratios)
        print(f"Z = {limit:.2f}  {count:5}  {'#' * ((count - above + 4) // 5)} {count - above}")
        above = count
    thai = [page.verdict == "th" for page in pages]
    same = sum((ratio >= 0.1) == is_thai for ratio, is_thai in zip(ratios, thai, strict=True))
    print(f"Γ ≥ 0.1 and auto agree on {same} of {len(pages)} pages")


def print_cross_tables(pages: list[Seen]) -> None:
    """E3 / row 28: domain and encoding against the verdict, and whether the columns add up."""
    ok = True
    for title, keys in (
        ("domain", [(urlsplit(page.url).hostname or "").rpartition(".")[2] for page in pages]),
        ("encoding", [charset_name(page.document.charset or "none") for page in pages]),
    ):
        columns = Counter((key, page.verdict) for key, page in zip(keys, pages, strict=True))
        languages = [language for language, _ in Counter(page.verdict for page in pages).most_common(6)]
        print(f"\n{title:14}" + "".join(f"{language:>7}" for language in languages) + "  other    all")
        for key, total in Counter(keys).most_common(8):
            cells = [columns[key, language] for language in languages]
            print(f"{key:14}" + "".join(f"{cell:7}" for cell in cells) + f"{total - sum(cells):7}{total:7}")
        ok &= columns.total() == len(pages)
    print(f"\ncolumns sum to the number of pages: {'yes' if ok else 'no'}")


if __name__ == "__main__":
    main()
