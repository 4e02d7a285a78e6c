"""Making the shipped model: read the labelled sets, mend them, fit the groups, check on lines kept back, write."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from phasa.language.linear import Group, Model, as_bytes, pack
from phasa.language.scripts import SCRIPTS
from phasa.language.training.clean import mend_labels
from phasa.language.training.corpus import NON_COMMERCIAL, SETS, Line, main_script, read_set
from phasa.language.training.fit import Fitted, Shape, fit, matrix_of
from phasa.language.training.packages import interface_lines, word_lines
from phasa.language.training.variants import cut, vary

_REST = tuple(script for script in SCRIPTS[1:] if script not in ("Arab", "Latn"))


class Plan(NamedTuple):
    """One group: its shape, and how long to learn."""

    shape: Shape
    fewest: int  # lines a class must have to be learned
    epochs: int
    rate: float
    levels: int = 63  # values of a weight above and below zero


PLANS = (
    Plan(Shape(("Arab",), bits=18, orders=5, rank=0), fewest=20, epochs=12, rate=0.4, levels=25),
    Plan(Shape(("Latn",), bits=16, orders=4, rank=40), fewest=90, epochs=10, rate=0.15),
    Plan(Shape(_REST, bits=15, orders=4, rank=32), fewest=90, epochs=6, rate=0.15),
)
# Lengths at which a line is seen, one drawn anew in each pass: whole, or cut.
_WHOLE = 100_000
_CUTS = (40, 20)
# A class with n lines weighs n**_BALANCE: between one voice per line (1) and one per class (0).
_BALANCE = 0.8


def read_lines(data: Path, *, seed: int, check: bool = False) -> list[Line]:
    """All lines to learn from, none that may not be used commercially; with `check` without those kept back.

    Same data, same seed, same lines.
    """
    sets = chain.from_iterable(read_set(data, source) for source in SETS)
    lines = [line for line in sets if (line.source, line.label) not in NON_COMMERCIAL]
    lines += interface_lines()
    lines += word_lines(2500, seed)
    if check:
        lines = [line for line in lines if not kept_back(line)]
    arabic = [number for number, line in enumerate(lines) if main_script(line.text) == "Arab"]
    for number, line in zip(arabic, mend_labels([lines[number] for number in arabic], seed=seed), strict=True):
        lines[number] = line
    return lines


def kept_back(line: Line) -> bool:
    """Every fifth line by the hash of its text, so that equal texts stay on one side; never a made-up line."""
    return line.source != "wordfreq" and hashlib.md5(line.text.encode()).digest()[0] < 51


def build_model(
    lines: Sequence[Line], *, seed: int, tell: Callable[[str], None], plans: Iterable[Plan] = PLANS
) -> Model:
    """The model fitted to the lines."""
    scripts = [main_script(line.text) for line in lines]
    return Model(tuple(_fit_group(plan, lines, scripts, seed, tell) for plan in plans))


def _fit_group(
    plan: Plan, lines: Sequence[Line], scripts: Sequence[str], seed: int, tell: Callable[[str], None]
) -> Group:
    ours = [(line, script) for line, script in zip(lines, scripts, strict=True) if script in plan.shape.scripts]
    counts = Counter(line.label for line, _ in ours)
    classes = sorted(name for name, count in counts.items() if count >= plan.fewest)
    number = {name: i for i, name in enumerate(classes)}
    ours = [(line, script) for line, script in ours if line.label in number]
    tell(f"{plan.shape.scripts[0]}: {len(classes)} languages, {len(ours)} lines")

    def views(epoch: int) -> tuple[csr_matrix, NDArray[np.int64], NDArray[np.float32]]:
        chance = random.Random(f"{seed} {epoch}")
        texts, targets, weights = [], [], []
        for line, _ in ours:
            weight = counts[line.label] ** (_BALANCE - 1)
            lengths = [_WHOLE, *(length for length in _CUTS if len(line.text) > length)]
            texts.append(vary(cut(line.text, chance.choice(lengths), chance), line.label, chance))
            targets.append(number[line.label])
            weights.append(weight)
        scale = np.array(weights, np.float32)
        return matrix_of(texts, plan.shape), np.array(targets), scale / scale.mean()

    def report(epoch: int, _: Fitted) -> None:
        tell(f"{plan.shape.scripts[0]}: pass {epoch + 1} of {plan.epochs}")

    fitted = fit(views, len(classes), plan.shape, epochs=plan.epochs, rate=plan.rate, seed=seed, tell=report)
    table, scale = as_bytes(fitted.table, plan.levels)
    packed = pack(table)
    return Group(
        scripts=plan.shape.scripts,
        classes=tuple(classes),
        seen=_classes_by_script(ours, number),
        packed=lambda: packed,
        scale=scale,
        projection=fitted.projection,
        bias=fitted.bias,
        bits=plan.shape.bits,
        orders=plan.shape.orders,
    )


def _classes_by_script(ours: Sequence[tuple[Line, str]], number: dict[str, int]) -> dict[str, NDArray[np.int64]]:
    pairs = Counter((script, number[line.label]) for line, script in ours)
    totals = Counter(number[line.label] for line, _ in ours)
    found: dict[str, list[int]] = {}
    for (script, language), count in sorted(pairs.items()):
        # A script with a few lines of a language is a quotation or a wrong label.
        if count >= 0.05 * totals[language]:
            found.setdefault(script, []).append(language)
    return {script: np.array(numbers) for script, numbers in found.items()}
