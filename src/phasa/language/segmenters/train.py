"""Learn the weights of the pointwise model from segmented corpora.

Logistic regression by AdaGrad over all open places, two passes: the first finds which of the many features matter, the
second learns the weights of those again and averages them. Every corpus belongs to a style; each style but the first
learns its own differences from the shared weights (Daumé's feature augmentation). Same input and seed, same model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from phasa.errors import InputError
from phasa.language.segmenters.alphabet import letters_of
from phasa.language.segmenters.characters import code_points
from phasa.language.segmenters.features import BUNDLES, SINGLES, UNITS, all_slots
from phasa.language.segmenters.known import FREQUENT, LISTED, KnownWords, known_words
from phasa.language.segmenters.model import Model, sparse
from phasa.language.segmenters.pointwise import Pointwise, views
from phasa.language.segmenters.score import gold_of
from phasa.language.segmenters.style import learn_votes
from phasa.language.segmenters.units import spread_out

Floats = npt.NDArray[np.float32]
GoldLine = Sequence[str]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to learn; the defaults are those of the shipped model."""

    seed: int = 4
    bits: int = 23
    rate: float = 0.1
    batch: int = 1024
    least_count: int = 3  # words seen less often are not known words, so that the model meets unknown ones
    least_frequency: int = 50  # words counted less often elsewhere are not frequent ones
    kept: int = 3_000_000  # shared weights that survive the first pass
    kept_per_style: int = 200_000
    repeats: int = 8  # how often the lines of later styles are seen in a pass
    shard: int = 1_000_000  # characters
    step: float = 0.02  # one unit of a stored weight
    held_out: float = 0.02  # share of the lines that only set `margin`
    disagreement: float = 2e-4  # share of places that the early templates may decide otherwise than all


class Shard(NamedTuple):
    """Shuffled lines as one text."""

    text: str
    begins: npt.NDArray[np.bool_]
    styles: npt.NDArray[np.uint8]  # the style of each character's line


# What a style may weigh otherwise than the shared table: all but the longest n-grams.
_STYLED = np.array(
    [bundle.what == UNITS and bundle.size <= 3 for bundle in BUNDLES for _ in bundle.offsets] + [True] * SINGLES
)


def train(
    corpora: Mapping[str, Iterable[GoldLine]],
    word_list: Iterable[str],
    recipe: Recipe | None = None,
    progress: Callable[[float], None] = lambda done: None,
    *,
    frequencies: Mapping[str, int] | None = None,
) -> Model:
    """The model of corpora by style. The first style is the one for text of unknown kind.

    `word_list` are further known words, `frequencies` the counts of words in other text. `progress` is told the share
    of the work done. Raises InputError for no lines.
    """
    recipe = recipe or Recipe()
    names = tuple(corpora)
    lines = [(style, line) for style, name in enumerate(names) for line in corpora[name]]
    if not lines:
        raise InputError("training: the corpora have no lines; give files with one line of words joined by '|' a line")
    words = _known(lines, word_list, frequencies or {}, recipe)
    random = np.random.default_rng(recipe.seed)
    lines = [lines[i] for i in random.permutation(len(lines))]
    held = max(1, int(len(lines) * recipe.held_out))
    shards = _shards(lines[held:], recipe, random)
    learner = _Learner(recipe, words, len(names), 2 * len(shards), progress)
    learner.learn(shards, random)
    learner.prune()
    learner.learn(shards, random, average=True)
    tables = np.clip(np.round(learner.average / recipe.step), -127, 127).astype(np.int8)
    samples = {
        name: letters_of(code_points("\n".join("".join(line) for s, line in lines[held:] if s == style)))
        for style, name in enumerate(names)
    }
    model = Model(
        recipe.bits,
        tables[0],
        {name: sparse(tables[style] if style else tables[0][:0]) for style, name in enumerate(names)},
        words,
        np.iinfo(np.int16).max,
        learn_votes(samples),
        names,
    )
    return _with_margin(model, lines[:held], recipe)


class _Learner:
    """The weights while they are learned: row 0 is shared, row s belongs to style s alone."""

    def __init__(
        self, recipe: Recipe, words: KnownWords, styles: int, steps: int, progress: Callable[[float], None]
    ) -> None:
        shape = (styles, 1 << recipe.bits)
        self._recipe = recipe
        self._model = Model(recipe.bits, np.zeros(0, np.int8), {}, words, 0, np.zeros((1, 1), np.int8), ())
        self._weights = np.zeros(shape, dtype=np.float32)
        self._squares = np.full(shape, 1e-2, dtype=np.float32)
        self._sum = np.zeros(shape, dtype=np.float32)
        self._summed = 0
        self._steps, self._step = steps, 0
        self._progress = progress

    @property
    def average(self) -> Floats:
        return self._sum / np.float32(max(1, self._summed))

    def learn(self, shards: Sequence[Shard], random: np.random.Generator, *, average: bool = False) -> None:
        """One pass over all shards."""
        for number in random.permutation(len(shards)):
            rate = self._recipe.rate * (1 - 0.9 * self._step / self._steps)
            self._learn_shard(shards[number], random, np.float32(rate))
            self._step += 1
            self._progress(self._step / self._steps)
            if average:
                self._sum += self._weights
                self._summed += 1

    def prune(self) -> None:
        """Keep only the heaviest weights; the others stay zero from now on. What is kept starts anew."""
        for row, kept in enumerate([self._recipe.kept] + [self._recipe.kept_per_style] * (len(self._weights) - 1)):
            # A weight counts by its size and by how much was learned about it, or chance features would crowd in.
            heavy = np.abs(self._weights[row]) * np.sqrt(self._squares[row])
            kept = min(kept, heavy.size - 1)
            bound = np.partition(heavy, heavy.size - kept - 1)[heavy.size - kept - 1]
            lost = heavy <= bound
            self._weights[row, lost] = 0
            self._squares[row, lost] = np.inf

    def _learn_shard(self, shard: Shard, random: np.random.Generator, rate: np.float32) -> None:
        spread = spread_out(shard.text)
        seen = np.concatenate(
            [all_slots(view, places, self._recipe.bits) for view, places, _ in views(spread, self._model.words)], axis=1
        )
        is_open = np.zeros(len(spread.letters), dtype=np.bool_)
        is_open[spread.starts[:-1]] = spread.is_open()
        open_places = np.flatnonzero(spread.give_back(is_open))
        right = shard.begins[open_places].astype(np.float32)
        styles = shard.styles[open_places]
        order = random.permutation(len(open_places))
        for at in range(0, len(order), self._recipe.batch):
            chosen = order[at : at + self._recipe.batch]
            self._learn_batch(seen[:, chosen], right[chosen], styles[chosen], rate)

    def _learn_batch(
        self, slots: npt.NDArray[np.int32], right: Floats, styles: npt.NDArray[np.uint8], rate: np.float32
    ) -> None:
        rows = [(0, np.arange(len(right)), slots)]
        own = [(style, np.flatnonzero(styles == style)) for style in range(1, len(self._weights))]
        rows += [(style, members, slots[_STYLED][:, members]) for style, members in own if len(members)]
        total = np.zeros(len(right), dtype=np.float32)
        for style, members, seen in rows:
            total[members] += self._weights[style].take(seen).sum(axis=0)
        error = 1 / (1 + np.exp(-total)) - right
        for style, members, seen in rows:
            wrong = np.flatnonzero(np.abs(error[members]) > 2e-3)
            seen = seen[:, wrong]
            gradient = np.broadcast_to(error[members[wrong]], seen.shape).ravel()
            where = seen.ravel()
            np.add.at(self._squares[style], where, gradient * gradient)
            np.subtract.at(self._weights[style], where, rate * gradient / np.sqrt(self._squares[style].take(where)))


def _known(
    lines: Sequence[tuple[int, GoldLine]], word_list: Iterable[str], frequencies: Mapping[str, int], recipe: Recipe
) -> KnownWords:
    counts = Counter(word for _, line in lines for word in line)
    frequent = [word for word, count in counts.items() if count >= recipe.least_count]
    frequent += [word for word, count in frequencies.items() if count >= recipe.least_frequency]
    return known_words([(FREQUENT, _thai(frequent)), (LISTED, _thai(word_list))])


def _thai(words: Iterable[str]) -> list[str]:
    return [word for word in words if "\n" not in word and any("\u0e01" <= sign <= "\u0e4e" for sign in word)]


def _shards(lines: Sequence[tuple[int, GoldLine]], recipe: Recipe, random: np.random.Generator) -> list[Shard]:
    repeated = [line for line in lines for _ in range(recipe.repeats if line[0] else 1)]
    shuffled = [repeated[i] for i in random.permutation(len(repeated))]
    sizes = np.cumsum([sum(map(len, line)) + 1 for _, line in shuffled])
    ends = np.searchsorted(sizes, np.arange(recipe.shard, int(sizes[-1]), recipe.shard)).tolist()
    bounds = sorted({0, *ends, len(shuffled)})
    return [_shard(shuffled[a:b]) for a, b in pairwise(bounds)]


def _shard(lines: Sequence[tuple[int, GoldLine]]) -> Shard:
    gold = gold_of(line for _, line in lines)
    begins = np.zeros(len(gold.text), dtype=np.bool_)
    begins[gold.starts] = True
    lengths = [sum(map(len, line)) + 1 for _, line in lines]
    return Shard(gold.text, begins, np.repeat(np.array([s for s, _ in lines], dtype=np.uint8), lengths))


def _with_margin(model: Model, held: Sequence[tuple[int, GoldLine]], recipe: Recipe) -> Model:
    """The model with the smallest margin at which the early templates decide as all of them do, nearly always."""
    text = gold_of(line for _, line in held).text
    spread = spread_out(text)
    table = model.table(model.style_names[0])
    full = Pointwise(model).sums(spread, table)
    early = Pointwise(model._replace(margin=0)).sums(spread, table)
    differs = np.sort(np.abs(early[(early > 0) != (full > 0)]))[::-1]
    allowed = int(len(full) * recipe.disagreement)
    return model._replace(margin=int(differs[allowed]) + 1 if len(differs) > allowed else 1)
