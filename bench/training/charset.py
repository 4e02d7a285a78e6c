"""Make src/phasa/web/charset_model.npz: how likely each pair of bytes is in each language and its old encodings.

    python bench/training/charset.py [--data FOLDER]

Learns from FLORES-200 (lid-flores200, shared half). The pages of charset-detection are never looked at.
"""

from __future__ import annotations

import argparse
import gzip
import os
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phasa.web.charset_model import CLASSES, MODEL, class_table

WESTERN = ["eng", "deu", "fra", "spa", "ita", "por", "nld", "swe", "dan", "nob", "fin", "isl", "cat"]
CENTRAL = ["pol", "ces", "slk", "hun", "slv", "hrv", "ron"]
CYRILLIC = ["rus", "bul", "ukr", "srp", "mkd", "bel"]
SINGLE: dict[str, list[str]] = {
    "cp874": ["tha"],
    "cp1256": ["arb", "pes"],
    "iso8859_6": ["arb"],
    "cp1255": ["heb"],
    "cp1251": CYRILLIC,
    "koi8_r": ["rus", "bul"],
    "koi8_u": ["ukr"],
    "iso8859_5": ["rus", "bul", "srp", "mkd"],
    "cp866": ["rus", "bul"],
    "cp855": ["rus", "bul"],
    "mac_cyrillic": ["rus", "bul", "ukr"],
    "cp1253": ["ell"],
    "iso8859_7": ["ell"],
    "cp1254": ["tur"],
    "cp1250": CENTRAL,
    "iso8859_2": CENTRAL,
    "iso8859_16": ["ron"],
    "cp1252": WESTERN,
    "cp1257": ["lit", "lvs", "est"],
    "cp1258": ["vie"],
}
LATIN = ("cp1250", "iso8859_2", "iso8859_16", "cp1252", "cp1254", "cp1257", "cp1258")
HAN = {"zh": ["zho_Hans", "zho_Hant"], "ja": ["jpn_Jpan"], "ko": ["kor_Hang"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("PHASA_DATA", Path(__file__).parents[3] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default))
    data: Path = parser.parse_args().data
    texts: dict[str, str] = {}
    with gzip.open(data / "lid-flores200" / "flores200-devtest.tsv.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            label, _, sentence = line.rstrip("\n").partition("\t")
            texts[label] = texts.get(label, "") + sentence + "\n"
    names: list[str] = []
    columns: list[NDArray[np.int8]] = []
    for encoding, languages in SINGLE.items():
        for language in languages:
            script = "_Arab" if language == "arb" else "_"
            text = next(texts[label] for label in texts if label.startswith(language + script))
            names.append(f"{encoding} {language}")
            latin = encoding in LATIN
            columns.append(cost(b"".join(spellings(text, encoding, language)), latin))
    characters, bits = character_costs(texts)
    np.savez_compressed(
        MODEL, names=np.array(names), pairs=np.stack(columns, axis=1), characters=np.array(characters), bits=bits
    )
    print(f"{len(names)} models, {MODEL.stat().st_size} bytes")


def spellings(text: str, encoding: str, language: str) -> Iterator[bytes]:
    """The text as it was written when this encoding was in use; capitals too, since headlines have them."""
    if language == "pes":
        # windows-1256 has no Persian yeh, and pages differ in which kaf they use.
        text = text.replace("ی", "ي")
        text = text.translate({0x06F0 + digit: str(digit) for digit in range(10)})
        yield text.replace("ک", "ك").encode(encoding, "ignore")
    if language == "ron" and encoding != "iso8859_16":
        text = text.translate(str.maketrans("șțȘȚ", "şţŞŢ"))
    if language == "vie":
        text = "".join(_without_tone(letter) for letter in text)
    yield text.encode(encoding, "ignore")
    yield text.upper()[: len(text) // 8].encode(encoding, "ignore")


def _without_tone(letter: str) -> str:
    """windows-1258 writes the vowel whole and its tone as a mark of its own."""
    parts = unicodedata.normalize("NFD", letter)
    tones = "".join(part for part in parts if part in "\u0300\u0301\u0303\u0309\u0323")
    rest = unicodedata.normalize("NFC", "".join(part for part in parts if part not in tones))
    return rest + tones


def cost(body: bytes, latin: bool) -> NDArray[np.int8]:
    """Bits that each pair of byte classes costs, times 8, as a flat array of CLASSES²."""
    classes = class_table()[np.frombuffer(body, dtype=np.uint8)]
    counts = np.zeros((CLASSES, CLASSES))
    np.add.at(counts, (classes[:-1], classes[1:]), 1)
    single = np.bincount(classes, minlength=CLASSES) + 0.02
    unigram = single / single.sum()
    row = counts.sum(axis=1, keepdims=True)
    # Witten-Bell: a class that was followed by many different ones is likelier to be followed by a new one.
    kinds = (counts > 0).sum(axis=1, keepdims=True) + 1
    probability = (counts + kinds * unigram) / (row + kinds)
    if not latin:
        # A word is written in one script: a Latin letter beside one of another script is a sign of a wrong reading.
        probability[128:154, :128] /= 16
        probability[:128, 128:154] /= 16
    costs: NDArray[np.int8] = np.clip(np.rint(-np.log2(probability) * 8), 0, 127).astype(np.int8)
    return costs.ravel()


def character_costs(texts: dict[str, str]) -> tuple[list[str], NDArray[np.float16]]:
    """Bits of the characters of Chinese, Japanese and Korean, in whichever of them each is likeliest."""
    best: dict[str, float] = {}
    for labels in HAN.values():
        for label in labels:
            counts = Counter(letter for letter in texts[label] if ord(letter) > 0x7F)
            total = sum(counts.values())
            for letter, count in counts.items():
                best[letter] = min(best.get(letter, 99.0), float(-np.log2(count / total)))
    letters = sorted(best)
    return letters, np.array([best[letter] for letter in letters], dtype=np.float16)


if __name__ == "__main__":
    main()
