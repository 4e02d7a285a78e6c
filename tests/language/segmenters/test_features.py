"""What the model sees: fast sums against the sum of single weights, known words against a search in a set."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from phasa.language.segmenters.features import BUNDLES, GROUP, REACH, SINGLES, all_slots, view_of
from phasa.language.segmenters.known import FREQUENT, LISTED, LONGEST, KnownWords, Nearby, known_words, nearby
from phasa.language.segmenters.model import Model, sparse
from phasa.language.segmenters.pointwise import Pointwise, views
from phasa.language.segmenters.units import HALO, SPREAD, Spread, spread_out, stretch_of

WORDS = ["ตา", "ตาก", "กลม", "ลม", "มาก", "ที่", "ที่นี่", "ประชาธิปไตย", "คณะรัฐมนตรี", "รัฐมนตรี"]
BITS = 14
lines = st.text(alphabet=st.sampled_from("ตากลมที่น ประชธิปไตยคณรัฐี.a1"), max_size=40)
texts = st.lists(lines | st.lists(st.sampled_from(WORDS)).map("".join), max_size=5).map("\n".join)


def whole(spread: Spread) -> tuple[int, int]:
    return HALO, len(spread.starts) - 1 - HALO


def model(words: KnownWords, margin: int) -> Model:
    weights = np.random.default_rng(7).integers(-100, 100, 1 << BITS).astype(np.int8)
    return Model(
        BITS,
        weights,
        {"one": sparse(np.zeros(0, dtype=np.int8))},
        words,
        margin,
        np.zeros((1, 1 << 16), np.int8),
        ("one",),
    )


@given(texts)
def test_the_fast_sums_are_the_sums_of_the_weights_of_all_templates(text: str) -> None:
    every = model(known_words([(FREQUENT, WORDS)]), 32_767)
    spread = spread_out(text)
    plain = [
        every.shared.take(all_slots(view, places, BITS)).sum(axis=0, dtype=np.int64)
        for view, places, _ in views(spread, every.words)
    ]
    fast = Pointwise(every, "one").sums(spread, every.shared)
    assert fast.tolist() == np.concatenate([np.zeros(0, np.int64), *plain]).tolist()


@given(texts)
def test_a_text_cut_into_blocks_is_seen_as_one(text: str) -> None:
    words = known_words([(FREQUENT, WORDS)])
    spread = spread_out(text)
    first, end = whole(spread)
    alone = view_of(stretch_of(spread, first, end), words)
    for middle in range(first + 1, end, 5):
        for begin, stop in ((first, middle), (middle, end)):
            part = view_of(stretch_of(spread, begin, stop), words)
            places = np.arange(HALO, HALO + part.size)
            assert np.array_equal(all_slots(part, places, BITS), all_slots(alone, places + begin - first, BITS))


def plain_nearby(units: list[str], known: dict[str, int]) -> list[tuple[int, int, int, int]]:
    """For each unit: length and flag of the longest known word that begins there, of the longest that ends there."""
    found = []
    for place in range(len(units)):
        ahead = [
            n for n in range(LONGEST, 0, -1) if "".join(units[place : place + n]) in known and place + n <= len(units)
        ]
        back = [n for n in range(LONGEST, 0, -1) if n <= place and "".join(units[place - n : place]) in known]
        following, last = (ahead or [0])[0], (back or [0])[0]
        found.append(
            (
                following,
                known.get("".join(units[place : place + following]), 0),
                last,
                known.get("".join(units[place - last : place]), 0),
            )
        )
    return found


def seen(text: str, words: KnownWords) -> tuple[Nearby, list[str]]:
    spread = spread_out(text)
    first, end = whole(spread)
    stretch = stretch_of(spread, first, end)
    view = view_of(stretch, words)
    padded = "\n" * HALO + text.replace("\n", "\n" * SPREAD) + "\n" * HALO
    starts = spread.starts.tolist()
    return nearby(view.grams, stretch.ends, words), [padded[a:b] for a, b in pairwise(starts)]


@given(texts)
def test_the_longest_known_words_around_each_place_are_found(text: str) -> None:
    listed = WORDS[:6]
    known = {word: FREQUENT | (LISTED if word in listed else 0) for word in WORDS}
    near, units = seen(text, known_words([(FREQUENT, WORDS), (LISTED, listed)]))
    ours = zip(near.next >> 3, near.next & 3, near.last >> 3, near.last & 3, strict=True)
    assert [tuple(map(int, row)) for row in ours] == plain_nearby(units, known)


@given(texts)
def test_reach_is_how_far_known_words_go_across_a_place(text: str) -> None:
    near, _ = seen(text, known_words([(FREQUENT, WORDS)]))
    lengths = (near.next >> 3).tolist()
    for place in range(len(lengths)):
        across = [start + lengths[start] - place for start in range(max(0, place - LONGEST), place)]
        assert int(near.reach_right[place]) == max(0, *across, 0)


def test_bundles_fit_their_groups_and_windows_their_line_ends() -> None:
    assert all(len(bundle.offsets) <= GROUP for bundle in BUNDLES)
    assert all(offset >= -REACH and offset + bundle.size <= REACH for bundle in BUNDLES for offset in bundle.offsets)
    assert REACH < SPREAD < HALO
    assert SINGLES == 25
