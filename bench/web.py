"""The web part beside its peers on the same work, in CPU time, each measure the best of several rounds in one run.

python bench/web.py [--data FOLDER] [--rounds N]
"""

from __future__ import annotations

import argparse
import io
import os
import re
import tarfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin

import cchardet
import charset_normalizer
import lxml.html
from protego import Protego
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import detect_encoding
from resiliparse.parse.html import HTMLTree
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from w3lib.url import canonicalize_url

from phasa.web import charset, robots, url
from phasa.web.html import PAGE_TAGS, read_page
from phasa.web.url import Url

HERE = Url("http://www.example.com/a/b.html")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("PHASA_DATA", Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    pages = [
        body.decode("utf-8", "replace") for _, body in members(options.data / "extract-trafilatura" / "html.tar.xz")
    ]
    pages_bench(pages, options.rounds)
    urls_bench(pages, options.rounds)
    charset_bench(options.data, options.rounds)
    robots_bench(options.rounds)


def members(archive: Path) -> list[tuple[str, bytes]]:
    """The files of an archive with the name of their folder."""
    with tarfile.open(archive) as opened:
        found = [(member.name, opened.extractfile(member)) for member in opened if member.isfile()]
        return [(Path(name).parent.name, (stored or io.BytesIO()).read()) for name, stored in found]


def rates(work: dict[str, Callable[[Any], object]], items: Sequence[Any], rounds: int, peer: str, unit: str) -> None:
    """Run every piece of work over all items, in turn, and print the best rate of each and its ratio to the peer."""
    best = dict.fromkeys(work, float("inf"))
    for call in work.values():
        call(items[0])
    for _ in range(rounds):
        for name, call in work.items():
            began = time.process_time()
            for item in items:
                call(item)
            best[name] = min(best[name], time.process_time() - began)
    for name, seconds in best.items():
        print(f"  {name:44s} {len(items) / seconds:12,.0f} {unit}/CPU s   {best[peer] / seconds:6.2f}x", flush=True)


def pages_bench(pages: list[str], rounds: int) -> None:
    size = sum(map(len, pages)) / len(pages) / 1000
    print(
        f"parse + links + text, {len(pages)} pages of {size:.0f} thousand characters; ratio to Scrapy's LinkExtractor"
    )
    extractor = LinkExtractor()

    def scrapy(page: str) -> object:
        return extractor.extract_links(HtmlResponse(HERE, body=page.encode(), encoding="utf-8"))

    def with_lxml(page: str) -> object:
        tree = lxml.html.fromstring(page.encode(), parser=LXML)
        return [urljoin(HERE, a.get("href")) for a in tree.iter("a") if a.get("href")], tree.text_content()

    def with_resiliparse(page: str) -> object:
        tree = HTMLTree.parse(page)
        nodes = tree.document.query_selector_all("a[href]")
        return [node.getattr("href") for node in nodes], extract_plain_text(tree, links=False)

    work: dict[str, Callable[[str], object]] = {
        "phasa, every tag, with surroundings": lambda page: read_page(page, HERE),
        "phasa, links to pages, with surroundings": lambda page: read_page(page, HERE, tags=PAGE_TAGS),
        "resiliparse, raw links and text": with_resiliparse,
        "lxml, joined links and text": with_lxml,
        "Scrapy LinkExtractor, no text": scrapy,
    }
    rates(work, pages, rounds, "Scrapy LinkExtractor, no text", "pages")


LXML = lxml.html.HTMLParser(encoding="utf-8")


def urls_bench(pages: list[str], rounds: int) -> None:
    raws = [link for page in pages for link in re.findall(r"""<a\s[^>]*?href=["']([^"'#]+)""", page)][:20_000]
    whole = [address for address in url.join_all(HERE, raws) if address]
    print(f"addresses, {len(raws)} links of these pages; ratio to urljoin + urldefrag")
    work: dict[str, Callable[[str], object]] = {
        "phasa join": lambda raw: url.join(HERE, raw),
        "urllib urljoin + urldefrag": lambda raw: urldefrag(urljoin(HERE, raw)),
    }
    rates(work, raws, rounds, "urllib urljoin + urldefrag", "addresses")
    print("addresses, normalise absolute ones; ratio to w3lib canonicalize_url")
    work = {
        "phasa parse": url.parse,
        "phasa thesis_form": lambda raw: url.thesis_form(Url(raw)),
        "phasa surt": lambda raw: url.surt(Url(raw)),
        "w3lib canonicalize_url": canonicalize_url,
    }
    rates(work, whole, rounds, "w3lib canonicalize_url", "addresses")


FOLDERS = {"ibm855": "cp855", "ibm866": "cp866", "maccyrillic": "mac_cyrillic", "big5": "big5hkscs",
           "gb2312": "gb18030", "gbk": "gb18030", "tis-620": "cp874", "tis_620": "cp874", "windows-874": "cp874",
           "iso-8859-11": "cp874", "iso-8859-1": "cp1252", "euc-kr": "cp949", "uhc": "cp949",
           "shift_jis": "cp932"}  # fmt: skip


def charset_bench(data: Path, rounds: int) -> None:
    """Right is who gives the text that the folder's encoding gives; declarations are hidden from all."""
    cases = []
    for name in ("chardet-tests", "char-dataset"):
        for folder, body in members(data / "charset-detection" / f"{name}.tar.xz"):
            encoding = re.sub("-(?!sig)[a-z]{4,}$", "", folder.lower())
            cases.append((encoding, re.sub(rb"(?i)(charset|encoding)(\s*=)", rb"chrset\2", body)))

    def normalizer(body: bytes) -> str:
        match = charset_normalizer.from_bytes(body).best()
        return match.encoding if match else ""

    named: dict[str, Callable[[bytes], str]] = {
        "resiliparse": lambda body: str(detect_encoding(body)),
        "faust-cchardet": lambda body: str(cchardet.detect(body)["encoding"]),
        "charset-normalizer": normalizer,
    }
    print(f"encodings, {len(cases)} documents of charset-detection, declarations hidden: right")
    right = sum(charset.decode(body).text.lstrip("\ufeff") == text(body, encoding) for encoding, body in cases)
    print(f"  {'phasa':44s} {right}")
    for name, detect in named.items():
        right = sum(text(body, detect(body)) == text(body, encoding) is not None for encoding, body in cases)
        print(f"  {name:44s} {right}")
    thai = "กรุงเทพมหานครเป็นเมืองหลวงและนครที่มีประชากรมากที่สุดของประเทศไทย เป็นศูนย์กลางการปกครอง " * 20
    bodies = [thai[start : start + 1500].encode("cp874") for start in range(200)]
    print("encodings, 1,500 letters of Thai in TIS-620; ratio to resiliparse")
    work: dict[str, Callable[[bytes], object]] = {"phasa": charset.decode, **named}
    rates(work, bodies, rounds, "resiliparse", "documents")


def text(body: bytes, encoding: str) -> str | None:
    name = encoding.lower()
    try:
        return body.decode(FOLDERS.get(name, name), "replace").lstrip("\ufeff")
    except LookupError:
        return None


def robots_bench(rounds: int) -> None:
    lines = [f"Disallow: /dir{number}/sub{number}/" for number in range(480)]
    lines += [f"Disallow: /*/p{number}*.php$" for number in range(30)]
    body = "\n".join(["User-agent: *", *lines])
    ours, theirs = robots.parse(body.encode()), Protego.parse(body)
    addresses = [Url(f"http://a.example/dir{number}/sub{number + 1}/page.html") for number in range(500)]
    print("robots.txt of 510 rules, decisions; ratio to Protego")
    work: dict[str, Callable[[Url], object]] = {
        "phasa": lambda address: ours.allowed(address, "phasa"),
        "Protego": lambda address: theirs.can_fetch(address, "phasa"),
    }
    rates(work, addresses, rounds, "Protego", "decisions")


if __name__ == "__main__":
    main()
