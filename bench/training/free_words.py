"""Make src/phasa/language/data/model-th-free.zst: the Thai word model that may be used commercially.

    python bench/training/free_words.py [--data FOLDER] [-o FILE]

A first model learns from the treebank TUD (CC BY-SA 4.0) and the messages of wisesight-1000 (CC0) and cuts news of the
Thai government (public domain) in the style of the treebank; the shipped model learns from all three. The news teach it
words of prose that the two small corpora do not have. Nothing here learns from BEST or from what a model made of BEST;
its dev files are read only to leave their lines out. Every choice (word lists, amount of news, repeats) was made on TUD
dev and on messages of wisesight-1000 kept back in turn.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

SHARED = Path(os.environ.get("PHASA_DATA", Path(__file__).parents[3] / "shared" / "data"))
SHIPPED = Path(__file__).parents[2] / "src/phasa/language/data"
TESTS = (
    "thai-seg-wisesight/wisesight-160.seg",
    "thai-seg-tud/ud-thai-tud.dev.seg",
    "thai-seg-tud/ud-thai-tud.test.seg",
    *(f"thai-seg-best/best-{genre}.dev.seg.gz" for genre in ("article", "encyclopedia", "news", "novel")),
)
TUD, WISESIGHT = "thai-seg-tud/ud-thai-tud.train.seg", "thai-seg-wisesight/wisesight-1000.even.seg"
LICENCES = {
    "plain": "public domain (thaigov-v2-corpus), cut by a first model of the two other corpora",
    "ud": "CC BY-SA 4.0 (UD_Thai-TUD)",
    "social": "CC0-1.0 (PyThaiNLP wisesight-sentiment)",
}
NOTE = (
    "Licence of the weights: as a derivative of UD_Thai-TUD, CC BY-SA 4.0; commercial use is allowed. "
    "`thaigov.seg` is government news cut by a first model of the two other corpora; `bench/training/free_words.py` "
    "makes both models. `frequencies-th.zst` (CC0-1.0) is shipped beside this one. No line, word list or output of a "
    "model that derives from BEST was used. Scores: `docs/words.md`. Limits: it knows less prose than the default "
    "model, and cuts by the treebank's idea of a word where the default cuts by that of BEST."
)


def news_lines(file: Path, characters: int, seed: int = 1) -> Iterator[str]:
    """Different lines of Thai prose from the news, shuffled, up to about so many characters."""
    with gzip.open(file, "rt", encoding="utf-8") as rows:
        bodies = [json.loads(row)["body"] for row in rows]
    lines = list(dict.fromkeys(line.strip() for body in bodies for line in body.split("\n")))
    lines = [line for line in lines if 20 <= len(line) < 1500 and "|" not in line and _is_thai(line)]
    random.Random(seed).shuffle(lines)
    for line in lines:
        if characters < 0:
            return
        characters -= len(line)
        yield line


def _is_thai(line: str) -> bool:
    return sum("\u0e01" <= sign <= "\u0e5b" for sign in line) * 2 > len(line)


def segment(*words: str) -> str:
    """What `phasa segment` prints."""
    done = subprocess.run([sys.executable, "-m", "phasa", "segment", *words], check=True, stdout=subprocess.PIPE)
    return done.stdout.decode()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=SHARED)
    options.add_argument("--output", "-o", type=Path, default=SHIPPED / "model-th-free.zst")
    options.add_argument("--characters", type=int, default=3_000_000, help="of government news")
    arguments = options.parse_args()
    data: Path = arguments.data
    gold = {"ud": str(data / TUD), "social": str(data / WISESIGHT)}
    shared = [f"--frequencies={SHIPPED / 'frequencies-th.zst'}", *(f"--without={data / test}" for test in TESTS)]
    with tempfile.TemporaryDirectory() as folder:
        teacher, news, cut = (Path(folder) / name for name in ("first.zst", "thaigov.txt", "thaigov.seg"))
        segment("train", f"--output={teacher}", *(f"{style}={path}" for style, path in gold.items()), *shared)
        news.write_text(
            "\n".join(news_lines(data / "thaigov-news/news.jsonl.gz", arguments.characters)) + "\n", encoding="utf-8"
        )
        cut.write_text(segment(str(news), f"--model={teacher}", "--style=ud"), encoding="utf-8")
        corpora = {"plain": str(cut), **gold}
        licences = [f"--licence={style}={licence}" for style, licence in LICENCES.items()]
        pairs = [f"{style}={path}" for style, path in corpora.items()]
        segment("train", f"--output={arguments.output}", *pairs, *shared, *licences, "--repeats=3", f"--note={NOTE}")


if __name__ == "__main__":
    main()
