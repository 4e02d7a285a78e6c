"""What every engine owes its caller."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.errors import InputError
from phasa.language.segmenters import ENGINES, data_file, engine_for, load_segmenter, model_file, segmenter_for
from phasa.language.segmenters.characters import FOLLOWING_VOWELS
from phasa.language.segmenters.cuts import pieces
from phasa.language.segmenters.lattice import Maximal, Unigram
from phasa.language.segmenters.parallel import separate_all

texts = st.text(alphabet=st.sampled_from("กาเ่ำ ปลตมวab1.😀‍\n\r\x00\ud800ກາកាကျ်"), max_size=50)


@pytest.mark.parametrize("name", ENGINES)
@given(text=texts)
def test_every_engine_gives_the_text_back(name: str, text: str) -> None:
    engine = load_segmenter(name)
    spans = engine.segment(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)


@pytest.mark.parametrize("style", ["auto", "general"])
@given(several=st.lists(texts, max_size=5))
def test_many_texts_together_are_cut_as_each_alone(style: str, several: list[str]) -> None:
    engine = load_segmenter("phasa", style=style)
    assert engine.words_of_each(several) == [engine.words(text) for text in several]


@pytest.mark.parametrize("name", [name for name in ENGINES if name != "longest-first"])
@given(text=texts)
def test_no_engine_but_that_of_the_thesis_cuts_before_a_mark(name: str, text: str) -> None:
    for start, _ in load_segmenter(name).segment(text)[1:]:
        assert text[start] not in FOLLOWING_VOWELS + "်่\u200d" or text[start - 1] in "\n\r"


def test_an_unknown_engine_is_refused_with_those_that_exist() -> None:
    with pytest.raises(InputError, match=r"engine 'magic'.*lexto"):
        load_segmenter("magic")


def test_a_language_without_a_word_list_is_refused_for_matching() -> None:
    with pytest.raises(InputError, match="no word list is shipped"):
        load_segmenter("lexto", "xx")


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("th", "ภาษาไทย", ["ภาษา", "ไทย"]),
        ("th-TH", "ภาษาไทย", ["ภาษา", "ไทย"]),
        ("lo", "ພາສາລາວ", ["ພາ", "ສາ", "ລາວ"]),
        ("km", "ភាសាខ្មែរ", ["ភា", "សា", "ខ្មែរ"]),
        ("my", "မြန်မာဘာသာ", ["မြန်", "မာ", "ဘာ", "သာ"]),
        ("fa", "می‌روم خانه", ["می‌روم", " ", "خانه"]),
        ("en", "It's ok", ["It's", " ", "ok"]),
    ],
)
def test_each_language_gets_its_engine(language: str, text: str, words: list[str]) -> None:
    assert segmenter_for(language).words(text) == words


def test_maximal_takes_the_fewest_words() -> None:
    assert Maximal(["ตา", "กลม", "ตาก", "ลม", "ตากลม"]).words("ตากลม") == ["ตากลม"]
    fewest = Maximal(["มา", "กก", "มาก", "กว่า", "ว่า"]).words("มากกว่า")
    assert fewest == ["มาก", "กว่า"]


def test_maximal_keeps_an_unknown_run_together() -> None:
    assert Maximal(["ปลา"]).words("ปลาฮฮฮปลา") == ["ปลา", "ฮฮฮ", "ปลา"]


def test_unigram_takes_the_likelier_way() -> None:
    assert Unigram({"ตา": 10, "กลม": 10, "ตาก": 1000, "ลม": 1000}).words("ตากลม") == ["ตาก", "ลม"]
    assert Unigram({"ตา": 1000, "กลม": 1000, "ตาก": 10, "ลม": 10}).words("ตากลม") == ["ตา", "กลม"]


def test_unigram_needs_counts() -> None:
    with pytest.raises(InputError, match="no counts"):
        Unigram({"ตา": 0})


@given(st.text(alphabet="กข \n", max_size=60), st.integers(1, 10))
def test_pieces_are_the_text_cut_at_line_ends(text: str, size: int) -> None:
    cut = list(pieces(text, size))
    assert "".join(cut) == text
    assert all(piece.endswith("\n") for piece in cut[:-1])


@pytest.mark.parametrize("name", ["phasa", "longest-first", "lexto"])
def test_parallel_equals_sequential(name: str) -> None:
    text = "".join(f"บรรทัดที่ {i} ภาษาไทยง่ายมาก สวัสดีค่ะ 555\n" for i in range(3000))
    engine = load_segmenter(name)
    parts = list(pieces(text, 40_000))
    alone = "".join(separate_all(engine, [text]))
    assert "".join(separate_all(engine, parts, workers=3)) == alone
    assert "".join(separate_all(engine, parts)) == alone


@given(texts)
def test_the_free_model_loses_nothing_either(text: str) -> None:
    assert "".join(load_segmenter("phasa", model="free").words(text)) == text


def test_the_free_model_is_another_one_and_no_larger() -> None:
    free, default = model_file("th", "free"), model_file("th")
    assert free != default
    assert free.stat().st_size <= default.stat().st_size
    assert segmenter_for("th-TH", "free").words("ภาษาไทยง่ายมาก") == ["ภาษา", "ไทย", "ง่าย", "มาก"]


def test_a_model_that_is_not_shipped_is_refused_and_any_other_name_is_a_file() -> None:
    with pytest.raises(InputError, match="no model 'free' is shipped for 'lo'"):
        load_segmenter("phasa", "lo", model="free")
    assert model_file("th", "mine.zst").name == "mine.zst"


@pytest.mark.parametrize(
    ("language", "engine", "file"),
    [("th", "phasa", "model-th.zst"), ("lo-LA", "syllables", None), ("fa", "spaced", None)],
)
def test_each_language_has_an_engine_and_the_engine_its_file(language: str, engine: str, file: str | None) -> None:
    assert engine_for(language) == engine
    found = data_file(engine, language)
    assert (found.name if found else None) == file


def test_engines_that_match_words_go_by_the_shipped_list_or_the_one_given(tmp_path: Path) -> None:
    for name, file in (("lexto", "words-th.txt.zst"), ("unigram", "frequencies-th.zst")):
        found = data_file(name)
        assert found is not None
        assert found.name == file
        assert found.exists()
        assert data_file(name, lexicon=tmp_path) == tmp_path
