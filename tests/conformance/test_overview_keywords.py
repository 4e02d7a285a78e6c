"""Rows 41–58 of specs/content-overview.md §9 (keywords and cloud) and the golden tests 7–10, 15, 16 of §10."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.cli.test_crawl import phasa

from phasa.measures import f_measure
from phasa.overview.cloud import SHADOW_FROM, STYLES, style_sheet, styles_of
from phasa.overview.keyword_score import KeywordScore, score_keywords
from phasa.overview.keywords import PERCENTS, Keyword, KeywordLists, amtf, keyword_lists, kid, recommend, tfidf, tltf
from phasa.overview.terms import Terms
from phasa.papers.content_overview.keywords import Page, score_pages, score_site

TABLE_5_4 = [1, 3, 4, 5, 7, 8, 9, 10, 12, 19, 19, 21, 23, 24, 25, 54, 55, 56, 82, 116]
GROUPS_5_4 = [1, 2, 1, 1, 2, 1, 1, 1, 2, 7, 2, 2, 1, 1, 29, 1, 1, 26, 34]


def table_5_4() -> KeywordLists:
    """Lists with the group sizes of the demonstration page (E12)."""
    weights = {f"t{group}-{member}": 1 - group / 100 for group, size in enumerate(GROUPS_5_4) for member in range(size)}
    return keyword_lists(weights)


def test_row_41_stop_words_with_the_polite_particles_are_removed_before_counting() -> None:
    terms = Terms("th").of("ผมก็จะไปโรงเรียนครับ ไปโรงเรียนค่ะ")
    assert terms.count("โรงเรียน") == 2
    assert not {"ก็", "จะ", "ครับ", "ค่ะ"} & set(terms)


def test_row_42_term_frequency_normalised_by_the_maximum_with_a_04() -> None:
    assert amtf([["x", "x", "y"]]) == pytest.approx({"x": 1.0, "y": 0.4 + 0.6 * 1 / 2})


def test_row_43_duplicates_are_averaged_over_all_elements_or_as_chosen() -> None:
    elements = [["x", "x", "y"], ["y", "z"], ["y"], []]
    assert amtf(elements) == pytest.approx({"x": 1 / 3, "y": (0.7 + 1.0 + 1.0) / 3, "z": 1 / 3})
    assert amtf(elements, average="containing") == pytest.approx({"x": 1.0, "y": 0.9, "z": 1.0})
    assert amtf(elements, average="total") == pytest.approx({"x": 1.0, "y": 2.7, "z": 1.0})


def test_row_44_scope_of_the_maximum_switches_and_element_is_the_default() -> None:
    elements = [["x", "x", "y"], ["y", "z"]]
    assert amtf(elements) == amtf(elements, scope="element") == pytest.approx({"x": 0.5, "y": 0.85, "z": 0.5})
    assert amtf(elements, scope="page") == pytest.approx({"x": 0.5, "y": 0.7, "z": 0.35})


def test_row_44_a_user_chooses_scope_and_average_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    page.write_text("<html lang=en><p>harbour harbour lantern</p><p>lantern market</p>", encoding="utf-8")

    def weights(weigh: str, *scope: str) -> dict[str, float]:
        _, out, _ = phasa(capsys, "keywords", "--json", "--top", "9", "--lang", "en", "--weigh", weigh, *scope, page)
        return {row["term"]: row["weight"] for row in json.loads(out)["keywords"]}

    assert weights("amtf", "--scope", "page") == weights("amtf-page") != weights("amtf")
    assert weights("amtf") == pytest.approx({"harbour": 0.5, "lantern": 0.85, "market": 0.5})
    assert weights("amtf-page") == pytest.approx({"harbour": 0.5, "lantern": 0.7, "market": 0.35})
    assert weights("amtf-containing") == pytest.approx({"harbour": 1.0, "lantern": 0.85, "market": 1.0})
    assert weights("tltf") == pytest.approx({"harbour": 14.0, "lantern": 14.0, "market": 6.0})
    assert weights("tltf-mean") == pytest.approx({"harbour": 14.0, "lantern": 7.0, "market": 6.0})


def test_row_45_twenty_lists_over_unique_weights_with_ties_together() -> None:
    assert [count for _, count in table_5_4().chart()] == TABLE_5_4


def test_row_46_the_baselines_go_through_the_same_lists_and_agree_at_100_percent() -> None:
    elements = [["a", "bb", "bb"], ["ccc", "a"], ["dd"]]
    at_100 = [{word.term for word in keyword_lists(method(elements))[100]} for method in (amtf, tfidf, tltf)]
    assert at_100[0] == at_100[1] == at_100[2] == {"a", "bb", "ccc", "dd"}


def test_row_47_figure_5_2() -> None:
    tags = ["AA", "BB", "BB", "CC", "CC", "DD", "DD", "EE", "EE", "GG", "FF", "HH", "II", "JJ", "KK", "X", "Y", "Z"]
    content = {"AA", "BB", "CC", "DD", "EE", "GG", "FF", "HH", "II", "JJ", "KK", "NA", "M", "E1"}
    score = score_keywords(["AA", "BB", "CC", "DD", "EE", "GG", "NA", "M", "E1"], tags, content)
    assert score == KeywordScore(tk=9, ck=10, dk=4, swt=18, ni=3)
    assert (round(100 * score.precision, 2), round(100 * score.recall, 2)) == (76.92, 66.67)


def test_row_48_means_are_over_pages_and_f_is_not_that_of_the_means() -> None:
    """In the lab's E11: P 1/2 and R 1 on one page, P 1 and R 1/4 on the other, so F 2/3 and 2/5."""
    wide = Page([["harbour", "market"]], ["harbour"])
    narrow = Page([["lamp", "lamp", "a", "b", "c"], ["lamp"]], ["lamp", "a", "b", "c"])
    assert score_pages([wide], "amtf")[100] == pytest.approx((2, 1 / 2, 1, 2 / 3))
    assert score_pages([narrow], "amtf")[50] == pytest.approx((1, 1, 1 / 4, 2 / 5))
    both = score_pages([wide, narrow], "amtf")[100]
    assert both == pytest.approx((3, 3 / 4, 1, (2 / 3 + 1) / 2))
    assert both.f != pytest.approx(f_measure(both.precision, both.recall))


def test_row_49_kid_merges_page_lists_and_averages_over_the_pages_that_hold_the_term() -> None:
    pages = [{"t": 0.9, "low": 0.1}, {"t": 0.7, "low": 0.1}, {"other": 0.8, "t": 0.1}]
    merged = {word.term: word.weight for word in kid(pages)[50]}
    assert merged["t"] == pytest.approx(0.8)
    assert set(merged) == {"t", "other"}


def test_row_50_multi_page_counts_are_pooled() -> None:
    """In the lab's E13: tags of all pages, and what no page's text has of them."""
    pages = [Page([["harbour", "market"]], ["harbour", "sea"]), Page([["lantern"]], ["lantern", "lantern", "night"])]
    scored, _ = score_site(pages)
    for weigh in ("amtf", "tltf", "tfidf"):
        assert scored[weigh][100] == KeywordScore(tk=3, ck=3, dk=1, swt=5, ni=2)
    assert round(100 * KeywordScore(65, 43, 23, 145, 24).recall, 2) == 35.54


def test_row_51_seven_styles_as_tabulated() -> None:
    assert [tuple(style) for style in STYLES] == [
        (27, "normal", "#8D9DB2"),
        (36, "400", "#9370D8"),
        (37, "600", "#228B22"),
        (42, "600", "#0000FF"),
        (46, "700", "#C71585"),
        (51, "800", "#FFA500"),
        (54, "900", "#FF4500"),
    ]


def test_row_52_shadow_from_style_3_and_line_height_110_percent() -> None:
    rules = style_sheet().splitlines()
    assert [number for number, rule in enumerate(rules, 1) if "text-shadow" in rule] == list(range(SHADOW_FROM, 8))
    assert all("line-height: 110%" in rule for rule in rules)


@pytest.mark.parametrize("percent", PERCENTS)
def test_row_53_styles_scale_over_the_selected_tags(percent: int) -> None:
    styles = styles_of(table_5_4()[percent])
    assert max(styles) == 7
    if len({word.weight for word in table_5_4()[percent]}) > 1:
        assert min(styles) == 1


def test_row_54_order_of_first_appearance() -> None:
    elements = [["title", "words", "lead"], ["lead", "lead", "late", "title"]]
    assert [word.term for word in keyword_lists(amtf(elements))[100]] == ["title", "words", "lead", "late"]
    assert [word.term for word in kid([amtf([e]) for e in elements])[100]] == ["title", "words", "lead", "late"]


def test_row_57_recommended_percentage() -> None:
    chart = table_5_4().chart()
    assert recommend(chart) == 50
    assert recommend(chart, 15) == 45


def test_golden_7_keyword_metric_of_table_5_6() -> None:
    sanook, mthai = KeywordScore(65, 43, 23, 145, 24), KeywordScore(75, 49, 19, 113, 9)
    assert [round(100 * value, 2) for value in (sanook.precision, sanook.recall, sanook.f)] == [48.86, 35.54, 41.15]
    assert [round(100 * value, 2) for value in (mthai.precision, mthai.recall, mthai.f)] == [52.13, 47.12, 49.49]


def test_golden_10_style_scaling() -> None:
    assert styles_of([Keyword("a", 0.4), Keyword("b", 0.7), Keyword("c", 1.0)]) == [1, 4, 7]


def test_golden_16_kid_average() -> None:
    fill = {f"f{number}": 0.01 * number for number in range(19)}
    merged = {word.term: word.weight for word in kid([{"t": 0.9, **fill}, {"t": 0.7, **fill}, {"u": 1.0, **fill}])[5]}
    assert merged["t"] == pytest.approx(0.8)


def appendix_e() -> list[dict[str, str]]:
    with (Path(__file__).parent / "published" / "appendix-e.tsv").open() as rows:
        return list(csv.DictReader(rows, delimiter="\t"))


@pytest.mark.parametrize("row", appendix_e(), ids=lambda row: f"{row['site']}-{row['method']}-{row['percent']}")
def test_appendix_e_every_row_recomputed(row: dict[str, str]) -> None:
    swt, ni = {"Sanook": (145, 24), "MThai": (113, 9)}[row["site"]]
    score = KeywordScore(int(row["tk"]), int(row["ck"]), int(row["dk"]), swt, ni)
    printed = [float(row[name]) for name in ("precision", "recall", "f")]
    assert [100 * score.precision, 100 * score.recall, 100 * score.f] == pytest.approx(printed, abs=0.0051)


def test_appendix_e_has_all_120_rows() -> None:
    assert len(appendix_e()) == 120
