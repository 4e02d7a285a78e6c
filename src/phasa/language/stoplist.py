"""Building the stop-word list of the Persian cascade (Persian specification §4.2), with a count per step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class Step(NamedTuple):
    """One step of the build and how many words were left after it."""

    name: str
    words: int


class StopList(NamedTuple):
    """The finished list, most frequent first, and how it came about."""

    words: tuple[str, ...]
    steps: tuple[Step, ...]


def build_stop_list(
    candidates: Sequence[str],
    neighbour_stop_words: Iterable[str],
    wanted: Sequence[str],
    unwanted: Sequence[str],
    tokens: Callable[[str], Sequence[str]],
    *,
    fewest: int = 5,
    largest: int = 200,
) -> StopList:
    """From frequent words to a list that only hits in the wanted language.

    candidates: frequent words to start from. wanted / unwanted: texts of the language, and of its neighbour (Arabic).
    Words in fewer than `fewest` wanted texts go; then those the neighbour has as stop words; then, round after round,
    every word by which an unwanted text is still hit; at last all but the `largest` most frequent.
    """
    frequency: Counter[str] = Counter()
    for text in wanted:
        frequency.update(set(tokens(text)))
    kept = {word for word in candidates if frequency[word] >= fewest}
    steps = [Step("candidates", len(set(candidates))), Step(f"in at least {fewest} texts", len(kept))]
    kept -= {token for word in neighbour_stop_words for token in tokens(word)}
    steps.append(Step("without the neighbour's stop words", len(kept)))
    seen = [set(tokens(text)) for text in unwanted]
    round_number = 0
    while guilty := {word for words in seen for word in words & kept}:
        round_number += 1
        kept -= guilty
        steps.append(Step(f"purge {round_number}: without words that hit the neighbour's texts", len(kept)))
    ranked = sorted(kept, key=lambda word: (-frequency[word], word))[:largest]
    steps.append(Step(f"the {largest} most frequent", len(ranked)))
    return StopList(tuple(ranked), tuple(steps))


ALSO_ARABIC = (
    "بر مورد روی سر نفر باز بار طور ولی تولید سیاسی عمومی مرکزی جریان مربوط وارد تعداد دوران زمانی جمهوری توجه انقلاب"
    " اسلامی اساس افراد اعلام اغلب نسبت صورت معاویه سال"
)
"""Words of the list that a reader found to be Arabic words as well (§4.2, step 4: «بر الوالدين من أعظم القربات»)."""


@cache
def cascade_words() -> frozenset[str]:
    """The list shipped for the Persian cascade."""
    text = (files("phasa.language") / "data" / "stop-fa-cascade.txt").read_text(encoding="utf-8")
    return frozenset(line for line in text.splitlines() if line and not line.startswith("#"))
