"""Learning to judge blocks: labels from gold, boosted trees, the benchmarks' own metrics."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.overview.pages import article, news_page

from phasa.errors import InputError
from phasa.overview.extract.features import FEATURES
from phasa.overview.extract.judged import WEIGHTS
from phasa.overview.extract.scorer import Trees, load_trees
from phasa.overview.learn.__main__ import cross_validate, train
from phasa.overview.learn.benchmarks import Page, read_benchmarks, score_all, score_fragments, score_shingles
from phasa.overview.learn.boost import Settings, fit, joined
from phasa.overview.learn.labels import Example, make_example


def example(number: int, **gold: object) -> Example:
    random = Random(number)
    paragraphs = article(random)
    body = news_page(random, paragraphs, f"Title {number}").encode()
    kept = gold or {"gold": "\n".join([f"Title {number}", *paragraphs])}
    return make_example(Page("set", str(number), str(number), body, **kept))  # type: ignore[arg-type]


def test_blocks_of_the_gold_are_content_and_the_rest_is_not() -> None:
    one = example(1)
    said = dict(zip(one.layout.texts, one.y.tolist(), strict=True))
    assert said["Title 1"] == 1.0
    assert said["Section 0\n" + "\n".join(f"Section {n}" for n in range(1, 12))] == 0.0
    assert sum(said.values()) == 7
    assert one.X.shape == (len(FEATURES), len(one.layout.texts))


def test_of_fragments_only_the_blocks_that_hold_one_are_labelled() -> None:
    paragraphs = article(Random(2))
    one = example(2, must=(paragraphs[0][:40],), must_not=("Powered by Press",))
    labelled = [text for text, weight in zip(one.layout.texts, one.w, strict=True) if weight]
    assert labelled[0] == paragraphs[0]
    assert len(labelled) == 2


def test_trees_learn_what_the_labels_say_and_learn_it_again() -> None:
    examples = [example(number) for number in range(12)]
    first, second = train(examples[:8]), train(examples[:8])
    assert np.array_equal(first.to_array(), second.to_array())
    right = sum(int(((first.judge(one.X) > 0.5) == one.y).sum()) for one in examples[8:])
    assert right > 0.95 * sum(len(one.y) for one in examples[8:])
    assert cross_validate(examples)["set"].f > 0.95


@given(st.integers(1, 40), st.integers(0, 5))
@settings(max_examples=20, deadline=None)
def test_trees_written_and_read_again_judge_alike(columns: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    X = random.normal(size=(6, 60)).astype(np.float32)
    y = (X[0] + X[1] > 0).astype(np.float64)
    trees = fit(X, y, np.ones(60), Settings(trees=5, depth=3))
    again = Trees.from_array(trees.to_array())
    probe = random.normal(size=(6, columns)).astype(np.float32)
    assert np.allclose(trees.judge(probe), again.judge(probe))


def test_joined_trees_say_what_they_say_on_average() -> None:
    random = np.random.default_rng(3)
    X = random.random((6, 40)).astype(np.float32)
    y = (X[0] > 0.5).astype(np.float64)
    parts = [fit(X, y, np.ones(40), Settings(trees=5, seed=seed)) for seed in (1, 2)]
    odds = [np.log(chance / (1 - chance)) for chance in (part.judge(X) for part in parts)]
    chances = joined(parts).judge(X)
    assert np.allclose(np.log(chances / (1 - chances)), sum(odds) / 2, atol=1e-3)


def test_judging_many_blocks_in_parts_is_judging_them_at_once() -> None:
    trees = load_trees(WEIGHTS)
    X = np.random.default_rng(1).normal(size=(len(FEATURES), 2500)).astype(np.float32)
    singly = np.concatenate([trees.judge(X[:, at : at + 1]) for at in range(0, 2500, 125)])
    assert np.allclose(trees.judge(X)[::125], singly, atol=1e-6)


@given(st.integers(1, 7), st.integers(1, 5), st.integers(0, 40), st.integers(0, 99))
@settings(max_examples=60)
def test_trees_judged_in_pairs_say_what_they_say_one_by_one(trees: int, depth: int, columns: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    made = Trees(
        random.integers(0, 3, (trees, depth)),
        random.integers(0, 4, (trees, depth)).astype(np.float32),  # several trees ask the same question
        random.random((trees, 1 << depth)).astype(np.float32),
        -0.5,
    )
    X = random.integers(0, 6, (3, columns)).astype(np.float32)
    scores = [
        made.base
        + sum(
            leaf[int("".join(str(int(column[at] > bound)) for at, bound in zip(asked, bounds, strict=True)), 2)]
            for asked, bounds, leaf in zip(made.feature, made.threshold, made.leaf, strict=True)
        )
        for column in X.T
    ]
    assert np.allclose(made.judge(X), 1.0 / (1.0 + np.exp(-np.array(scores))), atol=1e-5)


def test_the_shipped_weights_fit_the_features() -> None:
    assert load_trees(WEIGHTS).feature.max() < len(FEATURES)


def test_fragments_are_counted_over_all_pages_whatever_the_blanks() -> None:
    page = Page("t", "p", "p", b"", must=("a  b", "c d"), must_not=("menu",))
    assert score_fragments([(page, "a b and\nc d")]) == (1.0, 1.0, 1.0)
    assert score_fragments([(page, "a b and menu")]) == (0.5, 0.5, 0.5)


def test_shingles_are_words_or_where_there_are_no_blanks_characters() -> None:
    spaced, thai = Page("s", "p", "p", b"", "one two three four five"), Page("s", "q", "q", b"", "แม่น้ำเจ้าพระยา")
    assert score_shingles([(spaced, "one two three four five")]).f == 1.0
    assert score_shingles([(spaced, "five four three two one")]).f == 0.0
    assert score_shingles([(thai, "แม่น้ำ เจ้าพระยา")]).f == 1.0
    assert set(score_all([(spaced, ""), (thai, "")])) == {"s"}


def test_benchmarks_are_read_from_their_archives_and_absence_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no extraction benchmark"):
        read_benchmarks(tmp_path)
    folder = tmp_path / "extract-aeb"
    folder.mkdir()
    body = b"<p>text"
    with tarfile.open(folder / "html.tar.xz", "w:xz") as archive:
        member = tarfile.TarInfo("x.html")
        member.size = len(body)
        archive.addfile(member, io.BytesIO(body))
    (folder / "ground-truth.json").write_text(json.dumps({"x": {"articleBody": "text"}}))
    assert read_benchmarks(tmp_path) == [Page("aeb", "x", "x", body, "text")]
