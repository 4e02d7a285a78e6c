"""Shingles, their similarity and their keys, next to the plain sets that they stand for."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from phasa.corpus.shingles import BANDS, MOST, WORDS, jaccard, keys_of, shingles

TEXTS = st.lists(st.sampled_from("abcdefgh"), max_size=60)


def plain(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + WORDS]) for at in range(max(len(words) - WORDS + 1, 1))} if words else set()


@given(TEXTS, TEXTS)
def test_the_similarity_is_that_of_the_plain_sets(one: list[str], other: list[str]) -> None:
    sets = plain(one), plain(other)
    expected = len(sets[0] & sets[1]) / len(sets[0] | sets[1]) if sets[0] and sets[1] else 0.0
    assert jaccard(shingles(one), shingles(other)) == expected


@given(TEXTS)
def test_hashes_ascend_and_stand_once(words: list[str]) -> None:
    found = shingles(words)
    assert np.array_equal(found, np.unique(found))
    assert len(found) == len(plain(words))


def test_long_documents_are_compared_by_a_fair_sample() -> None:
    rng = random.Random(1)
    words = [str(rng.randrange(10**6)) for _ in range(40_000)]
    changed = [word if rng.random() > 0.02 else "x" for word in words]
    sets = plain(words), plain(changed)
    expected = len(sets[0] & sets[1]) / len(sets[0] | sets[1])
    assert len(shingles(words)) == MOST
    assert abs(jaccard(shingles(words), shingles(changed)) - expected) < 0.02


def test_documents_that_are_alike_share_a_key_and_others_do_not() -> None:
    rng = random.Random(2)
    found = missed = chance = 0
    for _ in range(200):
        words = [str(rng.randrange(10**6)) for _ in range(300)]
        near = [word if rng.random() > 0.02 else "x" for word in words]
        other = [str(rng.randrange(10**6)) for _ in range(300)]
        keys = keys_of([shingles(text) for text in (words, near, other)])
        assert keys.shape == (3, BANDS)
        if jaccard(shingles(words), shingles(near)) >= 0.8:
            found += bool((keys[0] == keys[1]).any())
            missed += not (keys[0] == keys[1]).any()
        chance += bool((keys[0] == keys[2]).any())
    assert found > 50
    assert missed <= 0.02 * found
    assert chance == 0


def test_the_keys_are_those_of_the_kept_indexes() -> None:
    """An index of an earlier month is only of use while the keys stay the same: this changes when they do."""
    (keys,) = keys_of([shingles([f"word{n}" for n in range(50)])])
    assert keys[:2].tolist() == KEYS
    assert [key & 31 for key in keys.tolist()] == list(range(BANDS))


KEYS = [14121370554742671552, 15142632944676259169]
