"""The public extraction benchmarks as pages with gold, and the rules they are scored by."""

from __future__ import annotations

import html
import json
import re
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from phasa.errors import InputError
from phasa.measures import f_measure
from phasa.overview.evaluation import Scores

_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff]")
_BLOCK_TAGS = re.compile(
    r"</?(?:p|div|li|ul|ol|h\d|br|tr|td|th|table|section|article|blockquote|figure|pre)\b[^>]*>", re.I
)
_TAGS = re.compile(r"<[^>]+>")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a benchmark. Its gold is a whole text, or fragments that must and must not be extracted.

    `group` names what must not be split between training and test: pages of one site. `partial` gold says what is
    content but not what is noise.
    """

    benchmark: str
    name: str
    group: str
    body: bytes
    gold: str = ""
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    partial: bool = False


def read_benchmarks(data: Path) -> list[Page]:
    """All pages of the sets below `data`. Raises InputError when there is none."""
    readers = (_trafilatura, _aeb, _fundus, _newspaper, _goose, _readability)
    pages = [page for reader in readers for page in reader(data)]
    if not pages:
        raise InputError(
            f"{data}: no extraction benchmark there; name the folder that holds extract-aeb and the others"
        )
    return pages


def score_fragments(answers: Iterable[tuple[Page, str]]) -> Scores:
    """Fragments found over all pages: trafilatura's rule."""
    found = missed = wrong = 0
    for page, answer in answers:
        text = _squeeze(answer)
        hits = sum(_squeeze(piece) in text for piece in page.must)
        found, missed = found + hits, missed + len(page.must) - hits
        wrong += sum(_squeeze(piece) in text for piece in page.must_not)
    return _scores(found / max(found + wrong, 1), found / max(found + missed, 1))


def score_shingles(answers: Iterable[tuple[Page, str]]) -> Scores:
    """Bags of four-word shingles, averaged over pages: article-extraction-benchmark's rule.

    Where words are not spaced a shingle is four characters. Partial gold counts for recall only.
    """
    precisions, recalls = [], []
    for page, answer in answers:
        gold, ours = _shingles(page.gold), _shingles(answer)
        shared = (gold & ours).total()
        if ours and not page.partial:
            precisions.append(shared / ours.total())
        if gold:
            recalls.append(shared / gold.total())
    return _scores(fmean(precisions or [1.0]), fmean(recalls or [1.0]))


def score_all(answers: Iterable[tuple[Page, str]]) -> dict[str, Scores]:
    """The figures of every benchmark by its own rule."""
    sets: dict[str, list[tuple[Page, str]]] = defaultdict(list)
    for page, answer in answers:
        sets[page.benchmark].append((page, answer))
    return {name: (score_fragments if rows[0][0].must else score_shingles)(rows) for name, rows in sets.items()}


def _scores(precision: float, recall: float) -> Scores:
    return Scores(precision, recall, f_measure(precision, recall))


def _squeeze(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _shingles(text: str, size: int = 4) -> Counter[tuple[str, ...]]:
    words = list(re.sub(r"\s+", "", text)) if _UNSPACED.search(text[:2000]) else re.findall(r"\w+", text)
    if len(words) < size:
        return Counter([tuple(words)] if words else [])
    return Counter(zip(*(words[start:] for start in range(size)), strict=False))


def _files(archive: Path) -> dict[str, bytes]:
    if not archive.exists():
        return {}
    with tarfile.open(archive) as opened:
        members = [(member.name.removeprefix("./"), opened.extractfile(member)) for member in opened]
        return {name: file.read() for name, file in members if file is not None}


def _trafilatura(data: Path) -> Iterator[Page]:
    files = _files(data / "extract-trafilatura" / "html.tar.xz")
    if files:
        rows = json.loads((data / "extract-trafilatura" / "evaldata.json").read_text(encoding="utf-8"))
        for row in rows.values():
            name = row["file"]
            must, must_not = tuple(filter(str.strip, row["with"])), tuple(filter(str.strip, row["without"]))
            yield Page("trafilatura", name, name, files[name], must=must, must_not=must_not)


def _aeb(data: Path) -> Iterator[Page]:
    files = _files(data / "extract-aeb" / "html.tar.xz")
    if files:
        rows = json.loads((data / "extract-aeb" / "ground-truth.json").read_text(encoding="utf-8"))
        for name, row in rows.items():
            yield Page("aeb", name, name, files[f"{name}.html"], row["articleBody"])


def _fundus(data: Path) -> Iterator[Page]:
    files = _files(data / "extract-fundus" / "fundus.tar.xz")
    for name, body in sorted(files.items()):
        if not name.endswith(".html"):
            continue
        publisher = name.rpartition("/")[2].partition("_")[0]
        versions = json.loads(files[f"{name.rpartition('/')[0]}/{publisher}.json"])
        visible = "".join(html.unescape(body.decode("utf-8", "replace")).split())
        share, gold = max((_found(version, visible) for version in versions.values()), default=(0.0, ""))
        if share > 0.6:  # otherwise the gold of this version of the page is not among them
            yield Page("fundus", name, publisher, body, gold)


def _found(version: dict[str, object], visible: str) -> tuple[float, str]:
    """The share of a gold text's paragraphs that a page holds, and the text."""
    body = version.get("body")
    if not isinstance(body, dict):
        return 0.0, ""
    paragraphs = list(body.get("summary") or [])
    for section in body["sections"]:
        paragraphs += section["headline"] + section["paragraphs"]
    hits = sum("".join(paragraph.split())[:60] in visible for paragraph in paragraphs)
    return hits / max(len(paragraphs), 1), "\n".join(paragraphs)


def _newspaper(data: Path) -> Iterator[Page]:
    files = _files(data / "extract-newspaper" / "newspaper4k.tar.xz")
    for name, body in sorted(files.items()):
        gold = files.get(name.replace("html/", "txt/").replace(".html", ".txt"))
        if name.endswith(".html") and gold is not None:
            yield Page("newspaper", name, name, body, gold.decode("utf-8"))


def _goose(data: Path) -> Iterator[Page]:
    files = _files(data / "extract-newspaper" / "goose3.tar.xz")
    for name, body in sorted(files.items()):
        row = files.get(name.replace(".html", ".json"))
        gold = json.loads(row)["expected"].get("cleaned_text") if name.endswith(".html") and row else ""
        if gold:  # mostly only how the article begins
            yield Page("goose", name, name, body, gold, partial=True)


def _readability(data: Path) -> Iterator[Page]:
    files = _files(data / "extract-readability" / "test-pages.tar.xz")
    for name, body in sorted(files.items()):
        if name.endswith("/source.html"):
            folder = name.rpartition("/")[0]
            expected = files[f"{folder}/expected.html"].decode("utf-8")
            text = html.unescape(_TAGS.sub("", _BLOCK_TAGS.sub("\n", expected)))
            yield Page("readability", folder, folder, body, text)
