"""`phasa lab reproduce feeds`: every table, E4 cell by cell."""

from __future__ import annotations

from pathlib import Path

import pytest

from phasa.errors import InputError
from phasa.lab.result import Table
from phasa.papers.feed_scheduling import published
from phasa.papers.feed_scheduling.cases import generated
from phasa.papers.feed_scheduling.experiments import run
from phasa.papers.options import Options


def tables_of(options: Options) -> list[Table]:
    return [table for section in run(options).sections for table in section.tables]


def test_all_experiments_print_a_table_without_any_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tables = tables_of(Options(quick=True, data=Path("../shared/data")))
    assert [table.title[:2] for table in tables] == ["E0", "E0", "E1", "E2", "E2", "E2", "E3", "E3", "E4", "E4", "E4"]
    for table in tables:
        assert all(len(row) == len(table.header) for row in table.rows)
    for scenario, same in zip(tables[8:], (72, None, 72), strict=True):
        assert len(scenario.rows) == 72
        if same:
            assert [row[-1] for row in scenario.rows] == ["same"] * same
    assert [row[1] for row in tables[7].rows] == list(range(1, 9))
    for row in tables[0].rows:
        assert row[1] == pytest.approx(row[2], abs=0.0005)


def test_drawn_feeds_have_the_printed_numbers_of_posts() -> None:
    totals = [count for counts in published.TABLE_5_1.values() for count in counts]
    for case, total in zip(generated(3).cases, totals, strict=True):
        assert case.counts.counts.sum() == pytest.approx(total, rel=0.2)
    assert (generated(3).cases[0].counts.counts == generated(3).cases[0].counts.counts).all()
    split = {case.feed for case in generated(3).cases if len(case.counts.clusters()) == 2}
    assert split == {" ".join(feed) for feed in published.SPLIT_FEEDS}


def test_traces_of_the_user_are_taken_and_a_wrong_place_is_named(tmp_path: Path) -> None:
    lines = [f"http://a.example/rss\t{86400 * day + 3600 * hour}" for day in range(90) for hour in (8, 9, 17)]
    trace = tmp_path / "posts.tsv"
    trace.write_text("\n".join(lines) + "\n")
    for place in (trace, tmp_path):
        own = tables_of(Options(data=place))[1]
        assert [row[:2] for row in own.rows] == [("a.example", "http://a.example/rss")]
    (tmp_path / "short").mkdir()
    (tmp_path / "short" / "posts.tsv").write_text("a\t86400\n")
    with pytest.raises(InputError, match="63 days"):
        run(Options(data=tmp_path / "short"))
    with pytest.raises(InputError, match="nowhere"):
        run(Options(data=tmp_path / "nowhere"))
