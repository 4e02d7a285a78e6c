"""The switches of the strategies, as sections of collection.toml; a command may override one: `lswc:distance=4`."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from phasa.crawl.strategies.hybrid import HybridSettings
from phasa.crawl.strategies.segment import SegmentSettings
from phasa.crawl.strategies.segment_hybrid import SegmentHybridSettings
from phasa.crawl.wire.score import ScoreWeights
from phasa.errors import SettingsError
from phasa.settings import Settings


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


class PersianSettings(ScoreWeights, frozen=True, kw_only=True):
    max_depth: Annotated[int, Meta(ge=1, description="Depth at which the depth term reaches 0.")] = 15
    policy: Annotated[
        Literal["weight", "discard", "limited-distance"],
        Meta(description="Links of other-language pages: weight (weigh less), discard, limited-distance."),
    ] = "weight"
    distance: Annotated[int, Meta(ge=0, description="Budget of limited-distance, in other-language pages.")] = 3


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
    except msgspec.ValidationError as problem:
        raise SettingsError(f"strategy '{name}': {problem}") from None
    return msgspec.structs.replace(settings, **{section: changed})
