"""Rows 17 to 28 and 53 of the checklist in the Thai crawling specification, as far as they are about detection."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from tests.language.texts import SENTENCES

from phasa.cli.pages import read_document, visible_text
from phasa.language.detectors import detector
from phasa.language.detectors.charset import charset_only
from phasa.language.detectors.dictionary import Dictionary, dictionary
from phasa.language.detectors.kernel import kernel
from phasa.language.detectors.ngram import NgramRanks, ngrams
from phasa.language.profile import load_profile
from phasa.language.verdict import Document

METHODS = "auto,dictionary"
TABLE_6 = "กทม.ร่วมสนับสนุนการท่องเที่ยว Amazing Thailand 2009"
THAI = load_profile("th")


def test_row_17_tis620_page_without_meta_decodes_to_the_same_thai_text() -> None:
    page = f"<html><body><p>{SENTENCES['th']}</p></body></html>".encode("tis-620")
    document, _ = read_document(page)
    assert document.text.split() == SENTENCES["th"].split()


def test_row_18_visible_text_without_markup() -> None:
    html = f"<html lang=th><head><title>หัวเรื่อง</title></head><body><a href=/x>{TABLE_6}</a></body></html>"
    text, declared = visible_text(html)
    assert TABLE_6 in text
    assert declared == "th"


def test_row_19_table_6_sentence_has_exactly_eight_tokens() -> None:
    assert dictionary(THAI).count(TABLE_6) == (5, 8)


def test_row_20_adding_a_word_makes_its_token_known(tmp_path: Path) -> None:
    """By a profile of one's own, whose words are added to the dictionary and do not replace it."""
    (tmp_path / "mine.txt").write_text("กฟหด\n", encoding="utf-8")
    own = tmp_path / "th-mine.toml"
    own.write_text(
        'code = "th"\nname = "Thai"\nscripts = ["Thai"]\nsegmenter = "lexto"\ndictionary = "th"\n'
        'prefixes = ["การ", "ความ"]\nextra_words = "mine.txt"\n',
        encoding="utf-8",
    )
    before, after = dictionary(THAI), dictionary(load_profile(str(own)))
    assert before.gamma("กฟหด") < after.gamma("กฟหด") == 1.0
    assert after.count(TABLE_6) == before.count(TABLE_6)


def test_row_21_gamma_of_the_table_6_sentence() -> None:
    assert dictionary(THAI).gamma(TABLE_6) == 0.625
    assert detector("dictionary", "th").detect(TABLE_6).language == "th"


def test_row_22_the_threshold_is_inclusive() -> None:
    words = ["แมว"]
    ten = "แมว " + "x " * 9
    eleven = "แมว " + "x " * 10
    assert Dictionary(THAI, words).gamma(ten) == 0.1
    assert Dictionary(THAI, words).detect(ten).language == "th"
    assert Dictionary(THAI, words).detect(eleven).language == "und"
    strict = msgspec.structs.replace(THAI, threshold=0.1001)
    assert Dictionary(strict, words).detect(ten).language == "und"


@pytest.mark.parametrize(
    ("charset", "language"),
    [
        ("Windows-874", "th"),
        ("TIS-620", "th"),
        ("ISO-8859-11", "th"),
        ("tis620", "th"),
        ("UTF-8", "und"),
        (None, "und"),
    ],
)
def test_row_23_charset_only(charset: str | None, language: str) -> None:
    assert charset_only(None).judge(Document(SENTENCES["th"], charset=charset)).language == language


def test_row_24_n_grams_of_crawl() -> None:
    assert ngrams("CRAWL", 1) == ["C", "R", "A", "W", "L", "_"]
    assert ngrams("CRAWL", 2) == ["CR", "RA", "AW", "WL", "L_"]
    assert ngrams("CRAWL", 3) == ["CRA", "RAW", "AWL", "WL_", "L__"]


def test_row_24_the_least_distance_wins() -> None:
    chosen = NgramRanks({"near": ["c", "r", "a"], "far": ["a", "r", "c"], "strange": ["x", "y", "z"]})
    text = "ccc rr a"
    distances = chosen.distances(text)
    assert distances["near"] < distances["far"] < distances["strange"]
    assert chosen.detect(text).language == "near"


@pytest.mark.parametrize("encoding", ["tis-620", "utf-8"])
def test_row_25_string_kernel_on_both_encodings(encoding: str) -> None:
    assert kernel(None).detect_bytes(SENTENCES["th"].encode(encoding)).language == "th"
    assert kernel(None).detect_bytes(SENTENCES["en"].encode(encoding)).language == "en"


@pytest.mark.data
def test_row_26_the_benchmark_prints_the_form_of_table_8(data: Path) -> None:
    bench = Path(__file__).parents[2] / "bench" / "detect.py"
    done = subprocess.run(
        [sys.executable, str(bench), "--data", str(data), "--every", "400", "--peers", "", "--methods", METHODS],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for word in ("predicted", "recall", "precision", "s/document"):
        assert word in done.stdout


@pytest.mark.data
def test_row_27_and_28_threshold_sweep_and_cross_tables(data: Path) -> None:
    bench = Path(__file__).parents[2] / "bench" / "pages_language.py"
    done = subprocess.run(
        [sys.executable, str(bench), "--data", str(data), "--every", "25"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "Z = 1.00" in done.stdout
    assert "Z = 0.05" in done.stdout
    assert "columns sum to the number of pages: yes" in done.stdout


def test_row_53_the_target_language_is_a_parameter(tmp_path: Path) -> None:
    for code in ("th", "fa", "ur", "en"):
        assert detector("dictionary", code).detect(SENTENCES[code]).language == code
    (tmp_path / "w.txt").write_text("heute\nwetter\nschön\n", encoding="utf-8")
    (tmp_path / "de.toml").write_text(
        'code = "de"\nname = "German"\nscripts = ["Latn"]\ndictionary = "w.txt"\ntlds = ["de", "at"]\n'
        'charsets = ["x-german"]\nthreshold = 0.15\nnormalise = ["nfc", "lower"]\n',
        encoding="utf-8",
    )
    german = str(tmp_path / "de.toml")
    assert detector("dictionary", german).detect(SENTENCES["de"]).language == "de"
    assert detector("dictionary", german).detect(SENTENCES["en"]).language == "und"
    assert detector("charset", german).judge(Document("", charset="x-german")).language == "de"
