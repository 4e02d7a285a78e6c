"""Near duplicates: what is found, what is not, and that the index finds what a full comparison finds."""

from __future__ import annotations

import random
from pathlib import Path
from zlib import crc32

from hypothesis import given
from hypothesis import strategies as st

from phasa.archive.duplicates import DISTANCE, NearDuplicates, distance, simhash

MASK = (1 << 64) - 1


def mix(value: int) -> int:
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK
    return value ^ value >> 31


def plain_simhash(words: list[str]) -> int:
    """The same formula, bit by bit."""
    hashes = [mix(crc32(word.encode("utf-8", "surrogatepass"))) for word in words]
    width = min(3, len(words))
    votes = [0] * 64
    count = len(words) - width + 1
    for start in range(count):
        shingle = 0
        for value in hashes[start : start + width]:
            shingle = mix((shingle * 0x9E3779B97F4A7C15 + value) & MASK)
        for bit in range(64):
            votes[bit] += shingle >> bit & 1
    return sum(1 << bit for bit in range(64) if votes[bit] * 2 > count)


@given(st.lists(st.text(max_size=5), min_size=1, max_size=40))
def test_simhash_equals_its_plain_form(words: list[str]) -> None:
    assert simhash(words) == plain_simhash(words)


def article(seed: int, length: int = 600) -> list[str]:
    rng = random.Random(seed)
    return [f"w{int(5000 * rng.random() ** 3)}" for _ in range(length)]


def test_a_changed_date_line_is_a_near_duplicate_and_another_article_is_not() -> None:
    known = NearDuplicates()
    assert known.seen("one", article(1)) is None
    near = known.seen("two", [*article(1), "printed", "today"])
    assert near is not None
    assert near.name == "one"
    assert all(known.seen(str(seed), article(seed)) is None for seed in range(2, 60))


def test_the_index_finds_what_comparing_with_all_finds(tmp_path: Path) -> None:
    rng = random.Random(7)
    known = NearDuplicates(tmp_path / "near.db")
    hashes: list[int] = []
    for number in range(400):
        if hashes and rng.random() < 0.5:
            value = rng.choice(hashes)
            for _ in range(rng.randrange(6)):
                value ^= 1 << rng.randrange(64)
        else:
            value = rng.getrandbits(64)
        expected = min((distance(value, other) for other in hashes), default=99)
        found = known.find(value)
        assert (found.distance if found else None) == (expected if expected <= DISTANCE else None)
        known.add(str(number), value)
        hashes.append(value)
    known.close()
    again = NearDuplicates(tmp_path / "near.db")
    assert again.find(hashes[0]) is not None


def test_no_words_is_defined() -> None:
    assert simhash([]) == 0
    assert simhash(["\ud800"]) == plain_simhash(["\ud800"])
