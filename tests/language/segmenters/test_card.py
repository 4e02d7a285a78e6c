"""The card: what was learned from, and what was not."""

from __future__ import annotations

from pathlib import Path

import pytest

from phasa.errors import InputError
from phasa.language.segmenters.card import WordLists, card_of, card_page, read_corpora
from phasa.language.segmenters.train import Recipe


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    texts = {"a.seg": "แมว|กิน|ปลา\nแมว| |นอน\n", "b.seg": "ปลา|นอน\n", "test.seg": "แมวกิน|ปลา\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return {name: tmp_path / name for name in texts}


def test_a_text_that_is_kept_for_testing_is_not_learned_however_it_is_cut(files: dict[str, Path]) -> None:
    (corpus,) = read_corpora({"best": [files["a.seg"], files["b.seg"]]}, [files["test.seg"]], {})
    assert corpus.lines == (["แมว", " ", "นอน"], ["ปลา", "นอน"])
    assert corpus.left_out == 1


def test_the_page_names_files_counts_licences_and_the_command(files: dict[str, Path]) -> None:
    corpora = read_corpora({"best": [files["a.seg"]]}, [files["test.seg"]], {"best": "CC0-1.0"})
    page = card_page("m.zst", card_of(corpora, Recipe(), [files["test.seg"]], WordLists("words-th"), "Not for sale."))
    assert "| best | a.seg | 1 | 2 | 1 | CC0-1.0 |" in page
    assert 'phasa segment train -o m.zst best=a.seg --without test.seg --licence "best=CC0-1.0"' in page
    assert "Not for sale." in page
    assert "Known words: words-th, and words seen" in page


def test_the_page_names_the_frequencies_that_were_used(files: dict[str, Path]) -> None:
    corpora = read_corpora({"best": [files["a.seg"]]}, [], {})
    page = card_page("m.zst", card_of(corpora, Recipe(), [], WordLists("words-th", "counts.lex"), ""))
    assert "Known words: words-th, those counted 50 times in counts.lex, and words seen" in page
    assert "--frequencies counts.lex --repeats 8" in page


def test_a_licence_for_a_style_without_a_corpus_is_refused(files: dict[str, Path]) -> None:
    with pytest.raises(InputError, match="licence of 'ud'"):
        read_corpora({"best": [files["a.seg"]]}, [], {"ud": "CC0-1.0"})
