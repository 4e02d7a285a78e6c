"""How much the real web lies about language: the shares behind `phasa.lab.lies`, measured on stored home pages of 2018.

    python bench/lie_shares.py ../shared/data

reads `pages-homepages2018` (622 pages as served) and `webgraph-homepages2018` (184,322 labelled hosts, their links).
The graph's label of a Latin-script page is its own html lang, so figures on the graph are given for pages whose label
comes from their letters (th, lo, km, my, fa, ar) where that matters.
"""

from __future__ import annotations

import gzip
import re
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from phasa.crawl.strategies.online.names import CODES
from phasa.lab.world import World
from phasa.language.detectors import detector
from phasa.web.charset import declared, decode
from phasa.web.html import read_page
from phasa.web.url import Url, authority

BY_LETTERS = frozenset({"th", "lo", "km", "my", "fa", "ar"})
_LETTERS = re.compile(r"[^\W\d_]")
_THAI = re.compile("[\u0e01-\u0e5b]")


def main() -> None:
    data = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
    nodes = list(_nodes(data / "webgraph-homepages2018" / "nodes.tsv.gz"))
    of_pages(data / "pages-homepages2018", {host: label for _, host, label, *_ in nodes})
    codes_in_hosts(nodes)
    mirrors(nodes, data / "webgraph-homepages2018" / "edges.tsv.gz")
    names(nodes)


def _nodes(path: Path) -> Iterator[tuple[int, str, str, str, int]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            number, host, label, charset, size = line.rstrip("\n").split("\t")
            yield int(number), host, label, charset, int(size or 0)


def _pages(folder: Path) -> Iterator[tuple[str, str, bytes]]:
    rows = [line.split("\t") for line in (folder / "index.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    url_of = {row[1]: (row[0], row[2]) for row in rows}
    with tarfile.open(folder / "pages.tar.xz") as packed:
        for member in packed:
            name = member.name.removeprefix("./")
            if member.isfile() and name in url_of and (file := packed.extractfile(member)) is not None:
                yield (*url_of[name], file.read())


def of_pages(folder: Path, labels: dict[str, str]) -> None:
    """Declared language and encoding, codes in addresses, hreflang, pages of mixed language."""
    model = detector()
    lang: Counter[str] = Counter()
    charset: Counter[str] = Counter()
    mixed: Counter[str] = Counter()
    hints: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    for _, url, body in _pages(folder):
        read = decode(body)
        page = read_page(read.text, Url(url))
        told = declared(body).lower()
        true = read.charset.lower()
        charset["none" if not told else "right" if _same(told, true) else "wrong"] += 1
        truth = model.detect(page.text[:20_000]).language
        said = page.lang.lower()[:2]
        if truth != "und":
            lang["none" if not said else "right" if said[:2] == truth[:2] else "wrong"] += 1
            if truth in BY_LETTERS:
                lang[f"{truth}: " + ("none" if not said else "right" if said == truth else f"wrong ({said})")] += 1
        letters = len(_LETTERS.findall(page.text))
        thai = len(_THAI.findall(page.text))
        if thai > 20 and letters > 200:
            mixed["thai" if thai > 0.7 * letters else "half" if thai > 0.3 * letters else "traces"] += 1
        here = authority(url)
        inner = [link.url for link in page.links if authority(link.url) == here]
        if len(inner) >= 5:
            coded = {part for one in inner for part in one.split("/")[3:5] if part[:2] in CODES and len(part) in (2, 5)}
            codes["sites"] += 1
            codes["with a code in an address"] += bool(coded)
            codes["with two codes"] += len({part[:2] for part in coded}) >= 2
        for code, goal in [*page.alternates, *((link.language, link.url) for link in page.links if link.language)]:
            host = authority(goal).removeprefix("www.")
            label = labels.get(host) or labels.get("www." + host) or ""
            if host != here.removeprefix("www.") and label in BY_LETTERS | {"en"}:
                hints["right" if code[:2].lower() == label else "wrong"] += 1
    shown = {"html lang": lang, "charset": charset, "Thai letters": mixed, "hreflang": hints, "codes": codes}
    for name, counts in shown.items():
        print(name, dict(counts.most_common()))


def _same(told: str, true: str) -> bool:
    latin = ("iso-8859-1", "windows-1252", "us-ascii", "ascii", "cp1252")
    thai = ("tis-620", "windows-874", "iso-8859-11", "cp874")
    same = told.replace("utf8", "utf-8") == true or any(told in family and true in family for family in (latin, thai))
    return same or true in ("us-ascii", "ascii")


def codes_in_hosts(nodes: list[tuple[int, str, str, str, int]]) -> None:
    """th.example.org: is its home page in Thai? Codes that are countries' names too are counted apart."""
    counts: Counter[str] = Counter()
    for _, host, label, *_ in nodes:
        first, _, rest = host.partition(".")
        if label and first in CODES and "." in rest:
            counts["right" if label[:2] == first[:2] else "wrong"] += 1
            if first in BY_LETTERS or label in BY_LETTERS:
                counts["letters: " + ("right" if label == first else "wrong")] += 1
    print("hosts that begin with a code", dict(counts))


def mirrors(nodes: list[tuple[int, str, str, str, int]], edges: Path) -> None:
    """Hosts with the same links out (five at least, not to themselves) and the same size within 2 %."""
    out: dict[int, str] = {}
    with gzip.open(edges, "rt", encoding="utf-8") as lines:
        for line in lines:
            source, _, rest = line.rstrip("\n").partition("\t")
            if rest.count(" ") >= 4:
                out[int(source)] = rest
    groups: dict[tuple[str, int], int] = Counter()
    eligible = 0
    for number, _, _, _, size in nodes:
        if number in out and size > 2000:
            eligible += 1
            groups[out[number], round(np.log(size) * 50)] += 1
    copies = sum(count - 1 for count in groups.values())
    print(f"mirrors: {copies} of {eligible} hosts with five links are another's twin ({copies / eligible:.1%})")


def names(nodes: list[tuple[int, str, str, str, int]]) -> None:
    """How well the letters of a host name tell Persian or Thai from English under the same domains (AUC)."""
    for language, endings in (("th", (".com", ".net", ".org")), ("fa", (".com", ".net", ".org"))):
        own = [host for _, host, label, *_ in nodes if label == language and host.endswith(endings)]
        other = [host for _, host, label, *_ in nodes if label in ("en", "ar") and host.endswith(endings)]
        other = [other[i] for i in np.random.default_rng(1).permutation(len(other))[: 4 * len(own)]]
        print(f"names, real, {language}: AUC {_auc(own, other):.3f} of {len(own)} against {len(other)}")
        for lies in (0.0, 1.0):
            world = World.from_name("1:100000", language, lies)
            mostly = world.sites.target * 2 > world.sites.pages
            hosts = [(style.host, bool(mine)) for style, mine in zip(world.styles, mostly, strict=False)]
            hosts = [(host, mine) for host, mine in hosts if host.endswith(endings) and host.count(".") < 3]
            first, second = [h for h, mine in hosts if mine], [h for h, mine in hosts if not mine]
            print(f"names, world with lies {lies:g}, {language}: AUC {_auc(first, second):.3f} of {len(hosts)}")


def _auc(own: list[str], other: list[str]) -> float:
    """Naive Bayes over runs of two to four letters, each name scored by a model that has not seen it (five folds)."""
    hosts = [(_runs(host), True) for host in own] + [(_runs(host), False) for host in other]
    scores = np.zeros(len(hosts))
    for fold in range(5):
        seen = {True: Counter[str](), False: Counter[str]()}
        for number, (runs, mine) in enumerate(hosts):
            if number % 5 != fold:
                seen[mine].update(runs)
        most = {mine: sum(1 for n, (_, m) in enumerate(hosts) if m is mine and n % 5 != fold) for mine in (True, False)}
        for number in range(fold, len(hosts), 5):
            scores[number] = sum(
                np.log((seen[True][run] + 0.5) / (most[True] + 1))
                - np.log((seen[False][run] + 0.5) / (most[False] + 1))
                for run in hosts[number][0]
            )
    label = np.array([mine for _, mine in hosts])
    order = np.argsort(np.argsort(scores))
    return float((order[label].mean() - (label.sum() - 1) / 2) / (~label).sum())


def _runs(host: str) -> set[str]:
    text = "^" + host.removeprefix("www.").rpartition(".")[0] + "$"
    return {text[i : i + n] for n in (2, 3, 4) for i in range(len(text) - n + 1)}


if __name__ == "__main__":
    main()
