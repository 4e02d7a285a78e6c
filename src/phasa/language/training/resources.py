"""The smaller data of the detectors, made from the same lines as the model: n-gram ranks, samples, words, stop list."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

import zstandard

from phasa.language.detectors.ngram import ranked_ngrams
from phasa.language.detectors.persian import tokens
from phasa.language.profile import known_languages, load_profile
from phasa.language.stoplist import ALSO_ARABIC, StopList, build_stop_list
from phasa.language.stopwords import stop_words
from phasa.language.training.corpus import Line, main_script

_GENUINE = ("udhr", "flores", "ud", "lingua", "tatoeba", "persoarabic")
_SAMPLE_CHARACTERS = 3000
_RANKED_CHARACTERS = 60_000
_MOST_WORDS = 20_000
_WORD = re.compile(r"[^\W\d_]+(?:[\u200c'’][^\W\d_]+)*")
# Besides the languages with a profile, n-gram ranks are kept for the large languages of the web.
_ALSO_RANKED = """
de fr es it pt nl sv da nb fi pl cs sk hu ro bg ru uk sr hr sl el tr az he hi bn ta te vi id ms tl zh ja ko kk
ka hy sw ca et lv lt mk mn ne si pa gu glk mzn ks kmr
"""


def write_resources(lines: Sequence[Line], folder: Path) -> StopList:
    """Write ngrams.txt.zst, samples.txt.zst, words-*.txt.zst and stop-fa-cascade.txt; returns the last."""
    by_language: defaultdict[str, list[Line]] = defaultdict(list)
    for line in lines:
        by_language[line.label].append(line)
    shipped = known_languages()
    ranked = [
        f"{code}\t{' '.join(ranked_ngrams(_text(by_language[code], _RANKED_CHARACTERS)))}"
        for code in dict.fromkeys((*shipped, *_ALSO_RANKED.split()))
    ]
    _write(folder / "ngrams.txt.zst", ranked)
    _write(folder / "samples.txt.zst", [f"{code}\t{_text(by_language[code], _SAMPLE_CHARACTERS)}" for code in shipped])
    for code in shipped:
        profile = load_profile(code)
        if profile.segmenter == "spaced" and profile.dictionary:
            _write(folder / f"words-{code}.txt.zst", sorted(_words(code, by_language[code])))
    stop_list = _cascade_list(by_language)
    (folder / "stop-fa-cascade.txt").write_text(
        "# Persian stop words that no Arabic text of the training sets has; made by: phasa languages train\n"
        + "\n".join(stop_list.words) + "\n",
        encoding="utf-8",
    )  # fmt: skip
    return stop_list


def _text(lines: Iterable[Line], size: int) -> str:
    """Running text of a language, from the declaration first, then the other sets in turn."""
    order = {
        source: number for number, source in enumerate(("udhr", "flores", "ud", "lingua", "tatoeba", "persoarabic"))
    }
    parts = sorted((line for line in lines if line.source in order), key=lambda line: order[line.source])
    return " ".join(" ".join(line.text for line in parts).split())[:size]


def _words(code: str, lines: Iterable[Line]) -> list[str]:
    """Words to know a language by: those of wordfreq where it has the language, else those met in two lines or more."""
    if find_spec("wordfreq") is not None:
        import wordfreq

        if code in wordfreq.available_languages("small"):
            known = [word for word in wordfreq.top_n_list(code, _MOST_WORDS) if _WORD.fullmatch(word)]
            return [word for word in known if main_script(word) in load_profile(code).scripts]
    met: Counter[str] = Counter()
    for line in lines:
        if line.source in _GENUINE or line.source == "django":
            met.update({word.lower() for word in _WORD.findall(line.text)})
    return [word for word, times in met.most_common(_MOST_WORDS) if times >= 2]


def _cascade_list(by_language: dict[str, list[Line]]) -> StopList:
    persian = [line.text for line in by_language["fa"] if line.source in ("flores", "ud", "lingua", "udhr")]
    arabic = [line.text for line in by_language["ar"] if line.source in ("flores", "ud", "lingua", "udhr", "tatoeba")]
    frequency: Counter[str] = Counter()
    for text in persian:
        frequency.update(tokens(text))
    candidates = [word for word, _ in frequency.most_common(1000) if len(word) > 1]
    return build_stop_list(candidates, [*stop_words("ar"), *ALSO_ARABIC.split()], persian, arabic, tokens)


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_bytes(zstandard.ZstdCompressor(level=19).compress("\n".join(lines).encode()))
