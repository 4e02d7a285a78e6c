"""`phasa estimate` against the truth: on how many worlds is the number of wanted pages that wait within its bounds?

    python bench/estimates.py [--worlds 20] [--pages 3000] [--first 400] [--draw 150] [--strategy hybrid]

Each world (1, 2, …) is served by a process of its own, crawled by the command with the settings of a new collection up
to `--first` pages, sampled, and crawled on until all of the sample came. The truth is what the judge of the crawl says
of every address that waited when the sample was drawn (*judged*), and what the world says of it (*true*): webs that lie
have pages of two languages, which the world counts for the language and a judge that reads them may not.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import msgspec

from phasa.collection import Collection
from phasa.crawl.answer import Kind
from phasa.crawl.run.estimate import Estimate, draw_sample, read_estimate
from phasa.crawl.seeds import seed_line
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import State
from phasa.frontiers import read_frontier
from phasa.lab.markup import is_page
from phasa.lab.page_judge import PageJudge
from phasa.lab.replay import GraphAnswer
from phasa.lab.seeds import seeds_of
from phasa.lab.world import World
from phasa.settings import write_settings

PHASA = [sys.executable, "-m", "phasa"]


def crawl(collection: Collection, pages: int) -> None:
    words = [*PHASA, "crawl", str(collection.path), "--pages", str(pages)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])


class Truth(NamedTuple):
    """Wanted pages among the addresses that wait."""

    judged: int
    true: int


def truth(world: World, collection: Collection) -> Truth:
    with read_frontier(collection) as frontier:
        waits = [world.find(seen.url) for seen in frontier.seen_urls() if seen.state is State.WAITING]
    pages = [page for page in waits if 0 <= page < len(world.pages) and is_page(world, page)]
    judge = PageJudge(world)
    answers = (GraphAnswer(Kind.PAGE, number=page) for page in pages)
    return Truth(sum(judge.judge(one).wanted for one in answers), sum(bool(world.graph.wanted[page]) for page in pages))


def estimate(world: World, given: argparse.Namespace, port: int, folder: Path) -> tuple[Estimate, Truth]:
    """One crawl with its estimate, and the truth."""
    made = Collection.create(folder, language=given.lang)
    settings = msgspec.structs.replace(
        made.settings,
        strategy=given.strategy,
        server=f"127.0.0.1:{port}",
        allow_private=True,
        politeness=Politeness(delay=0.0, address_delay=0.0),
    )
    made.settings_file.write_text(write_settings(settings), encoding="utf-8")
    (folder / Collection.SEEDS).write_text("".join(f"{seed_line(seed)}\n" for seed in seeds_of(world, given.seeds)))
    collection = Collection.open(folder)
    crawl(collection, given.first)
    true = truth(world, collection)
    draw_sample(collection, given.draw)
    for _ in range(5):
        crawl(collection, given.draw)
        found = read_estimate(collection)
        if found is not None and not found.open:
            break
    assert found is not None
    return found, true


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--first", type=int, default=400)
    parser.add_argument("--draw", type=int, default=150)
    parser.add_argument("--strategy", default="hybrid")
    parser.add_argument("--lang", default="th")
    parser.add_argument("--seeds", default="thai1")
    given = parser.parse_args()
    inside = [0, 0]
    print("world\twaiting\tjudged\ttrue\testimate\tat least\tat most\tstill open")
    for seed in range(1, given.worlds + 1):
        name = f"{seed}:{given.pages}"
        words = [*PHASA, "lab", "serve", name, "--lang", given.lang, "--port", "0"]
        server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline().rstrip("/\n").rpartition(":")[2])
            with tempfile.TemporaryDirectory() as folder:
                world = World.from_name(name, given.lang, lies=1.0)
                found, true = estimate(world, given, port, Path(folder) / "c")
        finally:
            server.terminate()
            server.wait()
        for kind, count in enumerate(true):
            inside[kind] += found.at_least <= count <= found.at_most
        cells = found.waiting, *true, found.pages, found.at_least, found.at_most, found.open
        print(f"{name}\t" + "\t".join(f"{cell:,}" for cell in cells), flush=True)
    print(f"inside the bounds: {inside[0]} (judged), {inside[1]} (true) of {given.worlds}")


if __name__ == "__main__":
    main()
