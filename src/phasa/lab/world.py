"""A generated web: deterministic by seed, matched to the published tables, with every page made only when asked for.

What is kept per page is a few numbers; addresses, texts and HTML are computed from them. The pages have the numbers
0 to `pages` - 1; behind them come addresses that are not pages: dead ones, redirects, closed ones, files, calendars.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasa.errors import InputError
from phasa.lab.addresses import Naming, Style, local_number, make_style
from phasa.lab.anchors import anchors_of, countries_of
from phasa.lab.chance import key, unit, unit_at
from phasa.lab.claims import address_languages, charset_faults, declared_languages, mixed_similarity
from phasa.lab.extras import CALENDAR, FOLDERS, HIDDEN, SOFT, STATUS, with_extras
from phasa.lab.false_hosts import PARKED_PAGES, plan_false_hosts, with_false_hosts
from phasa.lab.graph import OK, Graph
from phasa.lab.links import Flaw, Links, depth_from, draw_links
from phasa.lab.locality import misfit
from phasa.lab.phrases import Phrases, make_phrases
from phasa.lab.recipe import Recipe, recipe_for
from phasa.lab.sites import MOST_SECTIONS, SECTION_PAGES, Pages, Sites, plan_pages, plan_sites

log = logging.getLogger(__name__)

Ints = NDArray[np.int64]
MOST_PAGES = 20_000_000
"""Drawing a page takes about 600 bytes for a while."""


class World:
    """A generated web. Equal recipe, seed and number of pages give an equal world."""

    def __init__(self, recipe: Recipe, seed: int, pages: int) -> None:
        self.recipe = recipe
        self.seed, self.sites, self.pages, drawn = _draw(recipe, seed, pages)
        self.extras, links = with_extras(recipe, self.seed, self.sites, self.pages, drawn)
        self.false = plan_false_hosts(recipe.lies, self.seed, self.sites)
        dead = np.flatnonzero((self.extras.kind == Flaw.DEAD) | (self.extras.kind == SOFT))
        self.base = len(self.pages) + len(self.extras.site)
        self.links = with_false_hosts(
            self.false,
            self.seed,
            self.sites,
            self.pages,
            self.base,
            len(self.pages) + dead,
            self.extras.site[dead],
            links,
        )
        self.honest = len(links.targets)
        self._urls: list[str | None] = [None] * len(self)
        log.info("world %d: %d pages on %d sites, %d links", seed, pages, len(self.sites), len(self.links.targets))

    @classmethod
    def from_name(cls, name: str, language: str = "th", lies: float = 1.0) -> World:
        """The world that 'SEED:PAGES' names, made by the shipped recipe of a language, with so many times the lies of
        the real web: 0 is the web of the papers. Raises InputError, and SettingsError as `recipe_for` does."""
        seed, _, pages = name.partition(":")
        if not (seed.isdigit() and pages.isdigit()):
            raise InputError(f"a world is named SEED:PAGES, for example 1:100000, not '{name}'")
        if int(pages) > MOST_PAGES:
            raise InputError(f"a world of {int(pages):,} pages is too large; make it at most {MOST_PAGES:,}")
        return cls(recipe_for(language, lies), int(seed), int(pages))

    def __len__(self) -> int:
        """Addresses, pages or not."""
        return self.base + len(self.false)

    # --- addresses -------------------------------------------------------------------------------------------------

    @cached_property
    def styles(self) -> list[Style]:
        """Name and habits of each site."""
        sites, recipe = self.sites, self.recipe
        mixed = (sites.target > 0) & (sites.target < sites.pages)
        dynamic = _dynamic_sites(recipe, self.seed, sites)
        naming = Naming(self.seed, recipe.target, recipe.lies.names, len(sites) + len(self.false.likeness))
        return [
            make_style(
                self.seed,
                number,
                (kind := recipe.hosts[int(sites.kind[site])]).name,
                sites.tlds[int(sites.tld[site])],
                kind.neighbours > 0,
                bool(dynamic[site]),
                recipe.coded if mixed[site] else 0.0,
                naming,
            )
            for number, site in enumerate([*range(len(sites)), *self.false.likeness.tolist()])
        ]

    @cached_property
    def site_of_host(self) -> dict[str, int]:
        """The site behind a host name; false hosts come after the sites."""
        return {style.host: number for number, style in enumerate(self.styles)}

    def site(self, page: int) -> int:
        """The site of a page or other address."""
        if page < len(self.pages):
            return int(self.pages.site[page])
        if page >= self.base:
            return len(self.sites) + int(self.false.host[page - self.base])
        return int(self.extras.site[page - len(self.pages)])

    def shown(self, page: int) -> int:
        """The page that an address shows: on a mirror that of the site, itself elsewhere."""
        original = int(self.false.original[page - self.base]) if page >= self.base else -1
        return original if original >= 0 else page

    def is_parked(self, page: int) -> bool:
        """Whether an address is on a parked domain."""
        return page >= self.base and self.shown(page) == page

    def is_soft(self, page: int) -> bool:
        """Whether an address answers 200 and says that there is no such page."""
        return len(self.pages) <= page < self.base and int(self.extras.kind[page - len(self.pages)]) == SOFT

    def url(self, page: int) -> str:
        """The address of a page or other address."""
        known = self._urls[page]
        if known is None:
            known = self._urls[page] = self._make_url(page)
        return known

    def urls(self, pages: Sequence[int]) -> list[str]:
        """The addresses of several pages."""
        known = self._urls
        return [known[page] or self.url(page) for page in pages]

    def _make_url(self, page: int) -> str:
        site = self.site(page)
        style = self.styles[site]
        if self.is_parked(page):
            local = (page - self.base) % PARKED_PAGES
            return f"http://{style.host}/" + (f"search/{local}.html" if local else "")
        if page >= self.base:
            original = self.shown(page)
            there = f"http://{self.styles[self.site(original)].host}"
            return f"http://{style.host}{self.url(original).removeprefix(there)}"
        if page >= len(self.pages):
            extra = page - len(self.pages)
            kind = int(self.extras.kind[extra])
            if kind in HIDDEN and self.recipe.lies:
                return f"http://{style.host}{self._page_like(site, extra)}"
            ending = ".pdf" if kind == Flaw.FILE else "/" if kind == CALENDAR else ".html"
            return f"http://{style.host}/{FOLDERS[kind]}/{extra - int(self.extras.first[site])}{ending}"
        local = page - int(self.sites.first[site])
        section = int(self.pages.section[page])
        language = self.pages.languages[int(self.codes[page])]
        is_front = local > 0 and int(self.pages.section[page - 1]) != section
        return f"http://{style.host}{style.path(section, language, local, is_front)}"

    def _page_like(self, site: int, extra: int) -> str:
        """The path of an address without a page, on a site that does not say so: as of one page more."""
        sections = _sections(int(self.sites.pages[site]))
        section = int(unit_at(key(self.seed, "section of none"), extra) * sections)
        meant = max(int(self.extras.moved[extra]), int(self.sites.first[site]))
        number = int(self.sites.pages[site]) + extra - int(self.extras.first[site])
        return self.styles[site].path(section, self.pages.languages[int(self.codes[meant])], number, False)

    @cached_property
    def codes(self) -> NDArray[np.uint8]:
        """The language whose code the address of each page has."""
        return address_languages(self.recipe.lies, self.seed, self.sites, self.pages)

    def find(self, url: str) -> int:
        """The page or other address of a URL, -1 when the world has none."""
        scheme, _, rest = url.partition("://")
        host, slash, path = rest.partition("/")
        site = self.site_of_host.get(host)
        if site is None or scheme != "http":
            return -1
        for page in self._candidates(site, slash + path):
            if self.url(page) == url:
                return page
        return -1

    def _candidates(self, site: int, path: str) -> list[int]:
        if site >= len(self.sites):
            return self._false_candidates(site - len(self.sites), path)
        first, count = int(self.sites.first[site]), int(self.sites.pages[site])
        number = local_number(path)
        if number is not None:
            extras = int(self.extras.first[site])
            last = int(self.extras.first[site + 1])
            candidates = [first + number] if number < count else []
            beyond = len(self.pages) + extras
            return candidates + [beyond + at for at in (number, number - count) if 0 <= at < last - extras]
        sections = _sections(count)
        return [first + -(-section * count // sections) for section in range(1, sections)]

    def _false_candidates(self, host: int, path: str) -> list[int]:
        """Addresses of a false host that may be meant by a path: by their number, or by what they mirror."""
        first = self.base + int(self.false.first[host])
        if host < self.false.parked:
            number = local_number(path)
            return [first + number] if number is not None and number < PARKED_PAGES else []
        site = int(self.false.likeness[host])
        pages = int(self.sites.first[site]), int(self.sites.first[site] + self.sites.pages[site])
        return [first + page - pages[0] for page in self._candidates(site, path) if pages[0] <= page < pages[1]]

    # --- the columns of the graph ----------------------------------------------------------------------------------

    @cached_property
    def phrases(self) -> Phrases:
        """Anchor texts."""
        return make_phrases(self.seed, self.recipe.target, self.pages.languages)

    @cached_property
    def similarity(self) -> NDArray[np.float32]:
        """Γ of every page: a hill around 0.5 for target pages, nearly nothing between 0.05 and 0.1, mostly 0 else."""
        number = np.arange(len(self.pages))
        hill = sum(unit(key(self.seed, "likeness", turn), number) for turn in range(3)) / 3
        own = 0.1 + 0.85 * hill
        own = np.where(self.poor, 0.1 + 0.1 * unit(key(self.seed, "little"), number), own)
        some = unit(key(self.seed, "some"), number)
        trace = unit(key(self.seed, "trace"), number)
        foreign = np.where(some < 0.004, 0.05 + 0.045 * trace, np.where(some < 0.06, 0.05 * trace, 0.0))
        return mixed_similarity(
            self.recipe.lies, self.seed, self.sites, self.pages, np.where(self.pages.target, own, foreign),
            self.recipe.threshold,
        ).astype(np.float32)  # fmt: skip

    @cached_property
    def poor(self) -> NDArray[np.bool_]:
        """Target pages with hardly any text."""
        return np.asarray(unit(key(self.seed, "poor"), np.arange(len(self.pages))) < self.recipe.poor)

    @cached_property
    def declared(self) -> NDArray[np.uint8]:
        """The language that each page declares, as index + 1; 0 where none. Telling it is mostly a habit of the site,
        and of pages in the target language."""
        habit = unit(key(self.seed, "declares"), np.arange(len(self.sites))) < self.recipe.declared
        slip = unit(key(self.seed, "slip"), np.arange(len(self.pages))) < 0.1
        telling = np.asarray(self.pages.target & (habit[self.pages.site] ^ slip))
        return declared_languages(self.recipe.lies, self.seed, self.sites, self.pages, telling)

    @cached_property
    def charset_faults(self) -> NDArray[np.uint8]:
        """What is wrong with the encoding that a page declares."""
        return charset_faults(self.recipe.lies, self.seed, self.pages)

    @cached_property
    def copy_of(self) -> NDArray[np.int32]:
        """The page of the same site and language that a page is a copy of, -1 for originals."""
        number = np.arange(len(self.pages))
        back = 1 + (unit(key(self.seed, "copied"), number) * 8).astype(np.int64)
        source = np.maximum(number - back, 0)
        able = (
            (unit(key(self.seed, "copies"), number) < self.recipe.flaws.copies * 1.35)
            & (self.pages.site[source] == self.pages.site)
            & (self.pages.language[source] == self.pages.language)
            & (source != number)
            & (number != self.sites.first[self.pages.site])
        )
        # A copy of a copy would be a copy of the original: only originals are copied.
        able &= ~able[source]
        return np.where(able, source, -1).astype(np.int32)

    def depths(self) -> NDArray[np.int64]:
        """Links from the first pages to every page; an address that redirects counts as the page it leads to."""
        graph = self.graph
        moved = graph.moved[graph.targets]
        targets = np.where(moved >= 0, moved, graph.targets).astype(np.int32)
        return depth_from(graph.offsets, targets, self.sites.first[self.sites.level == 0])[: len(self.pages)]

    @cached_property
    def graph(self) -> Graph:
        """The world as a graph for replay."""
        count = len(self.pages)
        status = np.full(len(self), OK, dtype=np.uint16)
        for flaw, code in STATUS.items():
            status[count : self.base][self.extras.kind == flaw] = code
        copied = self.copy_of >= 0
        similarity = np.where(copied, self.similarity[np.where(copied, self.copy_of, 0)], self.similarity)
        english = self.pages.languages.index("en")
        readable = np.isin(self.pages.charset, [self.pages.charsets.index(name) for name in ("utf-8", "windows-1256")
                                                if name in self.pages.charsets])  # fmt: skip
        content = self.pages.target & ~self.poor & readable
        phrase, hint = anchors_of(self)
        countries, country = countries_of(self)
        moved = np.full(len(self), -1, np.int32)
        moved[count : self.base] = self.extras.moved
        copy_of = self._column(self.copy_of, -1)
        mirrored = np.flatnonzero(self.false.original >= 0)
        original = self.false.original[mirrored]
        copy_of[self.base + mirrored] = np.where(copied[original], self.copy_of[original], original)
        return Graph(
            target=self.recipe.target,
            addresses=self,
            offsets=self.links.offsets,
            targets=self.links.targets,
            language=self._column(self.pages.language, english),
            languages=self.pages.languages,
            similarity=self._column(similarity, 0.0),
            status=status,
            moved=moved,
            charset=self._column(self.pages.charset, 0),
            charsets=self.pages.charsets,
            threshold=self.recipe.threshold,
            phrase=phrase,
            phrases=self.phrases,
            hint=hint,
            country=country,
            countries=countries,
            declared=self._column(self.declared == 1, False),
            content=self._column(content, False),
            copy_of=copy_of,
        )

    def _column(self, pages: NDArray[Any], otherwise: float) -> NDArray[Any]:
        """A column of the graph from one of the pages: mirrors are as the page they show, all else is `otherwise`."""
        column = np.full(len(self), otherwise, dtype=pages.dtype)
        column[: len(self.pages)] = pages
        mirrored = np.flatnonzero(self.false.original >= 0)
        column[self.base + mirrored] = pages[self.false.original[mirrored]]
        return column


def _sections(pages: int) -> int:
    """Sections of a site with so many pages."""
    return min(max(pages // SECTION_PAGES, 1), MOST_SECTIONS)


def _draw(recipe: Recipe, seed: int, count: int) -> tuple[int, Sites, Pages, Links]:
    """Plan and links of a world, drawn again until a crawl finds what the recipe expects; the seed of the draw."""
    expected = recipe.expected
    draws = expected.draws if expected is not None and count >= expected.least else 1
    best: tuple[float, tuple[int, Sites, Pages, Links]] | None = None
    for turn in range(draws):
        own = seed if turn == 0 else key(seed, "draw", turn) >> 2
        sites = plan_sites(recipe, own, count)
        pages = plan_pages(recipe, own, sites)
        drawn = own, sites, pages, draw_links(recipe, own, sites, pages)
        if expected is None or draws == 1:
            return drawn
        off = misfit(expected, recipe, sites, pages, drawn[3])
        if best is None or off < best[0]:
            best = off, drawn
        if off <= expected.tolerance:
            break
    assert best is not None
    return best[1]


def _dynamic_sites(recipe: Recipe, seed: int, sites: Sites) -> NDArray[np.bool_]:
    """Which sites are made by programs: chosen by chance, until they hold the recipe's share of the pages."""
    order = np.argsort(unit(key(seed, "dynamic"), np.arange(len(sites))), kind="stable")
    middle = np.cumsum(sites.pages[order]) - sites.pages[order] / 2
    chosen = np.zeros(len(sites), dtype=bool)
    chosen[order] = middle < recipe.dynamic * sites.pages.sum()
    return chosen
