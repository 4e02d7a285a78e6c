"""The words of the pages and of the links of a web with topics, as numbers of the lexicon."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.topics.terms import Terms
from phasa.crawl.topics.topic import Topic
from phasa.lab.chance import generator
from phasa.lab.topical.lexicon import FOREIGN, THEMES, VAGUE, Lexicon, dialect, lexicon, pick, pick_place
from phasa.lab.topical.links import TopicalLinks
from phasa.lab.topical.plan import Ints, Plan
from phasa.lab.topical.recipe import Kind, TopicalRecipe

Floats = NDArray[np.float64]
PER_POOL = 500
"""Phrases for the links to one kind, with a Thai place and without."""


@dataclass(frozen=True)
class Bags:
    """The words of every page in order: those of page p are `words[offsets[p]:offsets[p + 1]]`, its title first."""

    offsets: Ints
    words: NDArray[np.uint16]


def write_bags(recipe: TopicalRecipe, seed: int, plan: Plan) -> Bags:
    """What every page says, without its links."""
    dice, known = generator(seed, "topical", "text"), lexicon()
    pages = len(plan.segment)
    length = (recipe.words * (0.35 + dice.gamma(2.0, 0.33, pages))).astype(np.int64)
    rich = 0.35 + dice.random(pages)
    kinds = [_stretches(kind, known) for kind in recipe.kinds]
    theme_of = plan.theme[plan.segment]
    offsets = np.concatenate([[0], np.cumsum(length)])
    owner = np.repeat(np.arange(pages), length)
    roll = dice.random(len(owner))
    themed = roll < (0.2 * rich)[owner]
    placed = ~themed & (roll < (0.4 * rich)[owner])
    low, high = np.full(len(owner), known.plain[0]), np.full(len(owner), known.plain[1])
    for number, (themes, place) in enumerate(kinds):
        mine = (plan.page_kind == number)[owner]
        for turn, stretch in enumerate(themes):
            rows = mine & themed & ((theme_of % len(themes)) == turn)[owner]
            low[rows], high[rows] = stretch
        if place is not None:
            rows = mine & placed
            low[rows], high[rows] = place
    for turn, code in enumerate(FOREIGN, 1):
        rows = (plan.language[plan.segment] == turn)[owner]
        low[rows], high[rows] = known.foreign[code]
    chosen = low + (dice.random(len(owner)) ** 1.5 * (high - low)).astype(np.int64)
    return Bags(offsets, chosen.astype(np.uint16))


def _stretches(kind: Kind, known: Lexicon) -> tuple[list[tuple[int, int]], tuple[int, int] | None]:
    place = {"thai": known.thai, "elsewhere": known.elsewhere, "none": None}[kind.place]
    return [known.themes[theme] for theme in kind.themes], place


def make_phrases(recipe: TopicalRecipe, seed: int) -> tuple[str, ...]:
    """What links say, with the words around them: the vague ones, then a pool per kind without and with a place."""
    dice, words = generator(seed, "topical", "phrases"), lexicon()
    plain = words.words[slice(*words.plain)]
    said_here = dialect(seed, recipe.dialect, recipe.places)
    texts = list(VAGUE)
    for kind in recipe.kinds:
        for named in (False, True):
            for number in range(PER_POOL):
                chance = dice.random(16).tolist()
                said: list[str] = []
                if chance[0] < recipe.spoken:
                    theme = said_here[kind.themes[number % len(kind.themes)]]
                    said += [pick(theme, one) for one in chance[1 : 2 + int(chance[2] * 3)]]
                if named:
                    said += [pick_place(said_here["thai"], one) for one in chance[5 : 6 + int(chance[6] * 2)]]
                elif kind.place == "elsewhere" and chance[7] < recipe.spoken:
                    said.append(pick_place(said_here["elsewhere"], chance[8]))
                if chance[9] < recipe.noise:
                    other = said_here[list(THEMES)[int(chance[10] * len(THEMES))]]
                    said += [pick(other, one) for one in chance[11:13]]
                said += [plain[int(one**1.7 * len(plain))] for one in dice.random(2 + int(chance[13] * 6))]
                texts.append(" ".join(said[at] for at in dice.permutation(len(said))))
    return tuple(texts)


def choose_phrases(recipe: TopicalRecipe, seed: int, plan: Plan, links: TopicalLinks) -> NDArray[np.uint16]:
    """The phrase of every link, by what the segment that it leads to is about."""
    dice = generator(seed, "topical", "anchors")
    kind = plan.kind[plan.segment[links.targets]]
    named = dice.random(len(kind)) < np.array([one.anchor for one in recipe.kinds])[kind]
    pool = len(VAGUE) + (2 * kind + named) * PER_POOL
    vague = dice.random(len(kind)) < recipe.vague
    chosen = np.where(
        vague,
        (dice.random(len(kind)) * len(VAGUE)).astype(np.int64),
        pool + (dice.random(len(kind)) * PER_POOL).astype(np.int64),
    )
    return chosen.astype(np.uint16)


def scores_of(
    topic: Topic,
    bags: Bags,
    links: TopicalLinks,
    phrase: NDArray[np.uint16],
    phrases: tuple[str, ...],
    readable: NDArray[np.bool_],
) -> Floats:
    """P_w of every page at once: what `Topic.relevance` says of the page written out; 0 where not `readable`."""
    terms, words = Terms(topic.language), lexicon().words
    odds = topic.model.odds

    def weigh(text: str) -> float:
        return sum(odds.get(term, 0.0) * count for term, count in terms.of_text(text.replace("-", " ")).items())

    weight, said = np.array([weigh(word) for word in words]), np.array([weigh(text) for text in phrases])
    total = topic.model.prior + _sums(weight[bags.words], bags.offsets) + _sums(said[phrase], links.offsets)
    scores = 1.0 / (1.0 + np.exp(-np.clip(total, -700, 700)))
    if topic.must:
        must = {word.lower() for word in topic.must}
        word_has = np.array([bool(must & set(word.split("-"))) for word in words])
        phrase_has = np.array([bool(must & set(text.replace("-", " ").split())) for text in phrases])
        has = _sums(word_has[bags.words], bags.offsets) + _sums(phrase_has[phrase], links.offsets) > 0
        scores = np.where(has, scores, 0.0)
    return np.where(readable, scores, 0.0)


def _sums(values: NDArray[np.float64] | NDArray[np.bool_], offsets: Ints) -> Floats:
    total = np.concatenate([[0.0], np.cumsum(values)])
    return np.asarray(total[offsets[1:]] - total[offsets[:-1]])
