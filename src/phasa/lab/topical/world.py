"""A generated web with topical segments: equal recipe, seed and number of pages give an equal web.

What every page is about is known exactly (`gold`). What a crawler believes is another thing: it judges pages by a topic
model that was learned from another web, and `graph` shows it the web through that model.
"""

from __future__ import annotations

from functools import cached_property
from html import escape

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.segments.identifier import key_of
from phasa.crawl.strategy import Seed
from phasa.crawl.topics.topic import Topic
from phasa.errors import InputError
from phasa.lab.chance import generator
from phasa.lab.graph import OK, AddressList, Graph
from phasa.lab.phrases import Phrases
from phasa.lab.topical.lexicon import FOREIGN, lexicon
from phasa.lab.topical.links import draw_links
from phasa.lab.topical.names import make_urls
from phasa.lab.topical.plan import draw_plan
from phasa.lab.topical.recipe import TopicalRecipe, topical_recipe
from phasa.lab.topical.text import Floats, choose_phrases, make_phrases, scores_of, write_bags
from phasa.web.html import CONTEXT
from phasa.web.url import authority

SEEDS = 12
_POPULAR = 60
_BETWEEN = "\n\n"
"""What a reader finds between two paragraphs."""
_COUNTRIES = ("", "TH", "US", "GB", "DE", "AU", "SG")


class TopicalWorld:
    """A web of sites, segments and pages, each page with its subject."""

    def __init__(self, seed: int, pages: int, recipe: TopicalRecipe | None = None) -> None:
        self.recipe = recipe if recipe is not None else topical_recipe()
        self.seed = seed
        self.plan = draw_plan(self.recipe, seed, pages)
        self.links = draw_links(self.recipe, seed, self.plan)
        self.phrase = choose_phrases(self.recipe, seed, self.plan, self.links)

    @classmethod
    def from_name(cls, name: str) -> TopicalWorld:
        """The web that 'SEED:PAGES' names. Raises InputError."""
        seed, _, pages = name.partition(":")
        if not (seed.isdigit() and pages.isdigit()):
            raise InputError(f"a world is named SEED:PAGES, for example 1:50000, not '{name}'")
        return cls(int(seed), int(pages))

    def __len__(self) -> int:
        return len(self.plan.segment)

    @cached_property
    def addresses(self) -> AddressList:
        return AddressList(make_urls(self.recipe, self.seed, self.plan))

    @cached_property
    def phrases(self) -> tuple[str, ...]:
        """What links say, with the words around them."""
        return make_phrases(self.recipe, self.seed)

    @cached_property
    def english(self) -> NDArray[np.bool_]:
        """Pages in English."""
        return np.asarray(self.plan.language[self.plan.segment] == 0)

    @cached_property
    def keys(self) -> tuple[list[str], NDArray[np.int64]]:
        """The segments as their addresses have them (a flat site is one), and that of every page."""
        numbers: dict[str, int] = {}
        column = [numbers.setdefault(key_of(self.addresses.url(page)), len(numbers)) for page in range(len(self))]
        return list(numbers), np.array(column, dtype=np.int64)

    @cached_property
    def _country(self) -> NDArray[np.uint8]:
        dice = generator(self.seed, "topical", "countries")
        sites = len(self.plan.site_type)
        at_home = np.array([site.at_home for site in self.recipe.sites])[self.plan.site_type]
        abroad = 2 + (dice.random(sites) ** 2 * (len(_COUNTRIES) - 2)).astype(np.int64)
        column = np.where(dice.random(sites) < at_home, 1, abroad)
        return column[self.plan.site[self.plan.segment]].astype(np.uint8)

    def gold(self, topic: str) -> NDArray[np.bool_]:
        """Which pages are about a topic, truly. Raises InputError for a topic that the web does not have."""
        if topic not in self.recipe.topics:
            raise InputError(f"no topic '{topic}' in this world; there are {', '.join(self.recipe.topics)}")
        names = [kind.name for kind in self.recipe.kinds]
        kinds = [names.index(name) for name in self.recipe.topics[topic]]
        return np.asarray(np.isin(self.plan.page_kind, kinds) & self.english)

    def scores(self, topic: Topic) -> Floats:
        """P_w of every page by a topic model, the language gate included."""
        bags = write_bags(self.recipe, self.seed, self.plan)
        return scores_of(topic, bags, self.links, self.phrase, self.phrases, self.english)

    def graph(self, scores: Floats, threshold: float = 0.5) -> Graph:
        """The web as a replay sees it, pages wanted by their score."""
        count = len(self)
        return Graph(
            target="en",
            addresses=self.addresses,
            offsets=self.links.offsets,
            targets=self.links.targets,
            language=self.plan.language[self.plan.segment].astype(np.uint8),
            languages=("en", *FOREIGN),
            similarity=scores.astype(np.float32),
            status=np.full(count, OK, dtype=np.uint16),
            moved=np.full(count, -1, dtype=np.int32),
            charset=np.zeros(count, dtype=np.uint8),
            charsets=("utf-8",),
            threshold=threshold,
            phrase=self.phrase,
            phrases=Phrases(tuple(map(_spoken, self.phrases)), np.zeros(len(self.phrases)), {}),
            around=self.contexts,
            country=self._country,
            countries=_COUNTRIES,
        )

    def seeds(self, topic: str) -> list[Seed]:
        """Pages that a search for the topic would show first: often cited, truly relevant, one of a site."""
        gold = self.gold(topic)
        cited = np.bincount(self.links.targets, minlength=len(self)) * gold
        dice = generator(self.seed, "topical", "seeds", topic)
        best: dict[str, int] = {}
        for page in np.argsort(-cited, kind="stable")[: _POPULAR * 20].tolist():
            if gold[page]:
                best.setdefault(authority(self.addresses.url(page)), page)
        popular = list(best.values())[:_POPULAR]
        chosen = dice.permutation(np.array(popular, dtype=np.int64))[:SEEDS].tolist()
        return [Seed(self.addresses.url(page)) for page in chosen]

    @cached_property
    def _bags(self) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
        bags = write_bags(self.recipe, self.seed, self.plan)
        return bags.offsets, bags.words

    def text(self, page: int) -> str:
        """The words of a page, without those of its links."""
        offsets, numbers = self._bags
        words = lexicon().words
        return " ".join(words[word].replace("-", " ") for word in numbers[offsets[page] : offsets[page + 1]].tolist())

    def whole_text(self, page: int) -> str:
        """The words of a page and of its links: what its topic is judged by."""
        return " ".join([self.text(page), *self.anchors(page)])

    def anchors(self, page: int) -> list[str]:
        """What the links of a page say."""
        said = self.phrase[self.links.offsets[page] : self.links.offsets[page + 1]].tolist()
        return [_spoken(self.phrases[phrase]) for phrase in said]

    def contexts(self, page: int) -> list[str]:
        """What stands before and after each link of a page: what a crawl finds there when it reads `html`."""
        whole = " ".join(self.text(page).split(" ")[5:])
        places = []
        for anchor in self.anchors(page):
            whole += _BETWEEN
            places.append((len(whole), len(whole) + len(anchor)))
            whole += anchor
        return [f"{whole[max(0, start - CONTEXT) : start]} {whole[end : end + CONTEXT]}" for start, end in places]

    def html(self, page: int) -> str:
        """A page as it would be served."""
        said = self.text(page).split(" ")
        first, last = int(self.links.offsets[page]), int(self.links.offsets[page + 1])
        anchors = [
            f'<p><a href="{escape(self.addresses.url(target))}">{anchor}</a></p>'
            for target, anchor in zip(self.links.targets[first:last].tolist(), self.anchors(page), strict=True)
        ]
        language = ("en", *FOREIGN)[int(self.plan.language[self.plan.segment[page]])]
        return (
            f'<!DOCTYPE html><html lang="{language}"><head><meta charset="utf-8"><title>{escape(" ".join(said[:5]))}'
            f"</title></head><body><p>{escape(' '.join(said[5:]))}</p>{''.join(anchors)}</body></html>\n"
        )


def _spoken(phrase: str) -> str:
    """A phrase as it stands on a page: names of several words have hyphens in the lexicon only."""
    return phrase.replace("-", " ")
