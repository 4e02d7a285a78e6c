"""What a corpus is asked to be: everything that changes its bytes."""

from __future__ import annotations

from pathlib import Path

import msgspec

from phasa.errors import InputError
from phasa.language.profile import Profile, load_profile

STEPS: dict[str, str] = {
    "optout": "leave out pages that say noai, noarchive or reserve text and data mining",
    "language": "keep the documents and paragraphs that are in the language",
    "normalise": "one spelling for what is written in several, by the profile",
    "quality": "leave out text that the thresholds of the language say is none",
    "spam": "leave out pages of adult and gambling spam",
    "duplicates": "keep one of documents that are the same or nearly so",
    "boilerplate": "leave out paragraphs that a site repeats",
}
"""The steps that can be switched off. Reading and extraction always happen; masking is asked for."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one corpus; `profile` is the language itself, so that a changed profile is a changed corpus."""

    profile: Profile
    without: tuple[str, ...] = ()
    mask: tuple[str, ...] = ()
    thresholds: str = ""
    """A file of thresholds; empty: those of the profile or of the table that is shipped."""
    min_score: float = 0.5
    """The least score of the language of a paragraph that decides by itself."""
    jaccard: float = 0.8
    """Documents whose shingles agree to this share are near duplicates."""
    against: tuple[str, ...] = ()
    parquet: bool = True
    jsonl: bool = True

    def has(self, step: str) -> bool:
        return step not in self.without


def check_switches(without: tuple[str, ...], mask: tuple[str, ...], kinds: tuple[str, ...]) -> None:
    """Raises InputError for a step or a kind of personal data that there is not."""
    for name in without:
        if name not in STEPS:
            raise InputError(f"--without {name}: there is no such step; the steps are {', '.join(STEPS)}")
    for name in mask:
        if name not in kinds:
            raise InputError(f"--mask {name}: not a kind of personal data; they are {', '.join(kinds)}, or all")


def profile_of(language: str) -> Profile:
    """The profile of a language by code or file. Raises SettingsError."""
    profile = load_profile(language)
    # Absolute, since workers and a resumed run may stand in another folder.
    names = {
        key: str(Path(value).resolve())
        for key in ("dictionary", "stop_words", "samples", "thresholds")
        if "." in (value := getattr(profile, key))
    }
    return msgspec.structs.replace(profile, **names)
