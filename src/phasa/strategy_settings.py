"""The switches of the strategies, as sections of collection.toml; a command may override one: `lswc:distance=4`."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from phasa.errors import SettingsError
from phasa.settings import Settings, out_of_range


class ScoreWeights(Settings, frozen=True, kw_only=True):
    """The weights of the ten terms. The published experiments use depth 95, random 5, the language 0 to 1000."""

    pagerank: Annotated[float, Meta(description="Weight of PageRank.")] = 0.0
    wlscore: Annotated[float, Meta(description="Weight of WLRank, PageRank with weighted links.")] = 0.0
    hub: Annotated[float, Meta(description="Weight of the HITS hub score.")] = 0.0
    authority: Annotated[float, Meta(description="Weight of the HITS authority score.")] = 0.0
    siterank: Annotated[float, Meta(description="Weight of the rank of the site.")] = 0.0
    queuesize: Annotated[float, Meta(description="Weight of the site's queue length.")] = 0.0
    depth: Annotated[float, Meta(description="Weight of nearness to the seeds.")] = 95.0
    static: Annotated[float, Meta(description="Weight of not being made by a program (.php, .asp …).")] = 0.0
    random: Annotated[float, Meta(description="Weight of chance.")] = 5.0
    persian: Annotated[
        float,
        Meta(description="Weight of being linked from a page in the language (CONF_MANAGER_SCORE_PERSIAN_WEIGHT)."),
    ] = 500.0


class HybridSettings(Settings, frozen=True, kw_only=True):
    step: Annotated[float, Meta(gt=0, description="How fast the weights of features move.")] = 0.1
    piece_step: Annotated[float, Meta(ge=0, description="How fast the weights of pieces of names move.")] = 0.05
    floor: Annotated[float, Meta(description="Log odds below which the order is breadth-first.")] = -2.0
    grain: Annotated[float, Meta(gt=0, description="Log odds closer than this count as equal.")] = 0.25
    every: Annotated[int, Meta(ge=1, description="Pages between two second looks at all waiting URLs.")] = 100
    batch: Annotated[int, Meta(ge=1, description="Pages whose news of known URLs are taken in together.")] = 4
    memory: Annotated[int, Meta(ge=1000, description="Waiting URLs that are remembered and scored again.")] = 200_000


class SegmentSettings(Settings, frozen=True, kw_only=True):
    predictor: Annotated[str, Meta(description="File of the predictor (phasa learn predictor), in models/.")] = (
        "segment.predictor"
    )
    trained: Annotated[bool, Meta(description="Crawl pages again that the predictor was learned from (§5.4).")] = False
    threshold: Annotated[float, Meta(ge=0, le=1, description="τ: relevance degree of a relevant segment.")] = 0.5
    strict: Annotated[bool, Meta(description="Relevant above τ instead of from τ on (reading A3).")] = False
    patience: Annotated[int, Meta(ge=1, description="S: irrelevant pages in a row that end a segment.")] = 2
    distance: Annotated[int, Meta(ge=1, description="D: irrelevant segments in a row that end a way.")] = 2
    discover: Annotated[bool, Meta(description="Follow links inside a segment while it is crawled (A8).")] = True
    sources: Annotated[
        Literal["citing", "all"],
        Meta(description="n of the score: the sources that cite a segment, or all finished ones (A17)."),
    ] = "citing"
    reopen: Annotated[bool, Meta(description="New addresses open a finished segment again (A22).")] = False
    least_chance: Annotated[float, Meta(ge=0, le=1, description="Links of a smaller P_E are left out (A25).")] = 0.0
    inside: Annotated[
        Literal["found", "parent"],
        Meta(description="Order inside a segment: as found, or by the score of the page it was found on (A28)."),
    ] = "found"
    pages_per_segment: Annotated[int, Meta(ge=1, description="Addresses remembered per segment; no more wait.")] = 300
    several: Annotated[
        Literal["least", "most", "latest"],
        Meta(description="Rule D with several sources: the shortest run of them, the longest, or the latest (A21)."),
    ] = "least"
    source_score: Annotated[
        Literal["pages", "degree"],
        Meta(description="What a source is worth: the mean score of its pages, or its relevance degree (A33)."),
    ] = "pages"
    directories: Annotated[
        Literal["slash", "bare"],
        Meta(description="What a segment is: all up to the last slash, or '/thailand' is a directory too (A1)."),
    ] = "slash"
    website: Annotated[
        Literal["host", "domain"],
        Meta(description="What a website is whose inner links teach nothing: a host or a registered domain (A2)."),
    ] = "host"
    counted: Annotated[
        Literal["occurrences", "distinct"],
        Meta(description="Shares of related words count every occurrence, or every word once (A5)."),
    ] = "occurrences"
    addresses: Annotated[
        Literal["citing", "known"],
        Meta(description="Addresses of a destination: those that its source cites, or all that are known (A6)."),
    ] = "citing"
    bins: Annotated[
        Literal["width", "frequency"], Meta(description="The ten values of a share: of equal width or frequency (A7).")
    ] = "width"
    surroundings: Annotated[
        Literal["each", "total"],
        Meta(description="100 characters on each side of an anchor, or 100 in all (A16)."),
    ] = "each"
    countries: Annotated[
        Literal["fetched", "asked"],
        Meta(description="Countries of hosts that were fetched from, or also by DNS of those that links lead to."),
    ] = "fetched"


class BestPageSettings(Settings, frozen=True, kw_only=True):
    parent: Annotated[
        Literal["best", "first", "latest"],
        Meta(description="Of several pages that link to an address, whose score it has (A23)."),
    ] = "best"


class SegmentHybridSettings(Settings, frozen=True, kw_only=True):
    predictor: Annotated[str, Meta(description="Predictor to start from, in models/; without one it starts blank.")] = (
        "segment.predictor"
    )
    explore: Annotated[float, Meta(ge=0, description="Bonus in log odds of a site without a page yet.")] = 0.1
    every: Annotated[int, Meta(ge=1, description="Pages between two looks at all that waits.")] = 25
    remembered: Annotated[int, Meta(ge=1000, description="Waiting addresses whose evidence is kept.")] = 100_000


class LswcSettings(Settings, frozen=True, kw_only=True):
    distance: Annotated[int, Meta(ge=0, description="T: most links from the last page in the language.")] = 5
    patience: Annotated[int, Meta(ge=1, description="S: other-language pages until a server is judged foreign.")] = 3
    drop_foreign: Annotated[bool, Meta(description="Drop links to foreign servers instead of queueing them last.")] = (
        False
    )


class LimitedDistanceSettings(Settings, frozen=True, kw_only=True):
    distance: Annotated[int, Meta(ge=0, description="Most other-language pages in a row.")] = 3
    ordered: Annotated[bool, Meta(description="Prefer links nearer to a page in the language.")] = True


class FishSettings(Settings, frozen=True, kw_only=True):
    depth: Annotated[int, Meta(ge=1, description="Links a path may go on without meeting a relevant page.")] = 3
    width: Annotated[int, Meta(ge=0, description="Most links taken from an irrelevant page; 0 takes all.")] = 0


class SharkSettings(Settings, frozen=True, kw_only=True):
    decay: Annotated[float, Meta(ge=0, le=1, description="δ: what is left of a page's score in its links.")] = 0.5
    anchor: Annotated[float, Meta(ge=0, le=1, description="β: share of the anchor in the neighbourhood.")] = 0.8
    inherited: Annotated[float, Meta(ge=0, le=1, description="γ: share of what is inherited.")] = 0.5


class NaiveBayesSettings(Settings, frozen=True, kw_only=True):
    strict_path: Annotated[bool, Meta(description="Take D in the order of the prose (reading A3).")] = False
    duplicates: Annotated[
        bool,
        Meta(description="As in Algorithm 2: an address waits once for each link to it, scored by that link alone."),
    ] = False


class PersianSettings(ScoreWeights, frozen=True, kw_only=True):
    max_depth: Annotated[int, Meta(ge=1, description="Depth at which the depth term reaches 0.")] = 15
    policy: Annotated[
        Literal["weight", "discard", "limited-distance"],
        Meta(description="Links of other-language pages: weight (weigh less), discard, limited-distance."),
    ] = "weight"
    distance: Annotated[int, Meta(ge=0, description="Budget of limited-distance, in other-language pages.")] = 3
    every: Annotated[
        int,
        Meta(ge=1, description="Pages between two looks at ranks and queue sizes, when one of them has a weight."),
    ] = 100


class CycleSettings(Settings, frozen=True, kw_only=True):
    """A crawl in cycles (`phasa crawl --cycles`): what WIRE.conf says, as far as the published system uses it."""

    batch: Annotated[int, Meta(gt=0, description="Documents that the manager assigns in a cycle.")] = 1800
    per_site: Annotated[int, Meta(gt=0, description="Most documents of one host in a batch.")] = 100
    pages_per_site: Annotated[int, Meta(ge=0, description="Most pages of one host in all; 0 = no limit.")] = 6000
    sites: Annotated[int, Meta(ge=0, description="Most hosts in all; 0 = no limit.")] = 6000
    domains: Annotated[
        tuple[str, ...],
        Meta(description="Top-level domains of links that are accepted; seeds may be anywhere; empty = all."),
    ] = ("ir", "com", "org", "net", "gov", "jp", "de", "ar", "uk")
    front_pages: Annotated[bool, Meta(description="Documents of depth 1 have the sum of all weights.")] = False
    revisit: Annotated[
        bool, Meta(description="Fetched pages compete again: priority = score × (1 − freshness^age_exponent).")
    ] = False
    age_exponent: Annotated[float, Meta(gt=0, description="Exponent of freshness.")] = 1.0
    change_days: Annotated[
        float, Meta(gt=0, description="Days after which a page is fresh with a likelihood of 1/e.")
    ] = 30.0


class LangidSettings(Settings, frozen=True, kw_only=True):
    """What the detectors `persian`, `persian-meta` and `persian-content` look at; empty lists: the shipped ones."""

    min_stopword_hits: Annotated[int, Meta(ge=1, description="Stop words that must occur.")] = 1
    charsets: Annotated[tuple[str, ...], Meta(description="Encodings of the content path.")] = ("windows-1256", "utf-8")
    unicode_ranges: Annotated[
        tuple[str, ...], Meta(description='Letters that count, as ["0600-06FF"]; empty = the Arabic blocks.')
    ] = ()
    delimiters: Annotated[
        str, Meta(description="Characters between words, besides blanks; empty = the usual ones.")
    ] = ""
    stopword_file: Annotated[
        str, Meta(description="Stop words, one a line, UTF-8, relative to the collection; empty = the shipped list.")
    ] = ""


class StrategySettings(Settings, frozen=True, kw_only=True):
    """One section per strategy that has switches."""

    hybrid: Annotated[HybridSettings, Meta(description="Strategy hybrid.")] = HybridSettings()
    lswc: Annotated[LswcSettings, Meta(description="Strategy lswc.")] = LswcSettings()
    limited_distance: Annotated[LimitedDistanceSettings, Meta(description="Strategy limited-distance.")] = (
        LimitedDistanceSettings()
    )
    fish: Annotated[FishSettings, Meta(description="Strategy fish.")] = FishSettings()
    shark: Annotated[SharkSettings, Meta(description="Strategy shark.")] = SharkSettings()
    nb: Annotated[NaiveBayesSettings, Meta(description="Strategy nb.")] = NaiveBayesSettings()
    persian: Annotated[PersianSettings, Meta(description="Strategy persian.")] = PersianSettings()
    segment: Annotated[SegmentSettings, Meta(description="Strategies segment and best-segment.")] = SegmentSettings()
    best_page: Annotated[BestPageSettings, Meta(description="Strategy best-page.")] = BestPageSettings()
    segment_hybrid: Annotated[SegmentHybridSettings, Meta(description="Strategy segment-hybrid.")] = (
        SegmentHybridSettings()
    )


# Strategies that have the switches of another.
_SHARED = {"best-segment": "segment"}


def with_options(settings: StrategySettings, name: str, options: list[str]) -> StrategySettings:
    """The settings with `key=value` options of one strategy put in. Raises SettingsError that names the option."""
    section = _SHARED.get(name, name.replace("-", "_"))
    if not options:
        return settings
    if section not in StrategySettings.__struct_fields__:
        raise SettingsError(f"strategy '{name}' has no options; leave out ':{':'.join(options)}'")
    before = getattr(settings, section)
    table: dict[str, Any] = msgspec.structs.asdict(before)
    for option in options:
        key, equals, value = option.partition("=")
        if not equals or key not in table:
            near = get_close_matches(key, table, n=1, cutoff=0.5)
            advice = f"did you mean '{near[0]}'?" if near else f"options: {', '.join(table)}"
            raise SettingsError(f"strategy '{name}': unknown option '{option}', expected KEY=VALUE; {advice}")
        table[key] = value
    try:
        changed = msgspec.convert(table, type(before), strict=False)
    except (msgspec.ValidationError, UnicodeError) as problem:
        raise SettingsError(f"strategy '{name}': {problem}") from None
    if trouble := out_of_range(changed):
        raise SettingsError(f"strategy '{name}': option {trouble}")
    return msgspec.structs.replace(settings, **{section: changed})


def settings_for(settings: StrategySettings, spec: str) -> StrategySettings:
    """The settings as a strategy with options in its name, 'segment:patience=3', has them. Raises SettingsError."""
    name, *options = spec.split(":")
    return with_options(settings, name, options)
