"""Words of many languages by frequency: what the pages of a generated web are written with.

The table `data/words.tsv.gz` was made from the sources that `data/README.md` names, by

    python -m phasa.lab.vocabulary DATA

where DATA is the folder of real data (`thai-seg-tud`, `thaigov-news`, `lid-ud`, `lid-flores200`).
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import numpy as np

from phasa.errors import InputError
from phasa.extras import needs_extra
from phasa.lab.topics import TOPIC_WORDS, TOPICS

# Languages written without spaces between words: how their words are joined again.
UNSPACED = frozenset({"th", "lo", "km", "my", "zh", "ja"})


@dataclass(frozen=True)
class Vocabulary:
    """The words of one language, most frequent first, with the share of texts that is made of each prefix."""

    language: str
    words: tuple[str, ...]
    cumulative: list[float]
    topics: tuple[tuple[str, ...], ...]
    """Words of each of `TOPICS`."""

    def word(self, chance: float) -> str:
        """The word at a number in [0, 1), so that words come by their frequency."""
        return self.words[min(bisect_left(self.cumulative, chance), len(self.words) - 1)]

    @property
    def joint(self) -> str:
        """What stands between two words."""
        return "" if self.language in UNSPACED else " "


@cache
def vocabulary(language: str) -> Vocabulary:
    """The words of a language. Raises InputError when the table has none."""
    counts = _table().get(language)
    if counts is None:
        raise InputError(f"no words of '{language}' for generated pages; known: {', '.join(sorted(_table()))}")
    # Zipf's long tail is cut off by a small table: very rare words keep some weight, very frequent ones do not rule.
    weights = np.array([count for _, count in counts], dtype=np.float64) ** 0.9
    return Vocabulary(
        language,
        tuple(word for word, _ in counts),
        (np.cumsum(weights) / weights.sum()).tolist(),
        _topic_words(language, [word for word, _ in counts]),
    )


def known_vocabularies() -> list[str]:
    """The languages that generated pages can be written in."""
    return sorted(_table())


@cache
def _table() -> dict[str, list[tuple[str, int]]]:
    packed = (files("phasa.lab") / "data" / "words.tsv.gz").read_bytes()
    table: dict[str, list[tuple[str, int]]] = {}
    for line in gzip.decompress(packed).decode().splitlines():
        language, word, count = line.split("\t")
        table.setdefault(language, []).append((word, int(count)))
    return table


def _topic_words(language: str, words: list[str]) -> tuple[tuple[str, ...], ...]:
    if language in TOPIC_WORDS:
        return tuple(tuple(TOPIC_WORDS[language][topic].split()) for topic in TOPICS)
    rarer = words[len(words) // 3 :] or words
    return tuple(tuple(rarer[number :: len(TOPICS)][:12]) or tuple(rarer[:1]) for number in range(len(TOPICS)))


# --- making the table ------------------------------------------------------------------------------------------------

# BCP 47 code -> label of the FLORES file; the 43 languages of the detector set and the neighbours of Persian and Thai.
FLORES = {
    "en": "eng_Latn", "de": "deu_Latn", "fr": "fra_Latn", "es": "spa_Latn", "it": "ita_Latn", "pt": "por_Latn",
    "nl": "nld_Latn", "sv": "swe_Latn", "da": "dan_Latn", "no": "nob_Latn", "fi": "fin_Latn", "is": "isl_Latn",
    "pl": "pol_Latn", "cs": "ces_Latn", "sk": "slk_Latn", "sl": "slv_Latn", "hr": "hrv_Latn", "hu": "hun_Latn",
    "ro": "ron_Latn", "et": "est_Latn", "lv": "lvs_Latn", "lt": "lit_Latn", "tr": "tur_Latn", "ca": "cat_Latn",
    "id": "ind_Latn", "vi": "vie_Latn", "tl": "tgl_Latn", "eo": "epo_Latn", "ru": "rus_Cyrl", "uk": "ukr_Cyrl",
    "be": "bel_Cyrl", "bg": "bul_Cyrl", "sr": "srp_Cyrl", "el": "ell_Grek", "hy": "hye_Armn", "he": "heb_Hebr",
    "ar": "arb_Arab", "fa": "pes_Arab", "ur": "urd_Arab", "ckb": "ckb_Arab", "ps": "pbt_Arab", "hi": "hin_Deva",
    "ko": "kor_Hang", "ja": "jpn_Jpan", "zh": "zho_Hans", "lo": "lao_Laoo", "km": "khm_Khmr", "my": "mya_Mymr",
}  # fmt: skip
LIMITS = {"th": 4000, "en": 1500, "fa": 3000, "ar": 1500, "ur": 1200}
_BETWEEN = re.compile(
    r"[\s\d\u200b.,;:!?()\[\]{}<>\"“”«»‹›„‘/\\|*+=%$€£#&@~^_–—…·。、，！？：；（）「」『』・،؛؟।၊။។៖-]+"
)


def make_table(data: Path) -> bytes:
    """The packed word table, from the folder of real data."""
    counts: dict[str, Counter[str]] = {code: Counter() for code in [*FLORES, "th"]}
    labels = {label: code for code, label in FLORES.items()}
    for label, sentence in _rows(data / "lid-flores200" / "flores200-devtest.tsv.gz"):
        if label in labels:
            counts[labels[label]].update(_pieces(labels[label], sentence))
    for label, sentence in _rows(data / "lid-ud" / "ud-text.tsv.gz"):
        # Persian treebanks only: the Urdu one must not be used commercially.
        if label == "pes_Arab":
            counts["fa"].update(_pieces("fa", sentence))
    counts["th"].update(_thai_words(data))
    lines: list[str] = []
    for code in sorted(counts):
        kept = counts[code].most_common(LIMITS.get(code, 500))
        lines += [f"{code}\t{word}\t{count}" for word, count in kept]
    return gzip.compress("\n".join(lines).encode(), mtime=0)


def _rows(path: Path) -> Iterator[tuple[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            label, _, sentence = line.rstrip("\n").partition("\t")
            yield label, sentence


def _pieces(language: str, sentence: str) -> Iterable[str]:
    runs = [run.strip("'’") for run in _BETWEEN.split(sentence.lower())]
    if language not in UNSPACED:
        return [run for run in runs if run]
    # Without a segmenter for it, a language without spaces gives runs of a few letters, which is what a detector sees.
    size = 2 if language in ("zh", "ja") else 3
    pieces: list[str] = []
    for run in runs:
        starts = [at for at, letter in enumerate(run) if unicodedata.category(letter)[0] != "M"]
        cuts = [*starts[::size], len(run)]
        pieces += [run[start:end] for start, end in pairwise(cuts) if not run[start:end].isascii()]
    return pieces


def _thai_words(data: Path) -> Iterator[str]:
    with needs_extra("train", "The table of words"):
        from pythainlp.corpus import thai_words
        from pythainlp.tokenize import word_tokenize

    known = thai_words()
    for part in ("train", "dev"):
        text = (data / "thai-seg-tud" / f"ud-thai-tud.{part}.seg").read_text(encoding="utf-8")
        for line in text.splitlines():
            yield from (word for word in line.split("|") if word in known and len(word) > 1)
    with gzip.open(next((data / "thaigov-news").glob("*.gz")), "rt", encoding="utf-8") as documents:
        for document in documents:
            tokens = word_tokenize(json.loads(document)["body"][:1500], engine="newmm")
            yield from (word for word in tokens if word in known and len(word) > 1)


def _main() -> None:
    target = Path(__file__).parent / "data" / "words.tsv.gz"
    target.write_bytes(make_table(Path(sys.argv[1])))


if __name__ == "__main__":
    _main()
