"""The census of letters: the form for one text equals the form for many."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from phasa.language.census import take_census
from phasa.language.detectors.auto import Auto
from phasa.language.scripts import SCRIPT_ID
from phasa.language.verdict import Document

TEXTS = st.lists(
    st.text(alphabet="aab é9\nกขیف漢漢かア\x00\ufffd\ud800\U0001f600", max_size=20), min_size=1, max_size=6
)


@given(TEXTS)
def test_a_text_alone_is_counted_as_among_others(texts: list[str]) -> None:
    # Letters that change at a border are not the text's own: a blank before each text keeps the borders quiet.
    texts = [f" {text}" for text in texts]
    together = take_census([*texts, " "])
    for number, text in enumerate(texts):
        alone = take_census([text])
        for column, one in zip(together, alone, strict=True):
            assert one[0].tolist() == column[number].tolist()


def test_letters_are_counted_by_script() -> None:
    census = take_census(["ภาษา ab"])
    assert census.counts[0, SCRIPT_ID["Thai"]] == 4
    assert census.counts[0, SCRIPT_ID["Latn"]] == 2
    assert census.leading.tolist() == [SCRIPT_ID["Thai"]]


@given(TEXTS)
def test_a_page_is_judged_as_a_text_among_others(texts: list[str]) -> None:
    detector = Auto()
    texts = [f" {text}" for text in texts]
    assert [detector.judge(Document(text)) for text in texts] == detector.detect_many([*texts, " "])[:-1]
