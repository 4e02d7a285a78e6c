"""What is measured of a text, next to the plain counts."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.corpus.pages import document

from phasa.corpus.quality import Quality, bounds_of
from phasa.corpus.signals import measure
from phasa.corpus.thresholds import Thresholds, thresholds_for
from phasa.language.profile import load_profile


@given(st.lists(st.sampled_from(["a", "bb", "ccc"]), min_size=1, max_size=40))
def test_repetitions_are_those_of_the_plain_counts(words: list[str]) -> None:
    found = measure(document(" ".join(words), words=words), frozenset())
    total = len(" ".join(words))
    for n in (5, 10):
        seen: set[tuple[str, ...]] = set()
        characters = end = 0
        for at in range(len(words) - n + 1):
            gram = tuple(words[at : at + n])
            if gram in seen and at >= end:
                characters += sum(map(len, gram))
                end = at + n
            seen.add(gram)
        assert found[f"repeated_{n}"] == round(characters / total, 4)
    grams = Counter(tuple(words[at : at + 2]) for at in range(len(words) - 1))
    most = max(grams.values(), default=0)
    shares = {round(most * sum(map(len, gram)) / total, 4) for gram, count in grams.items() if count == most}
    assert found["top_2"] in shares if most > 1 else found["top_2"] == 0.0


def test_lines_words_and_links_are_counted() -> None:
    from phasa.corpus.document import Paragraph

    one = document("• a b", "• a b", "the end.", words=["a", "b", "a", "b", "the", "end", "5"])
    one = type(one)(**{**{name: getattr(one, name) for name in one.__struct_fields__}, "paragraphs": (
        *one.paragraphs[:2], Paragraph("the end.", links=0.5))})  # fmt: skip
    found = measure(one, frozenset(["the", "of"]))
    assert found["words"] == 7
    assert found["letters"] == round(6 / 7, 4)
    assert found["stop_words"] == 1
    assert found["bullets"] == round(2 / 3, 4)
    assert found["repeated_lines"] == round(1 / 3, 4)
    assert found["line_ends"] == round(1 / 3, 4)
    assert found["links"] == round(4 / 18, 4)


def test_marks_of_machines_are_counted() -> None:
    text = "Lorem ipsum dolor {{ user.name }} Fatal error: undefined index"
    assert measure(document(text, words=text.lower().split()), frozenset())["machine"] == 4


@pytest.mark.parametrize("signal", [name for name, _, _ in bounds_of(Thresholds())])
def test_every_bound_drops_with_its_number(signal: str) -> None:
    name, least, most = next(bound for bound in bounds_of(Thresholds(min_line_ends=0.1)) if bound[0] == signal)
    inside = {
        other: (low if high == float("inf") else (low + min(high, 2 * low + 100)) / 2 if low else high / 2)
        for other, low, high in bounds_of(Thresholds(min_line_ends=0.1))
    }
    step = Quality(Thresholds(min_line_ends=0.1))
    assert step([document("x", signals=inside)])[0].drop is None
    outside = most + 1 if most != float("inf") else least - 0.01
    drop = step([document("x", signals=inside | {name: outside})])[0].drop
    assert drop is not None
    assert drop.reason.startswith(name)
    assert drop.numbers[name] == outside


def test_thresholds_are_the_shipped_ones_of_the_language_or_come_from_the_table() -> None:
    thai, origin = thresholds_for(load_profile("th"))
    assert origin == "phasa, thresholds-th.toml"
    assert thai.repeated_ngrams["5"] == 0.555  # official names are long: FineWeb 2's .185 drops a quarter of real news
    assert "ที่" in thai.stop_words
    persian, origin = thresholds_for(load_profile("fa"))
    assert origin == "FineWeb 2, fas_Arab"
    assert persian.max_lines_per_word == 0.15
