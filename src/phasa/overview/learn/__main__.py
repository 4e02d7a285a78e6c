"""Train the weights of the default extractor, and check them on pages they have not seen."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import numpy as np

from phasa.overview.evaluation import Scores
from phasa.overview.extract.judged import WEIGHTS
from phasa.overview.extract.scorer import Trees
from phasa.overview.learn.benchmarks import read_benchmarks, score_all
from phasa.overview.learn.boost import Settings, fit, joined
from phasa.overview.learn.labels import Example, make_example

FOLDS = 5
SEEDS = (1, 2)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m phasa.overview.learn", description=__doc__)
    options.add_argument("--data", type=Path, default=Path(os.environ.get("PHASA_DATA", "../shared/data")))
    options.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "extract" / WEIGHTS)
    options.add_argument("--check", action="store_true", help="only cross-validate; write nothing")
    options.add_argument("--leave-out", metavar="SET", help="only train without this set and score it; write nothing")
    arguments = options.parse_args()
    examples = [make_example(page) for page in read_benchmarks(arguments.data)]
    if arguments.leave_out:
        rest = [example for example in examples if example.page.benchmark != arguments.leave_out]
        trees = train(rest)
        told = [example for example in examples if example.page.benchmark == arguments.leave_out]
        show(score_all((example.page, example.text(trees.judge(example.X))) for example in told))
    elif arguments.check:
        show(cross_validate(examples))
    else:
        np.save(arguments.out, train(examples).to_array())
        sys.stdout.write(f"{arguments.out}: {len(examples)} pages\n")


def train(examples: Sequence[Example]) -> Trees:
    """Trees for the labelled blocks of all the examples."""
    X = np.concatenate([example.X for example in examples], axis=1)
    y = np.concatenate([example.y for example in examples])
    w = np.concatenate([example.w for example in examples])
    known = w > 0
    # One seed's trees may be .004 better or worse on unseen pages than another's; two together are steadier.
    return joined([fit(X[:, known], y[known], w[known], Settings(seed=seed)) for seed in SEEDS])


def cross_validate(examples: Sequence[Example]) -> dict[str, Scores]:
    """The figures of every benchmark when each page is judged by trees that saw no page of its site."""
    folds = [crc32(f"{example.page.benchmark} {example.page.group}".encode()) % FOLDS for example in examples]
    answers = []
    for fold in range(FOLDS):
        trees = train([example for example, at in zip(examples, folds, strict=True) if at != fold])
        for example, at in zip(examples, folds, strict=True):
            if at == fold:
                answers.append((example.page, example.text(trees.judge(example.X))))
    return score_all(answers)


def show(figures: dict[str, Scores]) -> None:
    for name, (precision, recall, f) in figures.items():
        sys.stdout.write(f"{name}\tf1\t{f:.4f}\tprecision\t{precision:.4f}\trecall\t{recall:.4f}\n")


if __name__ == "__main__":
    main()
