"""Byte string kernel (crawling specification §5.2 method 3, §12.4): texts as bytes, so the encoding need not be known.

k(x, y) = Σ over byte strings s with |s| ≤ r of count_s(x)·count_s(y), divided by sqrt(k(x,x)·k(y,y)). The sample
with the largest value wins; each language has a sample for every encoding it is served in.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from phasa.errors import SettingsError
from phasa.language.detectors.detector import OneByOne, sample
from phasa.language.profile import Profile, known_languages, load_profile
from phasa.language.verdict import Document, Verdict, unknown

LONGEST = 5  # r; strings of up to seven bytes fit into a 64-bit number with their length
_LOOKED_AT = 8000
_NO_TEXT = bytes(range(33)) + b"\x7f"


class Spectrum(NamedTuple):
    """The byte strings of a text as sorted numbers, how often each occurs, and sqrt(k(x,x))."""

    strings: NDArray[np.uint64]
    counts: NDArray[np.float64]
    norm: float


def spectrum(body: bytes, longest: int = LONGEST) -> Spectrum:
    """All byte strings of length 1..longest with their counts."""
    data = np.frombuffer(body, np.uint8).astype(np.uint64)
    rolling = np.zeros(len(data), np.uint64)
    parts = []
    for length in range(1, min(longest, len(data)) + 1):
        width = len(data) - length + 1
        rolling = (rolling[:width] << np.uint64(8)) | data[length - 1 :]
        parts.append(rolling | np.uint64(length << 56))
    if not parts:
        return Spectrum(np.empty(0, np.uint64), np.empty(0), 0.0)
    strings, counts = np.unique(np.concatenate(parts), return_counts=True)
    weights = counts.astype(np.float64)
    return Spectrum(strings, weights, float(np.sqrt(weights @ weights)))


def kernel_value(x: Spectrum, y: Spectrum) -> float:
    """The normalised kernel: 1 for equal texts, 0 for texts that share no byte."""
    if not x.norm or not y.norm:
        return 0.0
    place = np.minimum(np.searchsorted(y.strings, x.strings), len(y.strings) - 1)
    shared = y.strings[place] == x.strings
    return float(x.counts[shared] @ y.counts[place[shared]]) / (x.norm * y.norm)


class StringKernel(OneByOne):
    """The language of the most similar sample. `samples`: (language, bytes) pairs, several per language allowed."""

    def __init__(self, samples: Iterable[tuple[str, bytes]], longest: int = LONGEST) -> None:
        self._longest = longest
        self._samples = [(language, spectrum(body, longest)) for language, body in samples]

    def detect_bytes(self, body: bytes) -> Verdict:
        """The verdict on bytes in whatever encoding."""
        if not body.strip(_NO_TEXT):
            return unknown("nothing to compare")
        ours = spectrum(body, self._longest)
        value, language = max((kernel_value(ours, theirs), language) for language, theirs in self._samples)
        if value <= 0:
            return unknown("no byte string shared with any sample")
        return Verdict(language, round(min(value, 1.0), 4), f"string kernel {value:.3f}, strings up to {self._longest}")

    def judge(self, document: Document) -> Verdict:
        text = sample(document.text, _LOOKED_AT)
        if not any(map(str.isalpha, text)):
            return unknown("no letters to compare")  # NUL, U+FFFD, digits: bytes that any sample may share by chance
        try:
            body = text.encode(document.charset or "utf-8", "ignore")
        except (LookupError, ValueError):  # no such charset, or one that has no letters to ignore (idna)
            body = text.encode("utf-8", "ignore")
        return self.detect_bytes(body)


@cache
def shipped_samples() -> dict[str, str]:
    """Sample text of every shipped language: the Universal Declaration, FLORES where it has no version (the card)."""
    packed = (files("phasa.language") / "data" / "samples.txt.zst").read_bytes()
    lines = zstandard.ZstdDecompressor().decompress(packed).decode().splitlines()
    return dict(line.split("\t", 1) for line in lines)


def kernel(profile: Profile | None) -> StringKernel:
    """All shipped languages in all their encodings, and the user's own when its profile names sample text."""
    profiles = [load_profile(code) for code in known_languages()]
    texts = dict(shipped_samples())
    if profile is not None and profile.samples:
        try:
            texts[profile.code] = Path(profile.samples).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise SettingsError(f"{profile.samples}: not readable UTF-8 sample text: {problem}") from None
        profiles = [other for other in profiles if other.code != profile.code] + [profile]
    return StringKernel(_encoded(profiles, texts))


def _encoded(profiles: list[Profile], texts: dict[str, str]) -> Iterable[tuple[str, bytes]]:
    for profile in profiles:
        for charset in ("utf-8", *profile.charsets):
            if profile.code in texts:
                try:
                    yield profile.code, texts[profile.code].encode(charset, "ignore")
                except LookupError:
                    continue  # a charset that Python does not know cannot be written; pages in it are decoded elsewhere
