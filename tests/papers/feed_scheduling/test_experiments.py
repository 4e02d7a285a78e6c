"""`phasa lab reproduce feeds`: every table, E4 cell by cell."""

from __future__ import annotations

from pathlib import Path

import pytest

from phasa.papers.feed_scheduling.experiments import run
from phasa.papers.options import Options


@pytest.mark.data
def test_all_experiments_print_a_table(data: Path) -> None:
    tables = [table for section in run(Options(data=data)).sections for table in section.tables]
    assert [table.title[:2] for table in tables] == ["E0", "E1", "E2", "E3", "E3", "E4", "E4", "E4"]
    for table in tables:
        assert all(len(row) == len(table.header) for row in table.rows)
    for scenario, same in zip(tables[5:], (72, None, 72), strict=True):
        assert len(scenario.rows) == 72
        if same:
            assert [row[-1] for row in scenario.rows] == ["same"] * same
    assert [row[1] for row in tables[4].rows] == list(range(1, 9))
    for row in tables[0].rows:
        assert row[1] == pytest.approx(row[2], abs=0.0005)
