"""What reads the text of pages: segmenters, detectors, extraction, keywords."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from functools import partial

from tests.fuzz import corpora
from tests.fuzz.target import SHARED, Check, Target
from tests.fuzz.web_targets import PAGE, TAGS

TEXTS = (
    "สวัสดีครับ ผมชื่อ John อายุ 25 ปี อยู่กรุงเทพฯ ๆ\nบรรทัดใหม่".encode(), "سلام دنیا، این یک متن فارسی است.".encode(),
    b"The quick brown fox jumps over the lazy dog. http://a.th/ 1,234.5", "ສະບາຍດີ ភាសាខ្មែរ မြန်မာ".encode(),
    "กํา เเ ์ ฺ ฯลฯ".encode(),
)  # fmt: skip
LETTERS = tuple(letter.encode() for letter in "กาำ่ๆฯเแ์\u200b\u200d\u0301\ufeffيک،\u06cc\u0e4daA.- \n\U0001f600")


def _segment(engine: str, language: str = "th") -> Check:
    from phasa.language.segmenters import load_segmenter

    segmenter = load_segmenter(engine, language)

    def check(data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        spans = segmenter.segment(text)
        assert [span[0] for span in spans[1:]] == [span[1] for span in spans[:-1]]
        assert "".join(segmenter.words(text)) == text, "something was lost"

    return check


def _detect(method: str) -> Check:
    from phasa.language.detectors import detector
    from phasa.language.verdict import Document

    chosen = detector(method)

    def check(data: bytes) -> None:
        head, _, body = data.partition(b"\n")
        if not body.strip():  # what is not blank has a text
            head, body = b"", data
        verdict = chosen.judge(Document(body.decode("utf-8", "surrogateescape"), charset=head.decode("latin-1")))
        assert verdict.language
        assert 0 <= verdict.score <= 1

    return check


def _extract(method: str) -> Check:
    from phasa.overview.extract import extract

    def check(data: bytes) -> None:
        content = extract(data, "http://a.th/2020/01/02/x", method)
        content.text.encode("utf-8")

    return check


def _keywords() -> Check:
    from phasa.api import keywords

    def check(data: bytes) -> None:
        found = keywords(data, top=10)
        assert len(found) <= 10
        assert all(word.weight >= 0 for word in found)

    return check


def _normalise() -> Check:
    from phasa.language.normalise import normalise_as
    from phasa.language.profile import load_profile

    profiles = [load_profile(code) for code in ("th", "fa", "ckb", "lo")]

    def check(data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        for profile in profiles:
            once = normalise_as(text, profile)
            assert normalise_as(once, profile) == once, "not idempotent"

    return check


def _corpus(name: str) -> Iterable[bytes]:
    path = SHARED / name
    if path.exists():
        with gzip.open(path) as lines:
            for number, line in enumerate(lines):
                yield line[:2000]
                if number > 300:
                    return


_pages = corpora.pages(60)


def _engine(engine: str, count: int, language: str = "th") -> Target:
    name = f"segment-{engine}"
    corpus = partial(_corpus, "thai-seg-best/TEST_100K.raw.txt.gz")
    return Target(name, partial(_segment, engine, language), TEXTS, LETTERS, count, 600, corpus)


def _method(method: str, count: int) -> Target:
    seeds = tuple(b"utf-8\n" + text for text in TEXTS)

    def corpus() -> Iterable[bytes]:
        return (b"utf-8\n" + line for line in _corpus("lid-udhr/udhr.tsv.gz"))

    return Target(f"detect-{method}", partial(_detect, method), seeds, (*LETTERS, b"tis-620\n"), count, 800, corpus)


TARGETS = (
    _engine("phasa", 200), _engine("lexto", 300), _engine("longest-first", 200), _engine("maximal", 300),
    _engine("unigram", 300), _engine("spaced", 600), _engine("syllables", 300, "lo"),
    _method("auto", 300), _method("model", 300), _method("script", 300), _method("charset", 500), _method("kernel", 40),
    _method("ngram", 60), _method("dictionary", 200), _method("persian", 100), _method("persian-content", 100),
    Target("normalise", _normalise, TEXTS, LETTERS, 2000, 400, partial(_corpus, "lid-udhr/udhr.tsv.gz")),
    Target("extract", partial(_extract, "phasa"), (PAGE,), TAGS, 60, 3000, _pages),
    Target("extract-thesis", partial(_extract, "thesis"), (PAGE,), TAGS, 100, 3000, _pages),
    Target("keywords", _keywords, (PAGE,), TAGS, 60, 3000, _pages),
)  # fmt: skip
