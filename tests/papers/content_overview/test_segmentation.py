"""The segmentation experiments on a corpus of a few lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from phasa.errors import InputError
from phasa.lab.report import write_text
from phasa.lab.result import Result, Section
from phasa.language.lexicon import read_line
from phasa.papers import EXPERIMENTS, reproduce
from phasa.papers.content_overview.segmentation import AFTER, BEFORE, DICTIONARY, GENRES, WITH_NAMES, Part, tables
from phasa.papers.options import Options


def small_part(*lines: str) -> Part:
    return Part({genre: [read_line(line) for line in lines] for genre in GENRES})


@pytest.fixture(scope="module")
def sections() -> list[Section]:
    train = small_part("ไม่|ได้|กิน|ปลา", "ไม่|ได้|นอน", "ไม่ได้|มา", "<NE>สมใจ</NE>|กิน|ข้าว")
    test = small_part("ไม่|ได้|กิน|ข้าว", "<NE>สมใจ</NE>|นอน")
    return tables(train, test)


def row(section: Section, name: str, genre: str) -> list[object]:
    return next(list(cells) for cells in section.tables[0].rows if list(cells[:2]) == [name, genre])


def test_refinement_mends_what_the_joined_form_breaks(sections: list[Section]) -> None:
    before, after = (row(sections[1], name, "news")[-1] for name in ("before", "after, as published"))
    assert isinstance(before, float)
    assert isinstance(after, float)
    assert before < after


def test_names_raise_the_score(sections: list[Section]) -> None:
    assert row(sections[2], "CName of train", "novel")[-1] == 100.0


def test_leak_free_rows_have_no_published_figure(sections: list[Section]) -> None:
    assert row(sections[1], "after, leak-free", "mean")[2:5] == [None, None, None]


def test_sequential_and_parallel_are_equal(sections: list[Section]) -> None:
    assert sections[4].text == "the two outputs are equal, byte for byte"


def test_published_means_are_those_of_the_source() -> None:
    means = [round(sum(row[2] for row in table) / 4, 2) for table in (BEFORE, AFTER)]
    assert means == [83.06, 93.17]
    for precision, recall, f in (*BEFORE, *AFTER, *WITH_NAMES, *DICTIONARY):
        assert abs(2 * precision * recall / (precision + recall) - f) < 0.011


def test_tables_print_with_their_notes(sections: list[Section]) -> None:
    text = write_text(Result("segmentation", "Thai words", "", sections[:1]))
    assert "ไม่|ได้" in text
    assert "6,875" in text
    assert sections[0].text[:40] in text


def test_every_experiment_can_be_imported_and_unknown_ones_are_refused(tmp_path: Path) -> None:
    from importlib import import_module

    assert all(callable(import_module(module).run) for module, _ in EXPERIMENTS.values())
    with pytest.raises(InputError, match="none of that name"):
        reproduce("alchemy", Options(data=tmp_path))
    with pytest.raises(InputError, match="BEST corpus is not there"):
        reproduce("segmentation", Options(data=tmp_path))
    with pytest.raises(InputError, match="--data or PHASA_DATA"):
        reproduce("segmentation", Options(data=tmp_path / "absent"))
