"""How links between segments are read: what a predictor was learned with, and must be asked with (§8)."""

from __future__ import annotations

import msgspec

from phasa.strategy_settings import SegmentSettings


class Choices(msgspec.Struct, frozen=True):
    """The settings of the same names in [strategies.segment], as a predictor keeps them."""

    directories: str = "slash"
    website: str = "host"
    counted: str = "occurrences"
    addresses: str = "citing"
    bins: str = "width"
    surroundings: str = "each"


def choices_of(settings: SegmentSettings) -> Choices:
    """What the settings choose."""
    return Choices(**{name: getattr(settings, name) for name in Choices.__struct_fields__})


def differences(learned: Choices, settings: SegmentSettings) -> str:
    """What a predictor was learned with and the settings have otherwise; empty when nothing is."""
    now = choices_of(settings)
    return ", ".join(
        f"{name} = {getattr(learned, name)!r}"
        for name in Choices.__struct_fields__
        if getattr(learned, name) != getattr(now, name)
    )
