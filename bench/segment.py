"""Thai word segmentation: phasa's engines beside their peers, accuracy and speed in one run.

    python bench/segment.py [--data DIR] [--peers newmm,nlpo3,icu,…] [--peer-python PYTHON] [--speed-only]

Word F1 as in ../shared/score/segment.py: same start and end, no blanks. Speed: MB of UTF-8 per second of processor
time, one thread, on 5 MB of government news; ours the median of three runs. Slow peers get an even sample of the lines
that takes about `--seconds` a gold file; the table says how many lines that was. Peers that are not installed are named
and left out. `pip install '.[bench]'` brings the small ones; or give all of them an environment of their own and name
its interpreter with --peer-python (deepcut needs onnxruntime, attacut torch and an older numpy):

    python -m venv peers && peers/bin/pip install pythainlp nlpo3 pyicu budoux onnxruntime
    peers/bin/pip install torch python-crfsuite docopt fire pyyaml ssg "nptyping<3" "numpy<2" requests six tqdm && \\
        peers/bin/pip install --no-deps attacut
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
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

Cut = Callable[[str], list[str]]
GENRES = ("article", "encyclopedia", "news", "novel")
OURS = ("phasa", "lexto", "longest-first", "maximal", "unigram")
PEERS = ("newmm", "nlpo3", "icu", "budoux", "attacut", "deepcut")
LEARNED = {  # sets that an engine was trained on, as their makers say: no test for it
    "budoux": ("wisesight 160",),
    "attacut": tuple(f"best {genre}" for genre in GENRES),
    "deepcut": tuple(f"best {genre}" for genre in GENRES),
}


class Answer(NamedTuple):
    """The words of each text, and the processor seconds it took."""

    words: list[list[str]]
    seconds: float


Engine = Callable[[list[str]], Answer]


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


def here(cut: Cut) -> Engine:
    """An engine of this process, one call a text."""

    def answer(texts: list[str]) -> Answer:
        begun = time.process_time()
        words = [cut(text) for text in texts]
        return Answer(words, time.process_time() - begun)

    return answer


def ours(name: str, style: str = "auto", model: str = "default") -> Engine:
    """Ours see the texts as one, as `phasa segment` does, and are asked for its words."""
    from phasa.language.segmenters import load_segmenter

    cut = load_segmenter(name, style=style, model=model).words

    def answer(texts: list[str]) -> Answer:
        whole = "\n".join(texts)
        begun = time.process_time()
        words = cut(whole)
        seconds = time.process_time() - begun
        lines: list[list[str]] = [[]]
        for word in words:
            if word == "\n":
                lines.append([])
            else:
                lines[-1].append(word)
        return Answer(lines, seconds)

    return answer


def apart(name: str, python: str) -> Engine:
    """A peer in a process of another interpreter. Raises RuntimeError with its last words when it does not start."""
    environment = {**os.environ, "PYTHONPATH": "", "TOKENIZERS_PARALLELISM": "false"}
    command = [python, __file__, "--serve", name]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    asked, answered = child.stdin, child.stdout
    if answered.readline().strip() != "ready":
        raise RuntimeError((child.stderr.read().strip().split("\n") or ["no word"])[-1])

    def answer(texts: list[str]) -> Answer:
        asked.write(json.dumps(texts) + "\n")
        asked.flush()
        reply = json.loads(answered.readline())
        return Answer(reply["words"], reply["seconds"])

    return answer


def serve(name: str) -> None:
    """Answer on standard output what `apart` asks."""
    engine = here(peer(name))
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(engine(json.loads(line))._asdict()), flush=True)


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


def word_f1(lines: list[list[str]], produced: list[list[str]]) -> float:
    hit = made = right = 0
    for gold, words in zip(lines, produced, strict=True):
        theirs = spans(gold)
        right += len(theirs)
        if "".join(words) != "".join(gold):
            continue  # an engine that changes the text has missed it
        mine = spans(words)
        hit, made = hit + len(theirs & mine), made + len(mine)
    return 2 * hit / (made + right) if made + right else 0.0


def accuracy(engine: Engine, data: Path, seconds: float | None) -> tuple[dict[str, float], int, int]:
    """Word F1 on every gold file, the lines it was measured on, and all lines there are."""
    scores, used, all_lines = {}, 0, 0
    for name, path in gold_files(data).items():
        lines = gold_lines(path)
        all_lines += len(lines)
        if seconds is not None:
            lines = lines_in_time(engine, lines, seconds)
        used += len(lines)
        scores[name] = word_f1(lines, engine(["".join(line) for line in lines]).words)
    return scores, used, all_lines


def lines_in_time(engine: Engine, lines: list[list[str]], seconds: float) -> list[list[str]]:
    """All lines, or an even sample of them that a slow engine can cut in about so many seconds."""
    probe = lines[:: max(1, len(lines) // 10)][:10]
    each = engine(["".join(line) for line in probe]).seconds / len(probe)
    return lines[:: max(1, round(each * len(lines) / seconds))]


def speed(engine: Engine, texts: list[str], seconds: float) -> float:
    """MB per second of processor time, of a slow engine on as many texts as fit in about so many seconds."""
    done = spent = 0.0
    for first in range(0, len(texts), 20):
        part = texts[first : first + 20]
        spent += engine(part).seconds
        done += sum(len(text.encode()) + 1 for text in part)
        if spent > seconds:
            break
    return done / 1e6 / spent


def speed_of_ours(engine: Engine, text: str) -> float:
    """The median of three runs, of a slow engine one."""
    size = len(text.encode()) / 1e6
    seconds = [engine([text]).seconds]
    while len(seconds) < 3 and seconds[0] < 2:
        seconds.append(engine([text]).seconds)
    return size / statistics.median(seconds)


def load_and_memory(name: str, text: str, model: str = "default") -> tuple[float, float]:
    """Of a fresh process: processor s to import, load and cut one sentence; peak MB with the words of the text."""
    code = (
        "import sys, time; t=time.process_time()\n"
        "from phasa.language.segmenters import load_segmenter\n"
        f"e=load_segmenter({name!r}, model={model!r}); e.words('ภาษาไทย'); u=time.process_time()-t\n"
        "w=e.words(sys.stdin.buffer.read().decode())\n"
        "print(u, next(int(r.split()[1])/1024 for r in open('/proc/self/status') if r.startswith('VmHWM')))"
    )
    runs = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], input=text.encode(), capture_output=True, check=True)
        runs.append([float(number) for number in done.stdout.split()])
    return statistics.median(run[0] for run in runs), max(run[1] for run in runs)


def hard_texts() -> dict[str, str]:
    return {
        "no blank": "ภาษาไทยง่ายมากกว่าที่คิด" * 14_000,
        "one vowel": "า" * 333_000,
        "tone marks": "่" * 333_000,
        "emoji, ZWJ": "👨‍👩‍👧‍👦" * 40_000,
        "surrogates": "\ud800ก" * 166_000,
        "NUL": "\x00" * 1_000_000,
    }


def print_row(name: str, scores: dict[str, float], golds: list[str], rate: float, note: str = "") -> None:
    cells = ""
    for gold in golds:
        learned = "*" if gold in LEARNED.get(name, ()) else " "
        cells += f"{scores[gold]:>9.4f}{learned}" if gold in scores else f"{'-':>9} "
    mean = statistics.mean(scores[f"best {genre}"] for genre in GENRES) if scores else float("nan")
    print(f"{name:<14}{cells}{mean:>9.4f}{rate:>9.3f}  {note}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser()
    default = os.environ.get("PHASA_DATA", Path(__file__).parents[2] / "shared" / "data")
    options.add_argument("--data", type=Path, default=Path(default))
    options.add_argument("--peers", default=",".join(PEERS))
    options.add_argument("--peer-python", default=sys.executable, help="the interpreter that has the peers")
    options.add_argument("--seconds", type=float, default=8.0, help="for each gold file and slow peer, about")
    options.add_argument("--speed-only", action="store_true")
    options.add_argument("--serve", choices=PEERS, help=argparse.SUPPRESS)
    arguments = options.parse_args()
    if arguments.serve:
        serve(arguments.serve)
        return
    text = speed_text(arguments.data)
    golds = list(gold_files(arguments.data))
    heads = ["article", "encycl.", "news", "novel", "TUD test", "wise160", "BEST"]
    print(
        f"{'engine':<14}"
        + "".join(f"{head:>9}{'' if i == 6 else ' '}" for i, head in enumerate(heads))
        + f"{'MB/s':>9}"
    )
    rows = [(name, ours(name)) for name in OURS]
    rows[1:1] = [
        *((f"phasa {style}", ours("phasa", style)) for style in ("best", "ud", "social")),
        ("free", ours("phasa", model="free")),
        *((f"free {style}", ours("phasa", style, "free")) for style in ("plain", "ud", "social")),
    ]
    for name, engine in rows:
        scores = {} if arguments.speed_only else accuracy(engine, arguments.data, None)[0]
        print_row(name, scores, golds, speed_of_ours(engine, text))
    for name in arguments.peers.split(",") if arguments.peers else ():
        try:
            elsewhere = arguments.peer_python != sys.executable
            engine = apart(name, arguments.peer_python) if elsewhere else here(peer(name))
        except Exception as problem:  # noqa: BLE001 - peers fail to load in many ways, and the run goes on without them
            print(f"{name:<14}not run: {type(problem).__name__}: {problem}")
            continue
        found: tuple[dict[str, float], int, int] = ({}, 0, 0)
        if not arguments.speed_only:
            found = accuracy(engine, arguments.data, arguments.seconds)
        note = f"{found[1]:,} of {found[2]:,} lines" if found[1] < found[2] else ""
        print_row(name, found[0], golds, speed(engine, text.split("\n"), arguments.seconds), note)
    print("BEST: mean of the four genres.   * the engine was trained on this set, as its makers say")
    print("\nload (processor s, imports included) and peak memory (MB, with the words of 5 MB of text):")
    for name, model in [*((name, "default") for name in OURS), ("phasa", "free")]:
        seconds, memory = load_and_memory(name, text, model)
        print(f"{name if model == 'default' else model:<14}{seconds:>8.3f}{memory:>8.0f}")
    print("\n1 MB of hard text (processor s):")
    for kind, hard in hard_texts().items():
        times = []
        for name in ("phasa", "lexto", "longest-first"):
            answer = ours(name)([hard])
            same = "\n".join("".join(line) for line in answer.words) == hard
            times.append(f"{name} {answer.seconds:.3f}{'' if same else ' NOT LOSS-FREE'}")
        print(f"{kind:<14}" + "   ".join(times))
    print(f"peak memory of this run: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
