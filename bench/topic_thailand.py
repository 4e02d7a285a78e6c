"""The shipped topic on real English pages: precision and recall of `topic = "thailand"`, and where it errs.

Two sets of ../shared/data. *homes*: the pages of pages-homepages2018 that the language gate lets pass, each read before
the topic was tried on it (thailand-pages.tsv beside this file). *articles*: English pages of the extraction sets; with
--errors what is wanted among them is printed to be read.

    python bench/topic_thailand.py [--topic FILE] [--data ../shared/data] [--errors]
"""

from __future__ import annotations

import argparse
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from phasa.crawl.topics.topic import Topic, find_topic, load_topic
from phasa.language.detectors import detector
from phasa.language.verdict import Document
from phasa.measures import f_measure
from phasa.web.html import Page, read_page
from phasa.web.url import Url

HERE = Path(__file__).resolve().parent
LABELS = HERE / "thailand-pages.tsv"
ARTICLES = (
    "extract-aeb/html.tar.xz",
    "extract-trafilatura/html.tar.xz",
    "extract-readability/test-pages.tar.xz",
    "extract-fundus/fundus.tar.xz",
    "extract-newspaper/goose3.tar.xz",
    "extract-newspaper/newspaper4k.tar.xz",
)


class Judged(NamedTuple):
    """A page in English and what the topic says of it."""

    name: str
    title: str
    chance: float


def english(archive: Path, topic: Topic) -> Iterator[Judged]:
    """The English pages of an archive."""
    known = detector()
    with tarfile.open(archive) as files:
        for member in files:
            if not member.isfile() or not member.name.endswith((".html", ".html.gz")):
                continue
            if "expected" in member.name:
                continue
            file = files.extractfile(member)
            assert file is not None
            page: Page = read_page(file.read(), Url("http://page.invalid/"))
            if known.judge(Document(page.text, page.charset, page.lang or None)).is_in("en"):
                yield Judged(member.name.removeprefix("./"), page.title[:60], topic.relevance(page))


def labels() -> dict[str, bool]:
    """File → whether its page is about Thailand."""
    rows = [line.split("\t") for line in LABELS.read_text().splitlines() if not line.startswith("#")]
    return {row[0]: row[1] == "1" for row in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topic", type=Path, default=None, help="another topic than the shipped one")
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared/data")
    parser.add_argument("--errors", action="store_true", help="print every page that is judged otherwise than read")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    topic = load_topic(options.topic) if options.topic else find_topic("thailand", Path())
    archive = options.data / "pages-homepages2018/pages.tar.xz"
    if not archive.exists():
        raise SystemExit(f"{archive} is not there; name the folder with --data")
    read = labels()
    homes = list(english(archive, topic))
    unread = [one.name for one in homes if one.name not in read]
    found = {one.name for one in homes if one.chance >= topic.threshold}
    about = {one.name for one in homes if read.get(one.name)}
    precision, recall = len(found & about) / max(1, len(found)), len(found & about) / max(1, len(about))
    f = f_measure(precision, recall)
    there = [options.data / name for name in ARTICLES if (options.data / name).exists()]
    articles = [one for file in there for one in english(file, topic)]
    alarms = [one for one in articles if one.chance >= topic.threshold]
    if options.json:
        print(json.dumps({"homes": len(homes), "about": len(about), "precision": precision, "recall": recall, "f": f,
                          "articles": len(articles), "wanted_articles": len(alarms), "unread": unread}))  # fmt: skip
        return
    print(f"homes: {len(homes)} English pages, {len(about)} about Thailand, {len(unread)} not read")
    print(f"precision {precision:.3f}  recall {recall:.3f}  F {f:.3f}")
    print(f"articles: {len(articles)} English pages, {len(alarms)} wanted")
    if options.errors:
        for one in homes:
            if (one.name in found) != (one.name in about):
                print(f"{'wanted' if one.name in found else 'missed'} {one.chance:.3f} {one.name} {one.title}")
        for one in alarms:
            print(f"wanted {one.chance:.3f} {one.name} {one.title}")


if __name__ == "__main__":
    main()
