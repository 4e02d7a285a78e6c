"""How the default engine does on a kind of text it has learned nothing of: train without one corpus, test on that one.

    python bench/segment_transfer.py [--data DIR] [--every 10] [--leave-out ud,social,best]

`--every N` takes every Nth line of BEST, which is forty times larger than the others: 10 needs about a minute of
processor time, 1 about four. Prints word F1 in each style the model has, and the style that `auto` takes.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from phasa.language.segmenters.card import read_corpora
from phasa.language.segmenters.pointwise import Pointwise
from phasa.language.segmenters.score import compare, gold_of
from phasa.language.segmenters.train import GoldLine, train
from phasa.language.wordlists import word_list

GENRES = ("article", "encyclopedia", "news", "novel")


def main() -> None:
    options = argparse.ArgumentParser()
    default = os.environ.get("PHASA_DATA", Path(__file__).parents[2] / "shared" / "data")
    options.add_argument("--data", type=Path, default=Path(default))
    options.add_argument("--every", type=int, default=10)
    options.add_argument("--leave-out", default="ud,social,best")
    arguments = options.parse_args()
    best, ud, social = (arguments.data / f"thai-seg-{name}" for name in ("best", "tud", "wisesight"))
    learned = {
        "best": [best / f"best-{genre}.train.seg.gz" for genre in GENRES],
        "ud": [ud / "ud-thai-tud.train.seg"],
        "social": [social / "wisesight-1000.even.seg"],
    }
    tests = {
        "best": [best / f"best-{genre}.dev.seg.gz" for genre in GENRES],
        "ud": [ud / "ud-thai-tud.test.seg", ud / "ud-thai-tud.dev.seg"],
        "social": [social / "wisesight-160.seg", social / "wisesight-1000.even.seg"],
    }
    for left_out in arguments.leave_out.split(","):
        named = {style: paths for style, paths in learned.items() if style != left_out}
        corpora = read_corpora(named, tests[left_out], {})
        lines = {c.style: c.lines[:: arguments.every] if c.style == "best" else c.lines for c in corpora}
        model = train(lines, word_list("th"))
        for path in tests[left_out]:
            (corpus,) = read_corpora({left_out: [path]}, [], {})
            scores = {style: f1(Pointwise(model, style), corpus.lines) for style in named}
            auto = Pointwise(model).style_for(gold_of(corpus.lines).text)
            cells = "   ".join(f"{style} {score:.4f}" for style, score in scores.items())
            print(f"without {left_out:<8}{path.name:<32}{cells}   auto takes {auto}", flush=True)


def f1(engine: Pointwise, lines: tuple[GoldLine, ...]) -> float:
    gold = gold_of(lines)
    return compare(gold, engine.starts(gold.text)).f1


if __name__ == "__main__":
    main()
