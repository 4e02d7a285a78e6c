"""What phasa knows of a language, as a data file that a user can write too (docs/languages.md)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from phasa.errors import SettingsError
from phasa.language.scripts import SCRIPT_ID, SCRIPT_SETS
from phasa.settings import Settings, read_settings, write_settings


class Profile(Settings, frozen=True, kw_only=True):
    """One language. Every field but code, name and scripts may be left out of the file."""

    code: Annotated[str, Meta(description="BCP 47 code, as verdicts print it.", pattern="^[a-z]{2,3}(-[A-Za-z0-9]+)*$")]
    name: Annotated[str, Meta(description="English name.")]
    scripts: Annotated[
        tuple[str, ...],
        Meta(
            description="Scripts it is written in, ISO 15924, the usual one first; Jpan, Kore, Hans, Hant too.",
            min_length=1,
        ),
    ]
    native_name: Annotated[str, Meta(description="Its name in itself.")] = ""
    aliases: Annotated[tuple[str, ...], Meta(description="Other codes and names that mean it, lower case.")] = ()
    direction: Annotated[Literal["ltr", "rtl"], Meta(description="Direction of writing.")] = "ltr"
    charsets: Annotated[
        tuple[str, ...], Meta(description="Charsets that only this language (or its neighbours) uses.")
    ] = ()
    tlds: Annotated[tuple[str, ...], Meta(description="Top-level domains of its countries, as in a URL.")] = ()
    countries: Annotated[tuple[str, ...], Meta(description="Countries where it is official, ISO 3166.")] = ()
    threshold: Annotated[
        float, Meta(description="Z: a page whose known words are at least this share is in the language.", ge=0, le=1)
    ] = 0.1
    segmenter: Annotated[str, Meta(description="Engine that finds its words: phasa, lexto, spaced …")] = "spaced"
    normalise: Annotated[
        tuple[str, ...], Meta(description="Steps that bring spellings together (docs/languages.md lists them).")
    ] = ("nfc",)
    dictionary: Annotated[
        str, Meta(description="Word list for Γ: a shipped list's code, or a UTF-8 file, one word a line.")
    ] = ""
    extra_words: Annotated[
        str, Meta(description="More words for Γ, besides the dictionary: a UTF-8 file, one word a line.")
    ] = ""
    prefixes: Annotated[
        tuple[str, ...], Meta(description="Prefixes that count as words of their own: Thai การ, ความ. For Γ.")
    ] = ()
    stop_words: Annotated[
        str, Meta(description="Stop words: a shipped list's code, or a UTF-8 file, one word a line.")
    ] = ""
    samples: Annotated[
        str, Meta(description="Text to learn n-grams from: empty for the shipped ones, or a UTF-8 file.")
    ] = ""
    thresholds: Annotated[
        str, Meta(description="Thresholds of corpora: empty for the shipped ones, or a file of `phasa corpus learn`.")
    ] = ""

    @property
    def names(self) -> frozenset[str]:
        """All that a page may declare to mean this language, lower case."""
        return frozenset({self.code.lower(), self.name.lower(), *self.aliases})


_SHIPPED = Path(__file__).with_name("profiles")  # importlib.resources would take longer to load than a profile
_FILES = ("dictionary", "extra_words", "stop_words", "samples", "thresholds")
"""The settings of a profile that name a file, or a shipped list."""


def known_languages() -> list[str]:
    """Codes of the shipped profiles, in alphabetic order."""
    return sorted(profile.code for profile in _shipped().values())


def load_profile(code_or_path: str) -> Profile:
    """A shipped profile by code or alias (`fa`, `az-Arab`), or the profile in a file (anything that ends in .toml).

    File names inside a user's profile are taken relative to it. Raises SettingsError that says what is wrong.
    """
    if code_or_path.endswith(".toml"):
        return _read(Path(code_or_path))
    if (found := _by_name().get(code_or_path.lower().replace("_", "-"))) is not None:
        return found
    raise SettingsError(
        f"language {code_or_path!r}: no profile of that name; shipped: {', '.join(known_languages())}; "
        "or give the path of your own profile (.toml)"
    )


def profile_for(code: str) -> Profile | None:
    """The shipped profile for a code, or for the language it is a variety of (`fa-IR` -> fa); None without one."""
    wanted = code.lower().replace("_", "-")
    while wanted:
        if (found := _by_name().get(wanted)) is not None:
            return found
        wanted = wanted.rpartition("-")[0]
    return None


def is_shipped(code: str) -> bool:
    """Whether a profile with this very code is shipped; without reading any."""
    return code in _sources()


def is_mentioned(name: str) -> bool:
    """Whether any shipped profile mentions this name, as one of its own or in any other place; without parsing any."""
    quoted = f'"{name.lower()}"'
    return is_shipped(name) or any(quoted in source for source in _sources().values())


def keep_profile(profile: Profile, folder: Path) -> Path:
    """Write a profile and the lists that it names into a folder, so that it stands by itself; the file of the profile.

    Raises SettingsError for a list that cannot be read.
    """
    lists: dict[str, bytes] = {}
    for key in _FILES:
        if "." not in (source := getattr(profile, key)):
            continue
        try:
            lists[key] = Path(source).read_bytes()
        except OSError as problem:
            reason = (problem.strerror or "").lower()
            raise SettingsError(f"{source}: cannot be read: {reason}; setting {key!r} names it") from None
    folder.mkdir(parents=True, exist_ok=True)
    for key, content in lists.items():
        (folder / f"{key}.txt").write_bytes(content)
    kept = folder / f"{profile.code}.toml"
    names = {key: f"{key}.txt" for key in lists}
    kept.write_text(write_settings(msgspec.structs.replace(profile, **names)), encoding="utf-8")
    return kept


@cache
def _sources() -> dict[str, str]:
    """What the files of the shipped profiles say, in lower case, by code."""
    return {path.stem: path.read_text(encoding="utf-8").lower() for path in _SHIPPED.glob("*.toml")}


@cache
def _shipped() -> dict[str, Profile]:
    return {profile.code: profile for profile in sorted(map(_read, _SHIPPED.glob("*.toml")), key=lambda one: one.code)}


@cache
def _by_name() -> dict[str, Profile]:
    """Every shipped profile by each of its names; of two with one name, the first."""
    found: dict[str, Profile] = {}
    for profile in _shipped().values():
        for name in profile.names:
            found.setdefault(name, profile)
    return found


def _read(path: Path) -> Profile:
    try:
        profile = read_settings(path, Profile)
    except OSError as problem:
        raise SettingsError(f"{path}: cannot be read: {(problem.strerror or '').lower()}") from None
    for script in profile.scripts:
        if script not in SCRIPT_ID and script not in SCRIPT_SETS:
            raise SettingsError(f"{path}: setting 'scripts': {script!r} is no script we know; known: {_scripts()}")
    written = dict.fromkeys(one for script in profile.scripts for one in SCRIPT_SETS.get(script, (script,)))
    beside = {key: str(path.parent / value) for key in _FILES if "." in (value := getattr(profile, key))}
    return msgspec.structs.replace(profile, scripts=tuple(written), **beside)


def _scripts() -> str:
    return ", ".join([*(script for script in SCRIPT_ID if script != "Zyyy"), *SCRIPT_SETS])
