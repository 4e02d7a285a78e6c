"""`phasa corpus` on pages whose truth is known: precision and recall of every step.

    python bench/corpus.py                 planted truth, steps scored
    python bench/corpus.py --minhash       signatures: rensa, numpy, datasketch
    python bench/corpus.py --many 100000   memory and time as documents grow
    python bench/corpus.py --many 100000 --kills 20     and the largest again, killed with -9 so often: the same bytes?

bench/corpus_peer.py is the run next to datatrove.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zstandard

from corpus_truth import BOILERPLATE, NEAR, Page, articles, make_truth  # type: ignore[import-not-found]  # beside this file
from phasa.measures import f_measure


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path(os.environ.get("PHASA_DATA", "../shared/data")))
    options.add_argument("--pages", type=int, default=3000)
    options.add_argument("--minhash", action="store_true")
    options.add_argument("--many", type=int, default=0, metavar="N")
    options.add_argument("--kills", type=int, default=0, help="with --many: at random instants of one run")
    arguments = options.parse_args()
    if arguments.minhash:
        compare_minhash()
        return
    if not arguments.data.is_dir():
        print(f"no real data at {arguments.data}; set PHASA_DATA")
        return
    with tempfile.TemporaryDirectory() as name:
        if arguments.many:
            measure_many(Path(name), arguments.data, arguments.many, arguments.kills)
        else:
            measure_truth(Path(name), arguments.data, arguments.pages)


def run_corpus(*words: str) -> tuple[float, float, int]:
    """CPU seconds, seconds and peak megabytes of the largest process of one `phasa corpus`."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-m", "phasa", "corpus", *words], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - begun, after.ru_maxrss // 1024


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.jsonl.zst")):
        with path.open("rb") as file:
            data = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read()
        yield from (json.loads(line) for line in data.splitlines())


def measure_truth(folder: Path, data: Path, pages: int) -> None:
    truth = make_truth(folder, data, most=pages)
    source = str(folder / "planted.warc.gz")
    cpu, seconds, _ = run_corpus(source, "-o", str(folder / "shipped"), "--lang", "th", "--format", "jsonl")
    print(f"{len(truth):,} pages, {len(truth) / cpu:.0f} a CPU second, {seconds:.0f} s")
    print("step\tprecision\trecall\tf1\tplanted\tdropped")
    score("quality", truth, folder / "shipped", "quality with FineWeb 2's thresholds")
    # Thresholds learned from articles that are not among the pages.
    rest = articles(data)
    known = {page.title for page in truth.values()}
    clean = [json.dumps({"text": "\n".join([title, *parts])}) for title, parts in rest if title not in known]
    (folder / "clean.jsonl").write_text("\n".join(clean[:500]), encoding="utf-8")
    run_corpus("learn", str(folder / "clean.jsonl"), "--lang", "th", "-o", str(folder / "th.toml"))
    words = ("--lang", "th", "--format", "jsonl", "--thresholds", str(folder / "th.toml"), "--mask", "all")
    run_corpus(source, "-o", str(folder / "out"), *words)
    for step in ("optout", "language", "quality", "spam", "duplicates"):
        score(step, truth, folder / "out", step)
    inside(truth, {row["url"]: row for row in rows(folder / "out" / "jsonl")})
    # Near duplicates by themselves: where an earlier step leaves the original out, its variant is none any more.
    off = ("--without", "quality", "--without", "spam")
    run_corpus(source, "-o", str(folder / "near"), "--lang", "th", "--format", "jsonl", *off)
    near(truth, {row["url"]: row for row in rows(folder / "near" / "dropped")})


def score(step: str, truth: dict[str, Page], out: Path, name: str) -> None:
    """Precision and recall of one step, and some of what it did wrong."""
    dropped = {row["url"]: row for row in rows(out / "dropped")}
    planted = {url for url, page in truth.items() if page.expect == step}
    found = {url for url, row in dropped.items() if row["step"] == step}
    report(name, planted, found)
    for url in sorted(found - planted)[:3]:
        print(f"    dropped: {url} {dropped[url]['reason']} {dropped[url]['numbers']}")
    for url in sorted(planted - found)[:3]:
        print(f"    not: {url} {dropped.get(url, {}).get('reason', 'kept')}")


def report(name: str, planted: set[str], found: set[str]) -> None:
    both = len(planted & found)
    precision, recall = both / max(len(found), 1), both / max(len(planted), 1)
    f1 = f_measure(precision, recall)
    print(f"{name}\t{precision:.4f}\t{recall:.4f}\t{f1:.4f}\t{len(planted)}\t{len(found)}")


def near(truth: dict[str, Page], dropped: dict[str, Any]) -> None:
    """Near duplicates alone: pages of which a variant was planted, at a similarity of at least .8 and below."""
    planted = {url for url, page in truth.items() if page.of and NEAR <= page.jaccard < 1}
    apart = {url for url, page in truth.items() if page.of and page.jaccard < NEAR}
    found = {url for url in planted | apart if dropped.get(url, {}).get("step") == "duplicates"}
    report("near duplicates", planted, found)


def inside(truth: dict[str, Page], kept: dict[str, Any]) -> None:
    """What was planted inside of pages that were kept."""
    wrong = left = paragraphs = 0
    notices = licences = marked = 0
    hidden = shown = spared = spoilt = 0
    for url, row in kept.items():
        page = truth[url]
        texts = [one["text"] for one in row["paragraphs"]]
        paragraphs += len(texts)
        wrong += len(page.wrong)
        left += sum(text in texts for text in page.wrong)
        notices += sum(text in texts for text in BOILERPLATE)
        marked += bool(page.licence)
        licences += bool(page.licence) and row["licence"] == page.licence
        shown += sum(secret in row["text"] for secret in page.personal)
        hidden += sum(secret not in row["text"] for secret in page.personal)
        spared += sum(number in row["text"] for number in page.not_personal)
        spoilt += sum(number not in row["text"] for number in page.not_personal)
    print(f"paragraphs in another language\tplanted {wrong}\tleft {left} of {paragraphs:,} ({left / paragraphs:.2%})")
    print(f"notices that a site repeats\tleft {notices} of {len(kept):,} documents")
    print(f"licences\t{licences} of {marked} right")
    print(f"personal data\tmasked {hidden}, left {shown}; other numbers left alone {spared}, masked {spoilt}")


def compare_minhash() -> None:
    """Microseconds for one signature of 500 shingles and 120 permutations."""
    import numpy as np

    rng = np.random.default_rng(1)
    hashes = rng.integers(0, 1 << 32, (64, 500), dtype=np.uint64)

    def rensa() -> None:
        from rensa import RMinHash

        RMinHash.digest_matrix_from_flat_token_hashes(
            hashes.ravel(), np.arange(0, 64 * 500 + 1, 500, dtype=np.uint64), num_perm=120, seed=42
        ).to_rows()

    def plain() -> None:
        factors, terms = rng.integers(1, 1 << 32, (2, 120), dtype=np.uint32)
        for one in hashes.astype(np.uint32):
            (factors[:, None] * one + terms[:, None]).min(axis=1)

    def datasketch() -> None:
        from datasketch import MinHash

        for one in hashes:
            MinHash(num_perm=120, seed=1).update_batch([value.tobytes() for value in one])

    for run in (rensa, plain, datasketch):
        try:
            run()
            begun = time.process_time()
            for _ in range(5):
                run()
            print(f"{run.__name__}\t{(time.process_time() - begun) / 5 / 64 * 1e6:.0f} µs")
        except ImportError as missing:
            print(f"{run.__name__}\tnot measured: {missing}")


def measure_many(folder: Path, data: Path, most: int, kills: int) -> None:
    """Texts repeated with noise, as WET files: a tenth, a third and all of them."""
    from corpus_many import write_many  # type: ignore[import-not-found]

    print("documents\tCPU seconds\tseconds\tdocuments a CPU second\tpeak MB of the largest process\tkept")
    for count in (most // 10, most // 3, most):
        source = folder / f"many-{count}"
        source.mkdir()
        write_many(source, data, count)
        out = folder / f"out-{count}"
        words = ("--lang", "th", "--format", "jsonl")
        cpu, seconds, peak = run_corpus(str(source), "-o", str(out), *words)
        kept = json.loads((out / "corpus.json").read_text())["counts"]["kept"]
        print(f"{count:,}\t{cpu:.0f}\t{seconds:.0f}\t{count / cpu:.0f}\t{peak}\t{kept:,}", flush=True)
    if kills:
        torn = folder / "torn"
        done = kill(kills, seconds, [str(source), "-o", str(torn), *words])
        files = [one.relative_to(out) for one in sorted(out.rglob("*")) if one.is_file()]
        same = sum((out / one).read_bytes() == (torn / one).read_bytes() for one in files)
        print(f"killed {done} times: {same} of {len(files)} files have the same bytes", flush=True)


def kill(kills: int, seconds: float, words: list[str]) -> int:
    """Run `phasa corpus`, killed at instants spread over the time of a whole run, to its end; the number of kills."""
    chance, done = random.Random(1), 0
    for _ in range(kills):
        process = subprocess.Popen([sys.executable, "-m", "phasa", "corpus", *words], stdout=subprocess.DEVNULL)
        try:
            process.wait(chance.uniform(0.2, 1.8) * seconds / (kills + 1))
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            done += 1
    run_corpus(*words)
    return done


if __name__ == "__main__":
    main()
