from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.crawl.judge import Judgement
from phasa.crawl.learn.features import (
    PathMemory,
    Traits,
    anchor_values,
    domain_values,
    link_features,
    path_after,
    read_note,
    seed_features,
    write_notes,
)
from phasa.crawl.strategy import JudgedPage, OutLinks, Seed
from phasa.crawl.target import Target


def thai_share(text: str) -> float:
    letters = [c for c in text if c.isalpha()]
    return sum("ก" <= c <= "๛" for c in letters) / len(letters) if letters else 0.0


AIM = Target("th", frozenset({"th"}), frozenset({"TH"}), thai_share)


def test_the_path_falls_to_zero_at_once_after_another_language() -> None:
    path, seen = 0, []
    for wanted in (True, True, False, True):
        path = path_after(wanted, path)
        seen.append(path)
    assert seen == [1, 2, 0, 1]


def test_the_domain_is_the_last_label_only() -> None:
    urls = [
        "http://www.ku.ac.th/",
        "http://thai.com/",
        "http://th.example.org/",
        "http://a.th:8080/x",
        "http://1.2.3.4/",
    ]
    assert domain_values(urls, AIM).tolist() == [1, 0, 0, 1, 0]


def test_anchors_are_measured_and_an_empty_one_is_nothing() -> None:
    links = OutLinks(["http://a/", "http://b/", "http://c/"], ["ข่าว", "news", ""])
    assert anchor_values(links, AIM).tolist() == [1, 0, 0]


def test_anchors_that_are_already_measured_are_not_measured_again() -> None:
    links = OutLinks(["http://a/"], ["news"], similarity=np.array([0.25]))
    assert anchor_values(links, AIM).tolist() == [0.25]


def test_all_four_features_of_a_link() -> None:
    page = JudgedPage("http://p.com/", Judgement(True, 0.55), OutLinks(["http://q.th/"], ["ข่าว"]))
    assert link_features(page, np.array([1.0]), AIM)[0].tolist() == [0.55, 1, 1, math.log(2)]


def test_seeds_carry_the_values_of_their_list() -> None:
    features, paths = seed_features([Seed("http://news.mthai.com", 0.55, 1, 0, 0.69), Seed("http://ku.ac.th")], AIM)
    assert features.tolist() == [[0.55, 1, 0, 0.69], [0, 0, 1, 0]]
    assert paths.tolist() == [1, 0]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.booleans(), st.integers(0, 60000)), min_size=1))
def test_notes_give_back_what_they_were_given(rows: list[tuple[float, float, bool, int]]) -> None:
    paths = np.array([row[3] for row in rows], dtype=float)
    features = np.array([[a, b, float(c), math.log1p(d)] for a, b, c, d in rows])
    for note, row, path in zip(write_notes(features, paths), features.tolist(), paths, strict=True):
        traits = read_note(note)
        assert traits[:4] == pytest.approx(row, rel=1e-6, abs=1e-6)
        assert traits.path == path


def test_a_foreign_note_is_no_trouble() -> None:
    assert read_note(b"junk") == Traits()


def test_a_second_longer_path_raises_the_first() -> None:
    memory = PathMemory()
    assert memory.update(["http://q/"], True, 0).tolist() == [1]
    assert memory.update(["http://q/"], True, 4).tolist() == [5]
    assert memory.update(["http://q/"], False, 9).tolist() == [5]


def test_strict_mode_asks_the_source_with_the_longest_path_for_its_language() -> None:
    memory = PathMemory(strict=True)
    memory.update(["http://q/"], True, 0)
    assert memory.update(["http://q/"], False, 9).tolist() == [0]


def test_figure_16() -> None:
    memory = PathMemory()
    for wanted, path in ((True, 2), (True, 0), (False, 0)):
        value = memory.update(["http://q/"], wanted, path)
    assert value.tolist() == [3]


def test_the_memory_is_bounded() -> None:
    memory = PathMemory(limit=10)
    memory.update([f"http://{i}/" for i in range(50)], True, 3)
    assert memory.update(["http://0/"], False, 0).tolist() == [0]
    assert memory.update(["http://49/"], False, 0).tolist() == [4]
