"""The segment crawler as its user runs it: the manual's commands on a served web with topics (docs/segments.md)."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from phasa.cli import main
from phasa.collection import Collection
from phasa.crawl.learn.lesson import recorded_pages
from phasa.crawl.run.assembly import judge_of
from phasa.crawl.run.crawl_log import read_log
from phasa.crawl.segments.edges import HEAD
from phasa.crawl.segments.hops import citing, within_hops
from phasa.crawl.segments.predictor import load_predictor
from phasa.settings import write_settings
from phasa.web.url import authority

PHASA = [sys.executable, "-m", "phasa"]
CRAWLERS = ("segment", "best-segment", "best-page", "bfs")
PER_SITE = 8
PAGES = 60


def phasa(*words: object, code: int = 0) -> str:
    """A command in this process: what it printed, the output first."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    before = sys.argv
    sys.argv = ["phasa", *map(str, words)]
    ended = 0
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as end:
        ended = int(end.code or 0)
    finally:
        sys.argv = before
    printed, complained = (stream.buffer.getvalue().decode() for stream in (out, err))
    assert ended == code, complained
    return str(printed + complained)


@dataclass
class Recipe:
    """What the manual's commands left."""

    folder: Path
    server: str

    def collection(self, name: str) -> Collection:
        return Collection.open(self.folder / name)

    def set(self, name: str, **changes: object) -> None:
        made = self.collection(name)
        made.settings_file.write_text(write_settings(msgspec.structs.replace(made.settings, **changes)))


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recipe]:
    folder = tmp_path_factory.mktemp("trips")
    serve = [*PHASA, "lab", "serve", "0:2000", "--topics", "--port", "0"]
    words = ["--seeds", folder / "seeds.txt", "--listed", folder / "lists"]
    server = subprocess.Popen([*serve, *map(str, words)], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        found = re.search(r"http://(127\.0\.0\.1:\d+)/", server.stdout.readline())
        assert found
        made = Recipe(folder, found[1])
        lists = folder / "lists"
        phasa("learn", "topic", "-p", lists / "about.txt", "-n", lists / "other.txt", "--crawl", folder / "sites",
              "--server", made.server, "--pages-per-site", PER_SITE, "--repeats", 1, "--folds", 3,
              "-o", folder / "t.topic")  # fmt: skip
        _init(made, "trips")
        phasa("crawl", folder / "trips", "--strategy", "bfs", "--pages", 300, "-q")
        phasa("learn", "predictor", folder / "trips", "--mode", "exact", "--repeats", 1, "--folds", 2)
        yield made
    finally:
        server.terminate()
        server.wait()


def _init(made: Recipe, name: str) -> None:
    target = made.folder / name
    phasa("init", target, "--lang", "en", "--seeds", made.folder / "seeds.txt", "--server", made.server)
    (target / "models").mkdir()
    (target / "models" / "t.topic").write_bytes((made.folder / "t.topic").read_bytes())
    made.set(name, topic="t.topic")


def test_row_13_listed_sites_are_crawled_breadth_first_at_most_so_many_pages_each(recipe: Recipe) -> None:
    listed = {authority(line) for name in ("about", "other")
              for line in (recipe.folder / "lists" / f"{name}.txt").read_text().split()}  # fmt: skip
    lines = [line for line in read_log(recipe.folder / "sites" / "crawl.log") if line.wanted is not None]
    taken = Counter(authority(line.url) for line in lines)
    assert taken.keys() <= listed
    assert max(taken.values()) == PER_SITE
    for host in taken:
        depths = [line.depth for line in lines if authority(line.url) == host]
        assert depths == sorted(depths), "breadth-first within a site"


def test_row_40_training_pages_are_near_the_pages_that_link_to_the_targets(recipe: Recipe) -> None:
    trips = recipe.collection("trips")
    pages = list(recorded_pages(trips.archive_folder, judge_of(trips, trips.profile)))
    targets = [url for page in pages for url in page.links.urls if authority(url) != authority(page.url)][::4][:3]
    (recipe.folder / "targets.txt").write_text("\n".join(targets))
    out = recipe.folder / "near.predictor"
    told = json.loads(
        phasa("learn", "predictor", recipe.folder / "trips", "--mode", "exact", "--repeats", 1, "--folds", 2,
              "--targets", recipe.folder / "targets.txt", "--hops", 2, "-o", out, "--json")
    )  # fmt: skip
    starts = citing(pages, targets)
    near = within_hops(pages, starts, 2)
    assert (told["hop_0"], told["pages"]) == (len(starts), len(near))
    assert 0 < len(near) < len(pages)
    assert set(near.values()) == {0, 1, 2}
    learned = load_predictor(out)
    assert learned.hops == 2
    assert {page.url for page in pages if learned.was_trained_on(page.url)} == near.keys()
    reached = {url: set(page.links.urls) for page in pages for url in [page.url]}
    for url, hop in near.items():
        assert hop <= 2
        assert hop == 0 or any(near.get(one, 9) == hop - 1 and url in out for one, out in reached.items())


@pytest.fixture(scope="module")
def crawls(recipe: Recipe) -> dict[str, Collection]:
    """Four crawlers at once from the same seeds, none of which were learned from."""
    unseen = recipe.folder / "unseen.txt"
    learned = load_predictor(recipe.folder / "trips" / "models" / "segment.predictor")
    trips = recipe.collection("trips")
    pages = recorded_pages(trips.archive_folder, judge_of(trips, trips.profile))
    fresh = dict.fromkeys(url for page in pages for url in page.links.urls if not learned.was_trained_on(url))
    unseen.write_text("\n".join(list(fresh)[:12]) + "\n")
    (recipe.folder / "seeds.txt").write_text(unseen.read_text())
    for name in CRAWLERS:
        _init(recipe, name)
        learned.save(recipe.folder / name / "models" / "segment.predictor")
        recipe.set(name, unseen="segment.predictor")
    running = [
        subprocess.Popen([*PHASA, "crawl", str(recipe.folder / name), "--strategy", name, "--pages", str(PAGES), "-q"],
                         stdout=subprocess.DEVNULL)
        for name in CRAWLERS
    ]  # fmt: skip
    assert [one.wait() for one in running] == [0] * 4
    return {name: recipe.collection(name) for name in CRAWLERS}


def test_row_49_50_no_crawler_fetches_what_a_model_was_learned_from(crawls: dict[str, Collection]) -> None:
    learned = load_predictor(crawls["segment"].models_folder / "segment.predictor")
    for name, made in crawls.items():
        urls = [line.url for line in read_log(made.log_file) if line.wanted is not None]
        assert len(urls) == len(set(urls)) > 20, name
        assert not any(map(learned.was_trained_on, urls)), name
        assert not any(map(learned.was_trained_on, made.seeds())), name


def test_row_50_seeds_that_were_learned_from_are_told(recipe: Recipe, crawls: dict[str, Collection]) -> None:
    target = recipe.folder / "again"
    _init(recipe, "again")
    trained = next(line.url for line in read_log(recipe.folder / "trips" / "crawl.log") if line.wanted is not None)
    (target / "seeds.txt").write_text(trained + "\n")
    learned = load_predictor(recipe.folder / "trips" / "models" / "segment.predictor")
    learned.save(target / "models" / "segment.predictor")
    said = phasa("crawl", target, "--strategy", "segment", "--pages", 5, "-q", code=1)
    assert "the model was learned from it" in said
    assert "strategies.segment.trained" in said
    said = phasa("crawl", target, "--strategy", "segment:trained=true", "--pages", 5, "-q", "--rescope")
    assert "0 wanted" not in said
    assert "pages" in said
    assert sum(line.wanted is not None for line in read_log(target / "crawl.log")) == 5


def test_row_53_crawls_that_are_compared_ran_in_the_same_period(crawls: dict[str, Collection]) -> None:
    told = {name: _manifest(made) for name, made in crawls.items()}
    assert all(one["started"] < other["ended"] for one in told.values() for other in told.values())
    assert len({tuple(one["seeds"]) for one in told.values()}) == 1


def test_row_54_harvest_page_by_page(crawls: dict[str, Collection]) -> None:
    for name, made in crawls.items():
        _, *lines = (made.reports_folder / "harvest.tsv").read_text().splitlines()
        rows = [line.split("\t") for line in lines]
        wanted = [line.wanted for line in read_log(made.log_file) if line.wanted is not None]
        assert [int(row[0]) for row in rows] == list(range(1, len(wanted) + 1)), name
        assert [row[4] == "1" for row in rows] == wanted
        assert rows[-1][6] == f"{sum(wanted) / len(wanted):.4f}"


def test_row_61_62_the_manifest_of_a_live_crawl_says_what_was_measured_and_chosen(
    recipe: Recipe, crawls: dict[str, Collection]
) -> None:
    told = _manifest(crawls["segment"])
    chosen = told["configuration"]
    assert (chosen["crawler"], chosen["topic"], chosen["max_pages_total"]) == ("tflswc", "t", PAGES)
    assert chosen["topic_training"]["max_pages_per_site"] == PER_SITE
    assert chosen["cv"] == {"folds": 3, "repeats": 1, "g_mean": chosen["cv"]["g_mean"]}
    assert chosen["thai_match"] == {"mode": "exact"}
    assert _manifest(crawls["bfs"])["configuration"]["thai_match"] == {"mode": "none"}
    readings = {"A1": "slash", "A2": "host", "A5": "occurrences", "A6": "citing", "A16": "each", "A21": "least"}
    assert readings.items() <= told["readings"].items()
    switched = crawls["best-segment"].path
    phasa("crawl", switched, "--strategy", "best-segment:several=most:patience=5:directories=bare", "--pages", 3, "-q")
    last = _manifest(crawls["best-segment"])
    assert (last["readings"]["A21"], last["readings"]["A1"]) == ("most", "bare")
    assert (last["configuration"]["segment_threshold_S"], last["configuration"]["crawler"]) == (5, "best_segment")


def test_a_crawl_by_segments_leaves_its_edges_and_segments(crawls: dict[str, Collection]) -> None:
    made = crawls["segment"]
    head, *lines = (made.reports_folder / "edges.tsv").read_text().splitlines()
    assert head + "\n" == HEAD
    rows = [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines]
    assert rows
    for row in rows:
        both = (float(row["P_L"]) + float(row["P_W"])) / 2
        assert float(row["P_E"]) == pytest.approx(both, abs=2e-4)
        assert 0 <= float(row["contribution"]) <= 1
        assert row["degree_bin"].isdigit()
    _, *segments = (made.reports_folder / "segments.tsv").read_text().splitlines()
    states = Counter(line.split("\t")[1] for line in segments)
    assert states["done"] + states["abandoned"] > 0


def test_a_predictor_is_not_asked_in_another_reading_than_it_was_learned_with(crawls: dict[str, Collection]) -> None:
    said = phasa("crawl", crawls["segment"].path, "--strategy", "segment:counted=distinct", "--pages", 1, "-q", code=1)
    assert "was learned with counted = 'occurrences'" in said


def _manifest(made: Collection) -> dict[str, Any]:
    latest = max((made.reports_folder / "manifests").glob("*.json"), key=lambda path: path.stat().st_mtime)
    told: dict[str, Any] = json.loads(latest.read_text())
    return told
