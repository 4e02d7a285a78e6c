"""The segmentation experiments on a corpus of a few lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from phasa.errors import InputError
from phasa.lab.report import write_text
from phasa.lab.result import Result, Section
from phasa.language.lexicon import read_line
from phasa.papers import EXPERIMENTS, reproduce
from phasa.papers.content_overview.corpora import GENRES, Corpus, Part, read_best, read_small
from phasa.papers.content_overview.segmentation import AFTER, BEFORE, DICTIONARY, WITH_NAMES, tables
from phasa.papers.options import Options


def small_part(*lines: str) -> Part:
    return Part({genre: [read_line(line) for line in lines] for genre in GENRES})


@pytest.fixture(scope="module")
def sections() -> list[Section]:
    train = small_part("ไม่|ได้|กิน|ปลา", "ไม่|ได้|นอน", "ไม่ได้|มา", "<NE>สมใจ</NE>|กิน|ข้าว")
    test = small_part("ไม่|ได้|กิน|ข้าว", "<NE>สมใจ</NE>|นอน")
    return tables(Corpus(train, test, ("a few lines",)))


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
    assert sections[5].text == "the two outputs are equal, byte for byte"


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


def test_every_figure_is_there_with_and_without_the_switches(sections: list[Section]) -> None:
    for number in (1, 2):
        names = {str(cells[0]) for cells in sections[number].tables[0].rows}
        plain = {name for name in names if "switches" not in name} - {"before"}
        assert {f"{name}, switches" for name in plain} == names - plain - {"before"}
    steps = sections[3].tables[0].rows
    assert [list(cells[:2]) for cells in steps if cells[0] == "published"] == [["published", 93.17]]
    assert len(steps) == 6
    assert steps[0][1] == row(sections[1], "after, as published", "mean")[-1]
    assert steps[4][3] == row(sections[2], "CName of train, switches", "mean")[-1]


def test_each_switch_mends_what_it_is_for() -> None:
    # ท่าน comes before เท่า and breaks เท่านั้น; nothing claims ปี or 2009; the name "ๆ " takes the blank after ๆ.
    train = small_part("เท่า|นั้น", "ท่าน", "ดี", "<NE>ๆ </NE>", "นก", "นก|ๆ| |บิน", "ๆ| |มา")
    test = small_part("เท่า|นั้น|ดี", "ปี|2009|บิน", "นก|ๆ| |บิน")
    rows = tables(Corpus(train, test, ()))[3].tables[0].rows
    e7, e8 = [cells[1] for cells in rows[:5]], [cells[3] for cells in rows[:5]]
    assert e7[2] > e7[1]  # type: ignore[operator]  # figures
    assert e7[3] > e7[2]  # type: ignore[operator]
    assert e8[4] > e8[3]  # type: ignore[operator]


def test_without_data_a_small_corpus_of_the_package_is_used_and_said_so() -> None:
    result = reproduce("segmentation", Options(quick=True))
    text = write_text(result)
    assert "SMALL CORPUS" in text
    assert "small free corpus" in result.title
    assert [claim.holds for claim in result.claims] == [True]
    assert row(result.sections[1], "before", "treebank")[2] is None


def test_the_small_corpus_has_no_line_in_both_parts_and_every_fifth_is_for_testing() -> None:
    corpus = read_small()
    train, test = ([tuple(line) for line in part.all()] for part in (corpus.train, corpus.test))
    assert len(test) == pytest.approx(len(train) / 4, abs=2)
    assert len(set(train) & set(test)) < 5  # a message may be sent twice


def test_best_as_it_is_published_is_read_by_lots_of_five_and_broken_lines_are_counted(tmp_path: Path) -> None:
    for genre in GENRES:
        (tmp_path / genre).mkdir()
        for number in range(1, 7):
            text = f"ไฟล์|{number}|<NE>สมใจ</NE>|\n" + ("<NE>ขาด|คู่\n" if number == 2 else "")
            (tmp_path / genre / f"{genre}_{number:05}.txt").write_text(text, encoding="utf-8")
    corpus = read_best(tmp_path)
    assert [line[1].text for line in corpus.test.lines["news"]] == ["1", "6"]
    assert [line[1].text for line in corpus.train.lines["news"]] == ["2", "3", "4", "5"]
    assert corpus.train.lines["novel"][0][2].tag == "NE"
    assert "4 lines with broken tags are left out" in corpus.notes
    (tmp_path / "news" / "news_00001.txt").write_bytes("ไทย".encode("tis-620"))
    with pytest.raises(InputError, match=r"news_00001\.txt: not UTF-8"):
        read_best(tmp_path)
