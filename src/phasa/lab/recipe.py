"""What a generated web is like: every share is a setting, so that other worlds than the published ones can be made.

`thai_recipe` is matched to Tables 10–12 of specs/language-specific-crawling.md, `persian_recipe` to Table 5 and the
domain split of specs/persian-crawling.md; both are the papers' webs and tell the truth. `recipe_for` makes them lie as
real webs do (`phasa.lab.lies`). "Target" is the language that a crawl of the world is after.
"""

from __future__ import annotations

from math import inf
from typing import Annotated

from msgspec import Meta, field
from msgspec.structs import replace

from phasa.errors import SettingsError
from phasa.lab.lies import NO_LIES, Lies, scaled
from phasa.lab.vocabulary import known_vocabularies
from phasa.settings import Settings


class HostKind(Settings, frozen=True):
    """One sort of web site: how many pages of the world it holds and how its sites are built."""

    name: Annotated[str, Meta(description="What the sites are: portal, blog, about, foreign …")]
    tld: Annotated[str, Meta(description="Top-level domains, one or several separated by blanks.")]
    target: Annotated[float, Meta(description="Weight among the pages in the target language.")]
    other: Annotated[float, Meta(description="Weight among the pages in other languages.")]
    size: Annotated[float, Meta(description="Mean pages per site.")] = 25.0
    alike: Annotated[
        float, Meta(description="How alike the sites are in their share of target pages: large = all the same mix.")
    ] = 2.0
    mingled: Annotated[
        float, Meta(description="Share of pages that stand outside the section of their language; 1 = no sections.")
    ] = 0.1
    level: Annotated[float, Meta(description="Mean number of sites between the first sites and these.")] = 2.0
    spread: Annotated[float, Meta(description="Standard deviation of the level.")] = 1.12
    cross: Annotated[float, Meta(description="Share of links that lead to other sites.")] = 0.25
    neighbours: Annotated[
        float, Meta(description="Share of the sites that live as names under one shared domain, as blogs do.")
    ] = 0.0
    languages: Annotated[
        dict[str, float], Meta(description="Languages of the pages that are not in the target language, with weights.")
    ] = field(default_factory=lambda: {"en": 1.0})


class Locality(Settings, frozen=True):
    """Where links between sites lead, and in what language they are worded (Table 12)."""

    from_target: Annotated[float, Meta(description="Links from target pages to other sites that reach target pages.")]
    from_other: Annotated[float, Meta(description="The same for links from other pages.")]
    from_about: Annotated[float, Meta(description="The same for other-language pages about the country.")]
    stay: Annotated[float, Meta(description="How strongly links within a site keep to the language of their page.")] = (
        0.6
    )
    entry: Annotated[
        float, Meta(description="Sites whose home page is in the target language first found from it.")
    ] = 0.8
    deep: Annotated[
        float, Meta(description="Links from other languages into the target language that lead to inner pages.")
    ] = 0.8
    friends: Annotated[float, Meta(description="Share of links between sites that go to the same few sites.")] = 0.55
    anchor_both: Annotated[float, Meta(description="Anchor in the target language, target page to target page.")] = 0.6
    anchor_to: Annotated[float, Meta(description="Anchor in the target language, other page to target page.")] = 0.25
    anchor_from: Annotated[float, Meta(description="Anchor in the target language, target page to other page.")] = 0.34
    anchor_none: Annotated[float, Meta(description="Anchor in the target language between other pages.")] = 0.001
    empty: Annotated[float, Meta(description="Links without anchor text (pictures).")] = 0.12
    hreflang: Annotated[float, Meta(description="Links between languages of one site that carry hreflang.")] = 0.15


class Flaws(Settings, frozen=True):
    """What is wrong or odd with the web, as shares of the pages or of the sites."""

    dead: Annotated[float, Meta(description="Addresses that answer 404, beside the pages.")] = 0.03
    broken: Annotated[float, Meta(description="Addresses that answer 500.")] = 0.004
    moved: Annotated[float, Meta(description="Addresses that redirect to a page.")] = 0.03
    closed: Annotated[float, Meta(description="Addresses that robots.txt forbids.")] = 0.01
    files: Annotated[float, Meta(description="Addresses of files that are not pages.")] = 0.01
    copies: Annotated[float, Meta(description="Pages that are a copy of another page of the site.")] = 0.01
    slow: Annotated[float, Meta(description="Sites that answer slowly.")] = 0.02
    calendars: Annotated[float, Meta(description="Sites with an endless calendar.")] = 0.003


class Expected(Settings, frozen=True):
    """What a breadth-first crawl from the first pages must find: draws of a world that differ are not taken."""

    pages: Annotated[float, Meta(description="Length of the crawl, as a share of the pages.")]
    share: Annotated[float, Meta(description="Share of target pages in it.")]
    parent_precision: Annotated[float, Meta(description="Pages found from target pages that are target pages.")]
    parent_recall: Annotated[float, Meta(description="Target pages that were found from target pages.")]
    domain_precision: Annotated[float, Meta(description="Pages under the country's domain that are target pages.")]
    domain_recall: Annotated[float, Meta(description="Target pages that are under the country's domain.")]
    path_precision: Annotated[float, Meta(description="The first, for pages after two target pages in a row.")]
    path_recall: Annotated[float, Meta(description="The second, for pages after two target pages in a row.")]
    tolerance: Annotated[float, Meta(description="Largest relative difference from any of these.")] = 0.08
    draws: Annotated[int, Meta(description="Draws at most; then the best is taken.")] = 12
    least: Annotated[int, Meta(description="Smaller worlds are taken as they come.")] = 50_000


class Recipe(Settings, frozen=True):
    """A generated web."""

    target: Annotated[str, Meta(description="The language that crawls of this web are after.")]
    share: Annotated[float, Meta(description="Share of pages in the target language.")]
    hosts: Annotated[tuple[HostKind, ...], Meta(description="The sorts of sites.")]
    target_charsets: Annotated[dict[str, float], Meta(description="Encodings of target pages, with weights.")]
    other_charsets: Annotated[dict[str, float], Meta(description="Encodings of other pages, with weights.")]
    local_charsets: Annotated[
        tuple[str, ...], Meta(description="Encodings of the target language; other pages have them on its sites.")
    ]
    locality: Annotated[Locality, Meta(description="Where links lead.")]
    flaws: Annotated[Flaws, Meta(description="What is wrong or odd.")] = Flaws()
    lies: Annotated[Lies, Meta(description="What is not as it says.")] = Lies()
    depth: Annotated[int, Meta(description="Links from the first pages to the page farthest away.")] = 15
    links: Annotated[float, Meta(description="Mean links per page.")] = 14.0
    bushy: Annotated[
        float,
        Meta(description="1: pages hang anywhere in the tree of a section; 3: most hang from its front."),
    ] = 2.0
    chains: Annotated[float, Meta(description="Share of pages that only 'next page' leads to.")] = 0.05
    dynamic: Annotated[float, Meta(description="Share of pages whose address ends in .php, .asp or .aspx.")] = 0.39
    coded: Annotated[
        float, Meta(description="Share of the sites in several languages that write a page's into its address.")
    ] = 0.5
    declared: Annotated[float, Meta(description="Share of target pages that declare their language.")] = 0.35
    poor: Annotated[float, Meta(description="Share of target pages with hardly any text.")] = 0.03
    feeds: Annotated[float, Meta(description="Share of sites with a news feed.")] = 0.2
    home: Annotated[str, Meta(description="Top-level domain of the language's country.")] = ""
    expected: Annotated[Expected | None, Meta(description="What a crawl of the world must find, if anything.")] = None
    threshold: Annotated[float, Meta(description="Z: similarity from which a page is in the language.")] = 0.1


FOREIGN = {"en": 80.0, "ja": 5.0, "de": 4.0, "zh": 3.0, "fr": 3.0, "es": 2.0, "ru": 1.5, "ko": 1.0, "vi": 0.5}
ABOUT = {"en": 97.0, "de": 2.0, "ja": 1.0}
OTHER_TLDS = "edu de uk jp tv biz us eu ch au"


def thai_recipe() -> Recipe:
    """The web of the thesis: weights are page counts of Table 10 and Table 11, so they add up to its columns."""
    return Recipe(
        target="th",
        home="th",
        share=36134 / 103734,
        hosts=(
            HostKind(name="about", tld="com", target=500, other=12600, size=40, alike=8, level=4.83, cross=0.4,
                     mingled=0.5, languages=ABOUT),
            HostKind(name="portal", tld="com", target=12500, other=350, size=110, alike=6, level=4.25, cross=0.34),
            HostKind(name="blog", tld="com", target=2000, other=4200, size=14, alike=0.45, level=4.3, cross=0.45,
                     neighbours=1.0, mingled=0.6, languages=FOREIGN),
            HostKind(name="hosting", tld="com", target=5200, other=9500, size=250, alike=2, level=4.7, cross=0.3,
                     mingled=0.69, languages=FOREIGN),
            HostKind(name="foreign", tld="com", target=166, other=31779, size=45, alike=1, level=2.74, cross=0.3,
                     languages=FOREIGN),
            HostKind(name="portal", tld="net", target=9200, other=260, size=110, alike=6, level=4.23, cross=0.34),
            HostKind(name="foreign", tld="net", target=117, other=323, size=20, alike=1, level=2.74, languages=FOREIGN),
            HostKind(name="national", tld="th", target=5300, other=900, size=30, alike=4, level=3.3, cross=0.34),
            HostKind(name="national-english", tld="th", target=427, other=2264, size=30, alike=4, level=5.1, cross=0.3),
            HostKind(name="portal", tld="org", target=350, other=60, size=30, alike=6, level=4.25, cross=0.34),
            HostKind(name="about", tld="org", target=141, other=3703, size=30, alike=4, level=4.83, cross=0.35,
                     languages=ABOUT),
            HostKind(name="foreign", tld="info", target=27, other=26, size=12, alike=0.5, level=2.74),
            HostKind(name="foreign", tld=OTHER_TLDS, target=206, other=1635, size=20, alike=0.5, level=2.74,
                     languages=FOREIGN),
        ),
        target_charsets={"tis-620": 15128, "utf-8": 12043, "windows-874": 8551, "iso-8859-1": 289, "windows-1252": 93,
                         "us-ascii": 10, "iso-8859-11": 3, "others": 17},
        other_charsets={"tis-620": 1203, "utf-8": 23674, "windows-874": 1984, "iso-8859-1": 38486, "windows-1252": 507,
                        "us-ascii": 444, "iso-8859-11": 3, "others": 1299},
        local_charsets=("tis-620", "windows-874", "iso-8859-11"),
        locality=Locality(from_target=0.63, from_other=0.0002, from_about=0.07, stay=0.96, entry=1.0, deep=0.6),
        lies=NO_LIES,
        bushy=1.2,
        expected=Expected(
            pages=40000 / 103734, share=7897 / 40000, parent_precision=7353 / 8435, parent_recall=7353 / 7897,
            domain_precision=2087 / 2869, domain_recall=2087 / 7897, path_precision=6735 / 7597,
            path_recall=6735 / 7897,
        ),
    )  # fmt: skip


def persian_recipe() -> Recipe:
    """A web for the Persian experiments: half of the Persian pages under .ir, neighbours in the same script."""
    near = {"en": 55.0, "ar": 25.0, "ur": 8.0, "ckb": 5.0, "ps": 4.0, "de": 3.0}
    return Recipe(
        target="fa",
        home="ir",
        share=0.22,
        hosts=(
            HostKind(name="national", tld="ir", target=50, other=2, size=45, alike=10, level=2.4, cross=0.25,
                     languages=near),
            HostKind(name="portal", tld="com", target=22, other=0.6, size=90, alike=20, level=2.8, cross=0.25),
            HostKind(name="blog", tld="com", target=18, other=5, size=14, alike=0.5, level=2.4, cross=0.45,
                     neighbours=1.0, mingled=0.5, languages=near),
            HostKind(name="about", tld="com", target=4, other=8, size=30, alike=4, level=1.2, cross=0.4,
                     languages=near),
            HostKind(name="foreign", tld="com", target=4, other=42, size=45, alike=0.6, level=1.2, languages=FOREIGN),
            HostKind(name="neighbour", tld="com net", target=0.4, other=11, size=40, alike=1, level=1.8,
                     languages={"ar": 70.0, "ur": 15.0, "ckb": 8.0, "ps": 7.0}),
            HostKind(name="portal", tld="org", target=1.2, other=0.2, size=30, alike=4, level=2.4),
            HostKind(name="foreign", tld="de", target=0.1, other=8, size=28, alike=1, level=1.0,
                     languages={"de": 95.0, "en": 5.0}),
            HostKind(name="foreign", tld="jp", target=0.05, other=8, size=28, alike=1, level=1.0,
                     languages={"ja": 95.0, "en": 5.0}),
            HostKind(name="foreign", tld="es com", target=0.05, other=7, size=28, alike=1, level=1.0,
                     languages={"es": 95.0, "en": 5.0}),
            HostKind(name="foreign", tld="org net gov uk", target=0.2, other=8.2, size=30, alike=1, level=1.4,
                     languages=FOREIGN),
        ),
        target_charsets={"utf-8": 72, "windows-1256": 25, "iso-8859-1": 2, "us-ascii": 1},
        other_charsets={"utf-8": 45, "iso-8859-1": 40, "windows-1256": 6, "windows-1252": 6, "us-ascii": 3},
        local_charsets=("windows-1256",),
        locality=Locality(from_target=0.72, from_other=0.02, from_about=0.12),
        flaws=Flaws(copies=0.039),
        lies=NO_LIES,
        dynamic=0.387,
        declared=0.45,
        poor=0.06,
    )  # fmt: skip


def near_recipe() -> Recipe:
    """The Persian web with four times the Arabic and Urdu neighbours, and twice the foreign pages beside Persian."""
    times = {"neighbour": 4, "blog": 2, "about": 2}
    recipe = persian_recipe()
    hosts = tuple(replace(kind, other=kind.other * times.get(kind.name, 1)) for kind in recipe.hosts)
    return replace(recipe, hosts=hosts)


def note_recipe() -> Recipe:
    """The Persian web as thin as the note met it: fewer pages in the language, looser links, and more addresses that
    give no page, so that a crawl has the ratios of its Table 5."""
    recipe = persian_recipe()
    flaws = replace(recipe.flaws, dead=0.7, broken=0.03, moved=0.06, files=0.06)
    locality = replace(recipe.locality, from_target=0.48, from_other=0.008, from_about=0.05)
    return replace(recipe, share=0.05, flaws=flaws, locality=locality)


def plain_recipe(language: str) -> Recipe:
    """The Thai web in another language: under the domain of its country, all of it in UTF-8."""
    recipe, country = thai_recipe(), COUNTRIES.get(language, language)
    hosts = tuple(
        replace(
            kind,
            tld=country if kind.tld == recipe.home else kind.tld,
            languages={code: weight for code, weight in kind.languages.items() if code != language},
        )
        for kind in recipe.hosts
    )
    only, others = {"utf-8": 1.0}, {"utf-8": 60.0, "iso-8859-1": 40.0}
    return replace(
        recipe, target=language, home=country, hosts=hosts, target_charsets=only, other_charsets=others,
        local_charsets=(), expected=None,
    )  # fmt: skip


COUNTRIES = {"lo": "la", "km": "kh", "my": "mm", "ja": "jp", "ko": "kr", "zh": "cn", "vi": "vn", "uk": "ua", "he": "il"}
"""Where the domain of the country is not the code of the language."""
RECIPES = {"th": thai_recipe, "fa": persian_recipe, "fa-near": near_recipe, "fa-note": note_recipe}


def recipe_for(language: str, lies: float = 1.0) -> Recipe:
    """The recipe for a language, with so many times the lies of the real web: 0 is the web of the papers, as it was
    published. Raises SettingsError that names those there are."""
    if language not in RECIPES and language not in known_vocabularies():
        named = ", ".join(dict.fromkeys([*RECIPES, *known_vocabularies()]))
        raise SettingsError(f"no world for '{language}'; there is one for {named}")
    if not 0 <= lies < inf:
        raise SettingsError(f"lies {lies:g}: say a number from 0 (never) on; 1 is as often as the real web does")
    made = RECIPES[language]() if language in RECIPES else plain_recipe(language)
    return replace(made, lies=scaled(Lies(), lies))
