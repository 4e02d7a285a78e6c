"""kill -9 of the watch over feeds and of exports: no post is lost or kept twice, no half file is called a whole one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.durability.side_kills import ExportToll, FeedToll, FeedWeb, exports_killed, feeds_life
from tests.durability.small_web import SmallWeb, collection_for, command, finish

FEEDS = 6


def watch_life(path: Path, dice: random.Random, kills: int, seconds: float) -> FeedToll:
    small = FeedWeb(FEEDS, every=0.5)
    with small.serving():
        toll = feeds_life(collection_for(path, small), small, dice, kills, seconds)
    assert toll.lost == toll.twice == toll.broken == 0, toll
    assert toll.asked_again <= kills * FEEDS, "only what was under way"
    return toll


def exports_life(path: Path, dice: random.Random, kills: int, pages: int) -> ExportToll:
    small = SmallWeb(pages, hosts=10)
    with small.serving():
        collection = collection_for(path / "c", small)
        code, _, err = finish(command("crawl", collection.path, "--quiet"), timeout=600.0)
        assert code == 0, err
    toll = exports_killed(collection, dice, kills)
    assert toll.partial == toll.archive_changed == 0, toll
    return toll


def test_a_killed_watch_loses_no_post(tmp_path: Path) -> None:
    assert watch_life(tmp_path / "c", random.Random(3), kills=3, seconds=1.0).posts >= FEEDS


def test_a_killed_export_leaves_no_half_file_under_its_name(tmp_path: Path) -> None:
    assert exports_life(tmp_path, random.Random(3), kills=4, pages=60).kills == 4


@pytest.mark.soak
def test_a_hundred_kills_of_the_watch(tmp_path: Path) -> None:
    dice, total = random.Random(1), FeedToll()
    for life in range(10):
        total += watch_life(tmp_path / str(life), dice, kills=10, seconds=1.0)
    print(total)
    assert total.kills >= 100


@pytest.mark.soak
def test_fifty_kills_of_exports(tmp_path: Path) -> None:
    print(exports_life(tmp_path, random.Random(1), kills=50, pages=500))
