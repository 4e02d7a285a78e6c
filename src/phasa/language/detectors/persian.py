"""The Persian cascade (Persian specification §4.1): language tag, charset, letters, stop words, in that order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from phasa.errors import SettingsError
from phasa.language.charsets import charset_name
from phasa.language.detectors.detector import OneByOne, sample
from phasa.language.normalise import normalise
from phasa.language.profile import Profile, load_profile
from phasa.language.stoplist import cascade_words
from phasa.language.verdict import Document, Verdict, unknown

_ACCEPTED_CHARSETS = frozenset({"windows-1256", "utf-8"})
_PERSIAN_RANGE = re.compile("[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff]")
# General delimiters and the Persian comma, semicolon and question mark; the half-space belongs to a word.
DELIMITERS = re.compile(r"[\s.,:;!?()\"/«»\[\]{}،؛؟…]+")
_LOOKED_AT = 200_000


class Mode(Enum):
    """Which indicators the cascade may use."""

    META = "meta"
    CONTENT = "content"
    COMBINED = "combined"


class Finding(NamedTuple):
    """What the cascade found: Persian or not, the stage that decided (1 to 4), and the stop words met."""

    is_persian: bool
    stage: int
    hits: int


class PersianCascade(OneByOne):
    """Persian or not. `min_hits` stop words must occur (the specification's literal reading is 1)."""

    def __init__(
        self,
        mode: Mode = Mode.COMBINED,
        min_hits: int = 1,
        stop_list: frozenset[str] | None = None,
        *,
        charsets: Iterable[str] = (),
        ranges: Iterable[str] = (),
        delimiters: str = "",
    ) -> None:
        """`ranges` are blocks of letters as '0600-06FF'; what is empty is as usual. Raises SettingsError."""
        self._mode = mode
        self._min_hits = min_hits
        self._stop_list = cascade_words() if stop_list is None else stop_list
        self._charsets = frozenset(map(charset_name, charsets)) or _ACCEPTED_CHARSETS
        self._letters = _letters(tuple(ranges)) if ranges else _PERSIAN_RANGE
        self._between = re.compile(rf"[\s{re.escape(delimiters)}]+") if delimiters else DELIMITERS
        self._names = load_profile("fa").names

    def find(self, document: Document) -> Finding:
        """Run the stages in order; only positive evidence of a language tag counts, another tag does not veto."""
        if self._mode is not Mode.CONTENT:
            if self.declares_persian(document.declared):
                return Finding(True, 1, 0)
            if self._mode is Mode.META:
                return Finding(False, 1, 0)
        if document.charset is not None and charset_name(document.charset) not in self._charsets:
            return Finding(False, 2, 0)
        text = sample(document.text, _LOOKED_AT)
        if not self._letters.search(text):
            return Finding(False, 3, 0)
        hits = sum(token in self._stop_list for token in tokens(text, self._between))
        return Finding(hits >= self._min_hits, 4, hits)

    def declares_persian(self, declared: str | None) -> bool:
        """Whether a language tag or header names Persian: `fa`, `fas`, `per`, `farsi`, `persian`, with any region."""
        return declared is not None and any(
            part.strip().lower().split("-")[0] in self._names for part in declared.replace("_", "-").split(",")
        )

    def judge(self, document: Document) -> Verdict:
        finding = self.find(document)
        stage = ("language tag", "charset", "letter range", "stop words")[finding.stage - 1]
        if not finding.is_persian:
            return unknown(f"stage {finding.stage} ({stage}): not Persian")
        score = 1.0 if finding.stage == 1 else finding.hits / (finding.hits + 1)
        return Verdict("fa", round(score, 4), f"stage {finding.stage} ({stage}), {finding.hits} stop words")


def tokens(text: str, between: re.Pattern[str] = DELIMITERS) -> list[str]:
    """The words between delimiters, with Arabic yeh and kaf as Persian ones, without vowel signs and tatweel."""
    return [token for token in between.split(normalise(text, "fa")) if token]


def read_stop_words(path: Path) -> frozenset[str]:
    """A list of one's own: one word a line, UTF-8; # begins a comment. Raises SettingsError when it cannot be read."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingsError(f"setting 'langid.stopword_file': {path}: {problem}") from None
    return frozenset(token for line in lines if not line.startswith("#") for token in tokens(line))


def _letters(ranges: tuple[str, ...]) -> re.Pattern[str]:
    """Finds a character of these blocks. Raises SettingsError for one that is none."""
    parts = []
    for block in ranges:
        first, dash, last = block.upper().replace("U+", "").partition("-")
        try:
            low, high = int(first, 16), int(last if dash else first, 16)
            parts.append(f"{re.escape(chr(low))}-{re.escape(chr(high))}")
            re.compile(f"[{parts[-1]}]")
        except (ValueError, OverflowError, re.error):
            raise SettingsError(f"setting 'langid.unicode_ranges': '{block}' is no block; write 0600-06FF") from None
    return re.compile(f"[{''.join(parts)}]")


def persian(profile: Profile | None) -> PersianCascade:
    """Language tag and content combined."""
    return PersianCascade(Mode.COMBINED)


def persian_meta(profile: Profile | None) -> PersianCascade:
    """The language tag alone."""
    return PersianCascade(Mode.META)


def persian_content(profile: Profile | None) -> PersianCascade:
    """The content alone."""
    return PersianCascade(Mode.CONTENT)
