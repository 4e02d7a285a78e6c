"""How fast related words are found and segment links scored, per CPU second.

python bench/segments.py [--megabytes 1]
"""

from __future__ import annotations

import argparse
import random
import time

from phasa.crawl.learn.word_bayes import WordBayes
from phasa.crawl.segments.dictionary import load_dictionary
from phasa.crawl.segments.features import Citation, Extractor
from phasa.crawl.segments.matcher import MODES, Matcher
from phasa.crawl.segments.nominal_bayes import NominalBayes
from phasa.crawl.segments.predictor import Predictor
from phasa.language.wordlists import word_list


def made_text(characters: int, seed: int = 0) -> str:
    """English words with some names of Thailand among them, in a ratio like that of a travel page."""
    chance = random.Random(seed)
    words, names = word_list("en"), sorted(load_dictionary().terms)
    parts: list[str] = []
    length = 0
    while length < characters:
        part = chance.choice(names) if chance.random() < 0.05 else words[int(len(words) * chance.random() ** 2)]
        parts.append(part)
        length += len(part) + 1
    return " ".join(parts)


def matcher_speed(mode: str, text: str) -> float:
    """Megabytes of text per CPU second."""
    matcher = Matcher(load_dictionary(), mode)
    matcher.match("warm up phuket")
    start = time.process_time()
    matcher.match(text)
    return len(text.encode()) / 1e6 / (time.process_time() - start)


def predictor_speed(mode: str, links: int = 80_000) -> tuple[float, float]:
    """Segment links per CPU second: both models on ready vectors, and with the features of the link computed too."""
    matcher = Matcher(load_dictionary(), mode)
    spoken = made_text(links * 90, 1).split()
    cited = [
        (
            f"http://s{number}.com/{number % 7}/",
            Citation([f"http://s{number}.com/phuket/hotel-{number % 500}.html"], [_words(spoken, number)]),
        )
        for number in range(links)
    ]
    words = dict.fromkeys(spoken[:20000], 0.1)
    predictor = Predictor(matcher, NominalBayes(0.0, [{"5": 0.1} for _ in range(7)]), WordBayes(0.0, words))
    extractor = Extractor(matcher, lambda host: "TH")
    half = links // 2  # the first half warms up what is remembered of words, as the first minutes of a crawl do
    vectors, start = [], 0.0
    for number, (key, citation) in enumerate(cited):
        if number == half:
            start = time.process_time()
        vectors.append(extractor.vector("http://source.com/x/", 0.55, key, citation))
    ready = time.process_time()
    for vector in vectors[half:]:
        predictor.chance(vector)
    done = time.process_time()
    return (links - half) / (done - ready), (links - half) / (done - start)


def _words(spoken: list[str], number: int) -> str:
    """Ten words: an anchor and what is left of its surroundings."""
    return " ".join(spoken[number * 10 : number * 10 + 10])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=float, default=1.0)
    chosen = parser.parse_args()
    text = made_text(int(chosen.megabytes * 1e6))
    print(f"{'mode':<10}{'matcher MB/s':>14}{'predictor links/s':>20}{'with features':>16}")
    for mode in MODES:
        alone, whole = predictor_speed(mode)
        print(f"{mode:<10}{matcher_speed(mode, text):>14.2f}{alone:>20,.0f}{whole:>16,.0f}")


if __name__ == "__main__":
    main()
