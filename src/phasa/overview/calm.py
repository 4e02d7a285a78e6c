"""The default look of a cloud: the size of a word says its rank, one hue says it again; the control changes neither.

Both depend on the rank among all words and not on what is shown, so a word stays as it is when others come or go.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from phasa.overview.keywords import Keyword

STEPS: Final = (5, 10, 15, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 700, 1000)
"""Numbers of words that the control offers, as far as there are so many."""


class Size(NamedTuple):
    """How words down to a rank look: pixels on a desk and on a phone, weight of the font, tone of `TONES`."""

    down_to: int
    px: float
    phone_px: float
    font_weight: int
    tone: int


SIZES: Final = (
    Size(1, 50, 34, 750, 1),
    Size(3, 43, 30, 700, 1),
    Size(6, 37, 27, 650, 1),
    Size(10, 32, 24, 600, 2),
    Size(15, 28, 22, 600, 2),
    Size(22, 25, 20, 550, 3),
    Size(32, 22, 18, 500, 3),
    Size(48, 19.5, 16.5, 500, 4),
    Size(80, 17.5, 15.5, 450, 4),
    Size(160, 16, 14.5, 400, 5),
    Size(10**9, 15, 14, 400, 5),
)
TONES: Final = {
    "light": ("#0a3a5e", "#14568c", "#27668f", "#47637a", "#586774"),
    "dark": ("#e2f1ff", "#b5dafb", "#93c4ee", "#a0b7cb", "#9faab5"),
}
"""From the heaviest words to the lightest; every tone is readable (WCAG AA) on the papers of `cloud.css`."""


def sizes_of(keywords: Sequence[Keyword]) -> list[int]:
    """The number 1… of each keyword's size; equal weights have the same, that of the middle of their ranks."""
    order = sorted(range(len(keywords)), key=lambda place: -keywords[place].weight)
    out = [0] * len(keywords)
    begins = [at for at in range(len(order)) if not at or keywords[order[at]].weight < keywords[order[at - 1]].weight]
    for begin, end in pairwise([*begins, len(order)]):
        rank = (begin + 1 + end) // 2
        size = next(number for number, size in enumerate(SIZES, 1) if rank <= size.down_to)
        for place in order[begin:end]:
            out[place] = size
    return out


def by_weight(keywords: Sequence[Keyword]) -> list[int]:
    """The places of the keywords, heaviest first; of equal weights the earlier first."""
    return sorted(range(len(keywords)), key=lambda place: (-keywords[place].weight, place))


def steps_of(number: int, shown: int) -> list[int]:
    """The numbers of words that the control offers for `number` keywords, `shown` among them; one at least."""
    return sorted({step for step in (*STEPS, shown, min(number, STEPS[-1])) if 0 < step <= number} or {number})


def style_sheet() -> str:
    """The CSS of the classes `.w1` … and of their tones."""
    light, dark = (" ".join(f"--t{n}: {tone};" for n, tone in enumerate(TONES[name], 1)) for name in ("light", "dark"))
    rules = [
        f".overview {{ {light} }}",
        f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) .overview {{ {dark} }} }}",
        f":root[data-theme=dark] .overview {{ {dark} }}",
        f"@media print {{ :root .overview.overview {{ {light} }} }}",
    ]
    for number, size in enumerate(SIZES, 1):
        rules.append(
            f".w{number} {{ --size: {size.px}px; font-weight: {size.font_weight}; color: var(--t{size.tone}); }}"
        )
    phone = " ".join(f".w{number} {{ --size: {size.phone_px}px; }}" for number, size in enumerate(SIZES, 1))
    return "\n".join([*rules, f"@media (max-width: 600px) {{ {phone} }}"])
