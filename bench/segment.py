"""Thai word segmentation: phasa's engines beside their peers, accuracy and speed in one run.

    python bench/segment.py [--data DIR] [--peers newmm,nlpo3,icu,budoux,attacut,deepcut] [--speed-only]

Word F1 as in ../shared/score/segment.py: same start and end, no blanks. Speed: MB of UTF-8 per second of processor
time, one thread, on 5 MB of government news, the median of three runs; slow peers get as many lines as fit in a few
seconds. Peers that are not installed are named and left out; `pip install '.[bench]'` brings those that are small.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

Cut = Callable[[str], list[str]]
GENRES = ("article", "encyclopedia", "news", "novel")
OURS = ("phasa", "lexto", "longest-first", "maximal", "unigram")
PEERS = ("newmm", "nlpo3", "icu", "budoux", "attacut", "deepcut")
SLOW_SECONDS = 8.0


def gold_files(data: Path) -> dict[str, Path]:
    best = {f"best {genre}": data / f"thai-seg-best/best-{genre}.dev.seg.gz" for genre in GENRES}
    return best | {
        "tud test": data / "thai-seg-tud/ud-thai-tud.test.seg",
        "wisesight 160": data / "thai-seg-wisesight/wisesight-160.seg",
    }


def gold_lines(path: Path) -> list[list[str]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [words for line in lines if (words := [word for word in line.rstrip("\n").split("|") if word])]


def speed_text(data: Path, size: int = 5_000_000) -> str:
    texts: list[str] = []
    total = 0
    with gzip.open(data / "thaigov-news/news.jsonl.gz", "rt", encoding="utf-8") as rows:
        for row in rows:
            body = json.loads(row)["body"]
            texts.append(body)
            total += len(body.encode()) + 1
            if total >= size:
                break
    return "\n".join(texts)


def ours(name: str, style: str = "auto") -> Cut:
    from phasa.language.segmenters import load_segmenter

    return load_segmenter(name, style=style).words


def peer(name: str) -> Cut:
    """The peer's own call for one text. Raises ImportError when it is not installed."""
    if name == "newmm":
        from pythainlp.tokenize import word_tokenize

        return lambda text: list(word_tokenize(text, engine="newmm"))
    if name == "nlpo3":
        import pythainlp.corpus
        from nlpo3 import load_dict, segment

        words = Path(pythainlp.corpus.__file__).parent / "words_th.txt"
        load_dict(str(words), "th")
        return lambda text: list(segment(text, "th"))
    if name == "icu":
        from icu import BreakIterator, Locale, UnicodeString

        breaker = BreakIterator.createWordInstance(Locale("th"))

        def cut(text: str) -> list[str]:
            source = UnicodeString(text)
            breaker.setText(source)
            places = [0, *breaker]
            return [str(source[a:b]) for a, b in pairwise(places)]

        return cut
    if name == "budoux":
        import budoux

        parser = budoux.load_default_thai_parser()
        return lambda text: list(parser.parse(text))
    if name == "attacut":
        import attacut

        return lambda text: list(attacut.tokenize(text))
    from pythainlp.tokenize import word_tokenize

    word_tokenize("ลอง", engine="deepcut")
    return lambda text: list(word_tokenize(text, engine="deepcut"))


def spans(words: list[str]) -> set[tuple[int, int]]:
    found, start = set(), 0
    for word in words:
        end = start + len(word)
        if word.strip():
            found.add((start, end))
        start = end
    return found


def word_f1(lines: list[list[str]], produced: Iterator[list[str]]) -> float:
    hit = made = right = 0
    for gold, words in zip(lines, produced, strict=False):
        theirs = spans(gold)
        right += len(theirs)
        if "".join(words) != "".join(gold):
            continue  # an engine that changes the text has missed it
        mine = spans(words)
        hit, made = hit + len(theirs & mine), made + len(mine)
    return 2 * hit / (made + right) if made + right else 0.0


def accuracy(cut: Cut, data: Path, *, whole: bool) -> dict[str, float]:
    """Word F1 on every gold file; `whole`: the engine sees a file as one text, as `phasa segment` does."""
    scores = {}
    for name, path in gold_files(data).items():
        lines = gold_lines(path)
        if whole:
            produced = whole_file(cut, ["".join(line) for line in lines])
        else:
            lines = lines_in_time(cut, lines)
            produced = (cut("".join(line)) for line in lines)
        scores[name] = word_f1(lines, produced)
    return scores


def whole_file(cut: Cut, lines: list[str]) -> Iterator[list[str]]:
    found: list[str] = []
    for word in cut("\n".join(lines)):
        if word == "\n":
            yield found
            found = []
        else:
            found.append(word)
    yield found


def lines_in_time(cut: Cut, lines: list[list[str]], seconds: float = 60.0) -> list[list[str]]:
    """All lines, or an even sample of them that a slow engine can cut in about so many seconds."""
    probe = lines[:: max(1, len(lines) // 20)][:20]
    begun = time.process_time()
    for line in probe:
        cut("".join(line))
    each = (time.process_time() - begun) / len(probe)
    step = max(1, round(each * len(lines) / seconds))
    return lines[::step]


def speed(cut: Cut, text: str) -> float:
    """MB per second of processor time: median of three, slow engines on a part."""
    texts = text.split("\n")
    begun, done = time.process_time(), 0
    for part in texts:
        cut(part)
        done += len(part.encode()) + 1
        if time.process_time() - begun > SLOW_SECONDS:
            return done / 1e6 / (time.process_time() - begun)
    return done / 1e6 / (time.process_time() - begun)


def speed_whole(cut: Callable[[str], object], text: str) -> float:
    size, rates = len(text.encode()) / 1e6, []
    for _ in range(3):
        begun = time.process_time()
        cut(text)
        rates.append(size / (time.process_time() - begun))
    return statistics.median(rates)


def load_and_memory(name: str) -> tuple[float, float]:
    """Processor seconds to load the engine and cut one sentence, and the peak memory of such a process in MB."""
    code = (
        "import time; t=time.process_time()\n"
        "from phasa.language.segmenters import load_segmenter\n"
        f"load_segmenter({name!r}).words('ภาษาไทย'); u=time.process_time()-t\n"
        f"e=load_segmenter({name!r}); e.words('ภาษาไทยง่ายมาก กว่าที่คิด\\n'*66000)\n"
        "import resource; print(u, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss/1024)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, memory = done.stdout.split()
    return float(seconds), float(memory)


def hard_texts() -> dict[str, str]:
    return {
        "no blank": "ภาษาไทยง่ายมากกว่าที่คิด" * 14_000,
        "one vowel": "า" * 333_000,
        "tone marks": "่" * 333_000,
        "emoji, ZWJ": "👨‍👩‍👧‍👦" * 40_000,
        "surrogates": "\ud800ก" * 166_000,
        "NUL": "\x00" * 1_000_000,
    }


def main() -> None:
    options = argparse.ArgumentParser()
    default = os.environ.get("PHASA_DATA", Path(__file__).parents[2] / "shared" / "data")
    options.add_argument("--data", type=Path, default=Path(default))
    options.add_argument("--peers", default=",".join(PEERS))
    options.add_argument("--speed-only", action="store_true")
    arguments = options.parse_args()
    text = speed_text(arguments.data)
    print(f"{'engine':<16}" + "".join(f"{name:>18}" for name in gold_files(arguments.data)) + f"{'MB/s':>8}")
    runs: list[tuple[str, Cut, bool]] = [(name, ours(name), True) for name in OURS]
    runs[1:1] = [(f"phasa {style}", ours("phasa", style), True) for style in ("best", "ud", "social")]
    for name in arguments.peers.split(",") if arguments.peers else ():
        try:
            runs.append((name, peer(name), False))
        except Exception as problem:  # noqa: BLE001 - peers fail to load in many ways, and the run goes on without them
            print(f"{name:<16}not run: {type(problem).__name__}: {problem}")
    for name, cut, whole in runs:
        scores = {} if arguments.speed_only else accuracy(cut, arguments.data, whole=whole)
        rate = speed_whole(cut, text) if whole else speed(cut, text)
        cells = "".join(f"{scores.get(gold, float('nan')):>18.4f}" for gold in gold_files(arguments.data))
        print(f"{name:<16}{cells}{rate:>8.3f}", flush=True)
    print("\nload (processor s) and peak memory (MB, with 5 MB of text):")
    for name in OURS:
        seconds, memory = load_and_memory(name)
        print(f"{name:<16}{seconds:>8.3f}{memory:>8.0f}")
    print("\n1 MB of hard text (processor s):")
    for kind, hard in hard_texts().items():
        times = []
        for name in ("phasa", "lexto", "longest-first"):
            cut = ours(name)
            begun = time.process_time()
            same = "".join(cut(hard)) == hard
            times.append(f"{name} {time.process_time() - begun:.3f}{'' if same else ' NOT LOSS-FREE'}")
        print(f"{kind:<16}" + "   ".join(times))
    print(f"peak memory of this run: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
