"""What a web with topical segments is like. The shipped recipe is matched to Tables 3 and 5–7 of the thesis.

A *kind* is what a segment is about: four subjects in Thailand, their neighbours (the same theme elsewhere, companies of
the trade), lures (the same theme in several countries), other English pages on Thailand, and everything else. A *site
type* says which kinds stand side by side.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from phasa.settings import Settings


class Kind(Settings, frozen=True):
    """What a segment is about, how pure it is, how it is spoken of and where its links lead."""

    name: Annotated[str, Meta(description="Name of the kind.")]
    themes: Annotated[tuple[str, ...], Meta(description="Themes its pages are written on; a segment has one.")]
    place: Annotated[Literal["thai", "elsewhere", "none"], Meta(description="Where its pages are set.")]
    links: Annotated[dict[str, float], Meta(description="Kinds its segment links lead to, with weights.")]
    size: Annotated[float, Meta(description="Mean pages of a segment.")] = 7.0
    purity: Annotated[
        tuple[float, float, float, float],
        Meta(description="Weights of segments with a relevance degree of 1, from .75, from .5, from .25."),
    ] = (1.0, 0.0, 0.0, 0.0)
    off: Annotated[str, Meta(description="Kind of the pages that do not fit their segment.")] = "company"
    stray: Annotated[dict[str, float], Meta(description="Share of its pages that are of another kind.")] = field(
        default_factory=dict
    )
    anchor: Annotated[float, Meta(description="Links to it with a Thai place name in their words.")] = 0.1
    address: Annotated[float, Meta(description="Its segments with a Thai place name in their path.")] = 0.05


class SiteType(Settings, frozen=True):
    """One sort of site."""

    name: Annotated[str, Meta(description="Name of the sort.")]
    weight: Annotated[float, Meta(description="Weight among the segments of the web.")]
    kinds: Annotated[dict[str, float], Meta(description="Kinds of its segments, with weights; the first is its home.")]
    segments: Annotated[float, Meta(description="Mean segments of a site.")] = 10.0
    tlds: Annotated[str, Meta(description="Top-level domains, the first oftener.")] = "com org net uk de au"
    at_home: Annotated[float, Meta(description="Share of the servers that stand in Thailand.")] = 0.03
    local_name: Annotated[float, Meta(description="Share of host names with a Thai place in them.")] = 0.0
    flat: Annotated[float, Meta(description="Share of sites without directories.")] = 0.04


class TopicalRecipe(Settings, frozen=True):
    """A web with topical segments."""

    kinds: Annotated[tuple[Kind, ...], Meta(description="What segments are about.")]
    sites: Annotated[tuple[SiteType, ...], Meta(description="Sorts of sites.")]
    topics: Annotated[dict[str, tuple[str, ...]], Meta(description="Topic → the kinds that are relevant to it.")]
    stay: Annotated[float, Meta(description="Links that take a segment of their own site where it has a fit one.")] = (
        0.5
    )
    degree: Annotated[float, Meta(description="Mean segments that a segment links to, beside its home.")] = 40.0
    vague: Annotated[float, Meta(description="Links whose words say nothing: 'click here'.")] = 0.25
    dialect: Annotated[float, Meta(description="Share of the words of a subject that links of one web use.")] = 0.6
    spoken: Annotated[float, Meta(description="Links that name the theme of the segment they lead to.")] = 0.55
    noise: Annotated[float, Meta(description="Links with words of something else beside them.")] = 0.5
    foreign: Annotated[float, Meta(description="Share of other segments that are not in English.")] = 0.06
    words: Annotated[int, Meta(description="Mean words of a page.")] = 70
    fame: Annotated[
        float, Meta(ge=1, description="How few segments of the rest are known to everybody: 1 none, 6 a handful.")
    ] = 6.0
    places: Annotated[
        int, Meta(ge=0, description="Rare places, in Thailand and elsewhere each, that links and addresses name.")
    ] = 1500


CORE = ("tour", "dive", "estate", "food")


def topical_recipe() -> TopicalRecipe:
    """Thailand in English: tourism, diving (part of tourism), estate, and food, which the thesis does not have."""
    return TopicalRecipe(
        kinds=(
            Kind(name="tour", themes=("tourism",), place="thai", purity=(0.70, 0.16, 0.10, 0.04), off="tour-near",
                 links={"tour": 66, "dive": 6, "estate": 2, "food": 3, "tour-near": 5, "tour-mixed": 9, "thai": 3,
                        "far": 6},
                 anchor=0.52, address=0.56),
            Kind(name="dive", themes=("diving",), place="thai", purity=(0.60, 0.30, 0.06, 0.04), off="tour",
                 links={"dive": 56, "tour": 22, "tour-near": 5, "tour-mixed": 6, "thai": 3, "far": 8}, anchor=0.6,
                 address=0.74),
            Kind(name="estate", themes=("estate",), place="thai", purity=(0.78, 0.08, 0.12, 0.02), off="estate-near",
                 links={"estate": 48, "estate-near": 20, "estate-mixed": 12, "tour": 5, "thai": 5, "far": 10},
                 anchor=0.42, address=0.5),
            Kind(name="food", themes=("food",), place="thai", purity=(0.78, 0.14, 0.05, 0.03), off="food-near",
                 links={"food": 54, "tour": 12, "food-near": 18, "thai": 6, "far": 10}, anchor=0.48, address=0.5),
            Kind(name="tour-near", themes=("tourism", "tourism", "diving"), place="elsewhere",
                 links={"tour-near": 62, "far": 36, "tour": 0.1, "dive": 0.1, "estate": 0.2, "tour-mixed": 2},
                 stray={"tour": 0.05, "dive": 0.025}, anchor=0.14, address=0.05),
            Kind(name="estate-near", themes=("estate", "estate", "company"), place="elsewhere",
                 links={"estate": 26, "estate-near": 38, "far": 26, "thai": 4, "estate-mixed": 6},
                 stray={"estate": 0.06}, anchor=0.3, address=0.08),
            Kind(name="food-near", themes=("food",), place="elsewhere",
                 links={"food": 7, "food-near": 55, "far": 36, "thai": 2}, stray={"food": 0.03},
                 anchor=0.16, address=0.06),
            Kind(name="thai", themes=("news", "company", "finance", "health"), place="thai",
                 links={"thai": 46, "tour": 0.5, "dive": 0.2, "estate": 9, "food": 2, "far": 42}, size=6.0,
                 stray={"tour": 0.015, "estate": 0.02, "food": 0.01}, anchor=0.4, address=0.25),
            Kind(name="company", themes=("company",), place="none",
                 links={"far": 70, "tour-near": 12, "estate-near": 10, "thai": 8}, size=3.0, anchor=0.08, address=0.03),
            Kind(name="far", themes=("motor", "software", "finance", "health", "music", "sport", "garden", "company"),
                 place="none", links={"far": 95.5, "tour-near": 2, "estate-near": 1, "food-near": 1, "thai": 0.5},
                 anchor=0.04, address=0.02),
            # Lures: they are spoken of as if they were on the topic, two or three pages of ten are, and they lead on
            # to their like. Three in a row are what rule D is for.
            Kind(name="tour-mixed", themes=("tourism", "tourism", "diving"), place="elsewhere",
                 links={"tour-mixed": 60, "tour-near": 25, "far": 14.6, "tour": 0.2, "dive": 0.2},
                 stray={"tour": 0.3, "dive": 0.12}, anchor=0.5, address=0.4),
            Kind(name="estate-mixed", themes=("estate",), place="elsewhere",
                 links={"estate-mixed": 60, "estate-near": 25, "far": 10, "estate": 5}, stray={"estate": 0.38},
                 anchor=0.45, address=0.4),
        ),
        sites=(
            SiteType(name="tour-portal", weight=11, kinds={"tour": 84, "dive": 9, "food": 2, "company": 3, "thai": 2},
                     tlds="com com th net org", at_home=0.45, local_name=0.6),
            SiteType(name="dive-shop", weight=6, kinds={"dive": 86, "tour": 11, "company": 3}, segments=7,
                     tlds="com com net th", at_home=0.4, local_name=0.5),
            SiteType(name="estate-portal", weight=8, kinds={"estate": 91, "estate-near": 3, "company": 3, "tour": 3},
                     tlds="com com net th", at_home=0.45, local_name=0.5),
            SiteType(name="kitchen", weight=6, kinds={"food": 92, "food-near": 4, "company": 4}, segments=8,
                     tlds="com com org net", at_home=0.25, local_name=0.3),
            SiteType(name="travel-abroad", weight=8, kinds={"tour-near": 92, "food-near": 4, "company": 4}),
            SiteType(name="estate-abroad", weight=4, kinds={"estate-near": 92, "company": 8}),
            SiteType(name="cooking-abroad", weight=4, kinds={"food-near": 94, "company": 6}),
            SiteType(name="travel-guide", weight=8,
                     kinds={"tour-near": 74, "tour": 16, "dive": 5, "food-near": 2, "food": 1, "company": 2},
                     segments=18),
            SiteType(name="estate-world", weight=6, kinds={"estate-near": 80, "estate": 12, "company": 8}, segments=14),
            SiteType(name="cookbook", weight=4, kinds={"food-near": 80, "food": 14, "company": 6}, segments=14),
            SiteType(name="thai-news", weight=6,
                     kinds={"thai": 62, "tour": 10, "estate": 12, "food": 6, "dive": 2, "company": 8}, segments=14,
                     tlds="com th th net", at_home=0.6, local_name=0.5),
            SiteType(name="thai-office", weight=4, kinds={"thai": 90, "company": 10}, tlds="th com th", at_home=0.7,
                     local_name=0.4),
            SiteType(name="blog", weight=7, kinds={"far": 52, "tour": 12, "food": 8, "estate": 4, "dive": 6, "thai": 8,
                                                   "tour-near": 10}, segments=5, tlds="com net org", flat=0.2),
            SiteType(name="travel-region", weight=7, kinds={"tour-mixed": 80, "tour-near": 16, "company": 4},
                     segments=14, local_name=0.1),
            SiteType(name="estate-region", weight=4, kinds={"estate-mixed": 80, "estate-near": 16, "company": 4},
                     segments=12, local_name=0.1),
            SiteType(name="other", weight=26, kinds={"far": 92, "company": 5, "tour-near": 3}, segments=12),
        ),
        topics={"tourism": ("tour", "dive"), "estate": ("estate",), "diving": ("dive",), "food": ("food",)},
    )  # fmt: skip
