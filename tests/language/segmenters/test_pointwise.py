"""The default engine: laws that hold for any text, and text that people write."""

from __future__ import annotations

import pickle
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.errors import InputError
from phasa.language.segmenters import DATA, load_segmenter, model_file
from phasa.language.segmenters.card import card_page
from phasa.language.segmenters.characters import FOLLOWING_VOWELS
from phasa.language.segmenters.model import read_model
from phasa.language.segmenters.pointwise import Pointwise

engine = load_segmenter("phasa")
MODEL = read_model(DATA / "model-th.zst")
MARKS = FOLLOWING_VOWELS + "ัิีึืฺุู็่้๊๋์ํ๎\u200d\ufe0f"
LEADING = "เแโใไ"

thai_like = st.text(alphabet=st.sampled_from("กขคงนมรลวสหอเแไโะาำัิี่้์ๆฯ๑ .,#@ab1😀‍🇹\n\r\x00\ud800"), max_size=80)


@given(thai_like | st.text(alphabet=st.characters(), max_size=60))
def test_nothing_is_added_and_nothing_lost(text: str) -> None:
    words = engine.words(text)
    assert "".join(words) == text
    assert all(words)


@given(thai_like)
def test_never_a_cut_before_a_mark_or_after_a_leading_vowel(text: str) -> None:
    for start, _ in engine.segment(text)[1:]:
        if text[start - 1] not in "\n\r":
            assert text[start] not in MARKS
            assert text[start - 1] not in LEADING or text[start] in "\n\r"


@given(st.lists(thai_like.map(lambda line: line.replace("\n", "").replace("\r", "")), max_size=6))
def test_lines_do_not_depend_on_each_other(lines: list[str]) -> None:
    fixed = load_segmenter("phasa", style="best")
    whole = fixed.separated("\n".join(lines))
    assert whole == "\n".join(fixed.separated(line) for line in lines)


@settings(max_examples=20)
@given(st.integers(0, 70_000), st.sampled_from(["ภาษาไทยง่ายมาก", "กินข้าวหรือยัง "]))
def test_block_edges_leave_no_trace(offset: int, sentence: str) -> None:
    fixed = load_segmenter("phasa", style="best")
    text = "ก" * (offset % 50) + "\n" + (sentence + "\n") * (offset // len(sentence) + 2)
    lines = fixed.separated(text).split("\n")[1:-1]
    assert set(lines) == {fixed.separated(sentence)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ภาษาไทยง่ายมาก", ["ภาษา", "ไทย", "ง่าย", "มาก"]),
        ("ฉันรักเธอ", ["ฉัน", "รัก", "เธอ"]),
        ("ราคา 1,500 บาท", ["ราคา", " ", "1,500", " ", "บาท"]),
        ("ดูได้ที่ https://www.site.co.th/a?b=1 ครับ", ["ดู", "ได้", "ที่", " ", "https://www.site.co.th/a?b=1", " ", "ครับ"]),
        ("ส่งมาที่ me@site.co.th นะ", ["ส่ง", "มา", "ที่", " ", "me@site.co.th", " ", "นะ"]),
        ("สวยมาก😀😀", ["สวย", "มาก", "😀", "😀"]),
        ("ครอบครัว 👨‍👩‍👧", ["ครอบครัว", " ", "👨‍👩‍👧"]),
        ("ปี พ.ศ. 2550", ["ปี", " ", "พ.ศ.", " ", "2550"]),
        ("ซื้อ iPhone มา", ["ซื้อ", " ", "iPhone", " ", "มา"]),
    ],
)
def test_mixed_text_is_cut_where_people_cut_it(text: str, words: list[str]) -> None:
    assert engine.words(text) == words


def test_a_hashtag_keeps_its_latin_word_whole() -> None:
    assert "thailand" in engine.words("ไป #thailand กัน")


def test_marks_in_the_wrong_order_stay_on_their_consonant() -> None:
    assert all(word[0] not in MARKS for word in engine.words("นํ้าใจที่่ดีี"))


def test_an_unknown_style_is_refused_with_those_that_exist() -> None:
    with pytest.raises(InputError, match=r"style 'poetry'.*auto, general, best, ud, social"):
        load_segmenter("phasa", style="poetry")


def test_a_style_once_chosen_is_the_style_of_every_part() -> None:
    auto = Pointwise(MODEL)
    text = "วันนี้อากาศดีมาก เราไปเที่ยวทะเลกัน\n" * 50
    fixed = auto.with_style(auto.style_for(text))
    assert fixed.starts(text).tolist() == auto.starts(text).tolist()
    assert fixed.style_for("อะไรก็ได้") == auto.style_for(text)


def test_an_engine_can_be_sent_to_another_process() -> None:
    copy = pickle.loads(pickle.dumps(Pointwise(MODEL, "best")))
    assert copy.words("ภาษาไทย") == ["ภาษา", "ไทย"]


def test_the_card_names_the_training_data() -> None:
    corpora = MODEL.card["corpora"]
    assert set(corpora) == {"best", "ud", "social"}
    assert "CC BY-NC-SA" in corpora["best"]["licence"]
    for file in (model_file("th"), model_file("th", "free")):
        page = file.with_suffix(".md").read_text(encoding="utf-8")
        assert page == card_page(file.name, read_model(file).card)


def test_no_line_of_the_test_sets_was_learned() -> None:
    assert "wisesight-160.seg" in MODEL.card["kept_back"]
    assert MODEL.card["corpora"]["social"]["left_out"] == 80


HARD = {
    "one vowel": "า" * 333_000,
    "tone marks": "่" * 333_000,
    "one consonant": "ก" * 333_000,
    "no blank": "ภาษาไทยง่ายมากกว่าที่คิด" * 14_000,
    "emoji with joiners": "👨‍👩‍👧‍👦" * 40_000,
    "lone surrogates": "\ud800ก" * 160_000,
    "NUL": "\x00" * 1_000_000,
    "blanks": " " * 1_000_000,
    "line ends": "\n" * 1_000_000,
    "addresses": "http://a.th/b " * 70_000,
    "at signs": "a@" * 500_000,
    "dots and letters": "a." * 500_000 + "@",
}


@pytest.mark.parametrize("kind", HARD)
def test_a_megabyte_of_anything_takes_time_in_proportion(kind: str) -> None:
    text = HARD[kind]
    small = text[: len(text) // 16]
    engine.starts(small)
    begun = time.process_time()
    engine.starts(small)
    small_time = time.process_time() - begun
    begun = time.process_time()
    starts = engine.starts(text)
    whole_time = time.process_time() - begun
    assert whole_time < 16 * 6 * max(small_time, 0.01)  # quadratic work would be 16 times that ratio
    assert starts[0] == 0
    assert "".join(engine.words(small)) == small
