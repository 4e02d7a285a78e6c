"""A frontier goes to a server and back with everything that it knows, or not at all."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from tests.durability.small_web import SmallWeb, collection_for, command, finish

from phasa.collection import Collection
from phasa.crawl.run.explain import explain
from phasa.crawl.run.reports import read_report
from phasa.crawl.run.runs import run_collection
from phasa.crawl.run.status import read_status
from phasa.errors import CollectionError, InputError
from phasa.frontier.budgets import Budgets
from phasa.frontier.postgres import move
from phasa.frontier.postgres.database import PostgresDatabase
from phasa.frontier.postgres.frontier import Member, PostgresFrontier
from phasa.frontier.protocol import Offer
from phasa.frontier.reader import REPORTS
from phasa.frontier.sqlite import SqliteFrontier
from phasa.frontiers import move_frontier, read_frontier
from phasa.schedule.trust import OWN_PAST
from phasa.web.url import Url


def half_crawled(path: Path, small: SmallWeb) -> Collection:
    collection = collection_for(path, small, budgets=Budgets(pages=40, free_disk_megabytes=0.0, idle_seconds=20.0))
    with collection.locked():
        run_collection(collection)
    return collection


def known(collection: Collection) -> list[object]:
    """All that can be asked of a frontier."""
    with read_frontier(collection) as frontier:
        urls = sorted(frontier.seen_urls())
        stories = [frontier.story(Url(seen.url)) for seen in urls]
        visits = frontier.visits_after(0, 10**6)
        rest = [list(frontier.ended()), frontier.quarantined(), frontier.scope(), frontier.totals()]
        return [urls, stories, visits, *rest, [sorted(map(str, frontier.report(name).rows)) for name in REPORTS]]


def move_it(collection: Collection, to: str, *, drop: bool = False) -> int:
    with collection.locked():
        return move_frontier(collection, to, drop=drop, show=lambda done, of: None)


def test_there_and_back_nothing_is_lost_and_the_crawl_goes_on(tmp_path: Path, postgres: str) -> None:
    small = SmallWeb(90, hosts=9)
    with small.serving():
        collection = half_crawled(tmp_path / "c", small)
        before = known(collection)
        code, out, err = finish(command("frontier", "move", collection.path, "--to", postgres))
        assert code == 0, err
        assert "URLs are on the server now" in out
        assert (collection.path / "frontier.db.moved").exists()
        served = Collection.open(collection.path)
        assert served.settings.frontier == postgres
        assert known(served) == before
        more = served.with_settings(budgets=Budgets(pages=60, free_disk_megabytes=0.0, idle_seconds=20.0))
        with more.locked():
            run_collection(more)
        assert read_status(served).pages == 60
        there = known(served)
        move_it(served, "sqlite", drop=True)
        back = Collection.open(collection.path)
        assert (back.settings.frontier, known(back)) == ("", there)
        last = back.with_settings(budgets=Budgets(free_disk_megabytes=0.0, idle_seconds=20.0))
        with last.locked():
            run_collection(last)
    assert read_status(back).done == 90
    asked = [f"{arrival.host}{arrival.path}" for arrival in small.arrivals if "robots" not in arrival.path]
    assert len(asked) == len(set(asked)) == 90
    assert explain(back, small.url(80)).found_on
    assert read_report(back, "hosts").rows
    with pytest.raises(InputError, match="already"):
        move_it(back, "sqlite")


def test_a_move_that_fails_changes_nothing_and_one_that_was_cut_short_is_made_again(
    tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = SmallWeb(30, hosts=5)
    with small.serving():
        collection = half_crawled(tmp_path / "c", small)
    before = known(collection)
    monkeypatch.setattr(move, "_different", lambda file, db: "one row is missing")
    with pytest.raises(CollectionError, match="one row is missing; nothing was moved"):
        move_it(collection, postgres)
    monkeypatch.undo()
    assert Collection.open(collection.path).settings.frontier == ""
    db = PostgresDatabase(postgres)
    assert db.execute("SELECT count(*) FROM url").fetchone() == (0,)
    db.close()
    # Killed after the commit, before the settings were changed.
    urls = move.move_to_server(collection.frontier_file, postgres, _place(collection))
    assert move_it(collection, postgres) == urls
    assert known(Collection.open(collection.path)) == before


def test_a_frontier_that_others_use_is_not_touched(tmp_path: Path, postgres: str) -> None:
    small = SmallWeb(10, hosts=2)
    with small.serving():
        collection = half_crawled(tmp_path / "c", small)
    frontier = PostgresFrontier(postgres, member=Member("elsewhere"))
    with pytest.raises(CollectionError, match="already being crawled"):
        move_it(collection, postgres)
    frontier.offer([])
    frontier.close()
    move_it(collection, postgres)
    running = PostgresFrontier(postgres, member=Member("elsewhere"))
    served = Collection.open(collection.path)
    with pytest.raises(CollectionError, match="already being crawled"):
        move_it(served, "sqlite")
    running.close()
    other = collection_for(tmp_path / "other", small)
    with small.serving():
        with_pages = half_crawled(tmp_path / "third", small)
    assert not other.frontier_file.exists()
    with pytest.raises(CollectionError, match="there is a frontier already"):
        move_it(with_pages, postgres)


def test_what_the_crawl_has_learned_of_revisits_goes_along(tmp_path: Path, postgres: str) -> None:
    collection = collection_for(tmp_path / "c", SmallWeb(3, hosts=1))
    with closing(SqliteFrontier(collection.frontier_file)) as frontier:
        frontier.offer([Offer(Url("http://a.example/"))])
        frontier.keep_note(OWN_PAST, 2.5)
        frontier.keep_note("another", 7.0)
    move_it(collection, postgres)
    served = Collection.open(collection.path)
    with read_frontier(served) as reader:
        assert (reader.note(OWN_PAST), reader.note("another")) == (2.5, 7.0)
    with closing(PostgresFrontier(postgres, member=Member("here"))) as server:
        server.keep_note(OWN_PAST, 3.25)
    move_it(served, "sqlite", drop=True)
    with read_frontier(Collection.open(collection.path)) as reader:
        assert (reader.note(OWN_PAST), reader.note("another")) == (3.25, 7.0)


def _place(collection: Collection) -> str:
    from phasa.frontiers import place_of

    return place_of(collection.path)
