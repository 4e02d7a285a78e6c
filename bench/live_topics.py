"""Live crawls by topic beside the lab: the same web, seeds, judge, predictor and strategy; harvest after so many pages.

    python bench/live_topics.py [--world 21:20000] [--pages 2000] [--topics tourism,estate,diving,food]
                                [--strategies segment-hybrid,segment,best-segment,best-page,bfs] [--training 30000]
                                [--connections 1]

The lab replays the web in strict order. Live, a new collection with its default settings crawls the same web over real
HTTP from `phasa lab serve --topics`; only server, delay, topic, strategy and the limits (so many pages, 300 of a
website) are set. Topic model and predictor are learned from web 0, whose hosts no other web has.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from phasa.collection import Collection
from phasa.crawl.run.crawl_log import read_log
from phasa.crawl.run.runs import run_collection
from phasa.frontier.politeness import Politeness
from phasa.papers.segment_crawling.crawls import PER_WEBSITE, arena, crawl, predictor_of, strategy_for
from phasa.papers.segment_crawling.models import TRAINING_PAGES, topic_model

ALL = "segment-hybrid,segment,best-segment,best-page,bfs"


def live(options: argparse.Namespace, topic: str, strategy: str, port: int) -> tuple[list[bool], list[str], float]:
    """One crawl: whether each page was wanted, in the order of the log; what went wrong; seconds."""
    seed, _, pages = options.world.partition(":")
    place = arena(int(seed), int(pages), topic, options.training)
    with tempfile.TemporaryDirectory() as folder:
        made = Collection.create(Path(folder) / "c", language="en")
        (made.path / Collection.SEEDS).write_text("".join(f"{one.url}\n" for one in place.world.seeds(topic)))
        made.models_folder.mkdir(exist_ok=True)
        topic_model(topic, options.training, repeats=1).save(made.models_folder / "it.topic")
        predictor_of(topic, options.training).save(made.models_folder / made.settings.strategies.segment.predictor)
        budgets = msgspec.structs.replace(made.settings.budgets, pages=options.pages, pages_per_host=PER_WEBSITE)
        settings = msgspec.structs.replace(
            made.settings,
            strategy=strategy,
            topic="it.topic",
            server=f"127.0.0.1:{port}",
            allow_private=True,
            politeness=Politeness(delay=0.0, address_delay=0.0),
            budgets=budgets,
            connections=options.connections or made.settings.connections,
        )
        begun = time.perf_counter()
        run = run_collection(Collection(made.path, settings))
        seconds = time.perf_counter() - begun
        log = list(read_log(made.path / Collection.LOG))
        return [line.wanted for line in log if line.wanted is not None], list(run.errors[:3]), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", default="21:20000", metavar="SEED:PAGES")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--topics", default="tourism,estate,diving,food")
    parser.add_argument("--strategies", default=ALL)
    parser.add_argument("--training", type=int, default=TRAINING_PAGES)
    parser.add_argument("--connections", type=int, default=0, help="of the live crawl; those of a new collection")
    options = parser.parse_args()
    seed, _, pages = options.world.partition(":")
    print(f"{'topic':10}{'strategy':16}{'lab':>7}{'live':>7}{'live - lab':>12}{'pages':>8}{'seconds':>9}", flush=True)
    for topic in options.topics.split(","):
        place = arena(int(seed), int(pages), topic, options.training)
        words = ["lab", "serve", options.world, "--topics", "--topic", topic, "--port", "0"]
        server = subprocess.Popen([sys.executable, "-m", "phasa", *words], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline().rstrip("/\n").rpartition(":")[2])
            for name in options.strategies.split(","):
                lab = crawl(place, strategy_for(name, topic, options.training), options.pages).harvest
                wanted, errors, seconds = live(options, topic, name, port)
                share = sum(wanted[: options.pages]) / max(1, len(wanted[: options.pages]))
                print(f"{topic:10}{name:16}{lab:>7.3f}{share:>7.3f}{100 * (share - lab):>+12.1f}{len(wanted):>8,}"
                      f"{seconds:>9.1f}  {'; '.join(errors)}", flush=True)  # fmt: skip
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
