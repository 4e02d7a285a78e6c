"""Near duplicates: what is found, what is not, and that the index finds what a full comparison finds."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from phasa.archive.duplicates import DISTANCE, RUN, SHORTEST, NearDuplicates, distance, simhash

MASK = (1 << 64) - 1


def mix(value: int) -> int:
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK
    return value ^ value >> 31


def plain_simhash(text: str) -> int:
    """The same formula, bit by bit."""
    codes = [ord(letter) for letter in text if ord(letter) > 32 and letter not in "0123456789"]
    if len(codes) < SHORTEST:
        return 0
    votes = [0] * 64
    count = len(codes) - RUN + 1
    for start in range(count):
        run = sum(code * 0x9E3779B97F4A7C15 ** (place + 1) for place, code in enumerate(codes[start : start + RUN]))
        value = mix(run & MASK)
        for bit in range(64):
            votes[bit] += value >> bit & 1
    return sum(1 << bit for bit in range(64) if votes[bit] * 2 > count)


@given(st.text(max_size=12), st.integers(1, 60))
def test_simhash_equals_its_plain_form(text: str, times: int) -> None:
    for long in (text * times, text * times + "ข่าววันนี้ " * 30):
        assert simhash(long) == plain_simhash(long)


def article(seed: int, length: int = 600) -> str:
    rng = random.Random(seed)
    return " ".join(
        f"w{chr(97 + int(26 * rng.random()))}{chr(97 + int(26 * rng.random() ** 3))}" for _ in range(length)
    )


def test_a_changed_date_line_is_a_near_duplicate_and_another_article_is_not() -> None:
    known = NearDuplicates()
    assert known.seen("one", article(1)) is None
    near = known.seen("two", article(1) + " printed on 12 May 2026")
    assert near is not None
    assert near.url == "one"
    assert all(known.seen(str(seed), article(seed)) is None for seed in range(2, 60))


def test_days_of_a_calendar_differ_in_digits_only() -> None:
    known = NearDuplicates()
    text = "ปฏิทินกิจกรรมของโรงเรียน " * 20
    assert known.seen("one", text + "12/05/2026") is None
    near = known.seen("two", text + "13/05/2026")
    assert near is not None
    assert near.distance == 0


def test_a_page_does_not_repeat_itself_and_a_short_one_repeats_nothing(tmp_path: Path) -> None:
    known = NearDuplicates(tmp_path / "near.db")
    assert known.seen("one", article(1)) is None
    assert known.seen("one", article(1)) is None
    assert known.seen("short", "404") is None
    assert known.seen("too", "404") is None
    known.close()
    again = NearDuplicates(tmp_path / "near.db")
    near = again.seen("two", article(1))
    assert near is not None
    assert near.url == "one"


def test_two_workers_share_a_file(tmp_path: Path) -> None:
    first, second = (NearDuplicates(tmp_path / "near.db", together=1) for _ in range(2))
    assert first.seen("one", article(1)) is None
    assert second.seen("two", article(1)) is not None
    assert second.seen("three", article(3)) is None
    assert first.seen("four", article(3)) is not None


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


def test_any_text_has_a_hash() -> None:
    assert simhash("") == 0
    assert simhash("\ud800" * 300) == plain_simhash("\ud800" * 300) != 0
