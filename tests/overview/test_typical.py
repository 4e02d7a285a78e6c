"""The default weight: what a reader would call the keywords of a page, each with a weight of its own."""

from __future__ import annotations

import re

import pytest

from phasa.errors import InputError
from phasa.overview.cloud_page import SHOWN
from phasa.overview.furniture import is_furniture
from phasa.overview.keywords import heaviest
from phasa.overview.overview import overview_of
from phasa.overview.phrases import join_phrases
from phasa.overview.reading import Reading
from phasa.overview.terms import terms_for
from phasa.overview.typical import PageTerms, typical, typical_of_all

FAIR = Reading(
    "page",
    "มหกรรมวิทยาศาสตร์แห่งชาติ",
    (
        "มหกรรมวิทยาศาสตร์แห่งชาติ",
        "วันพุธ เวลา 9.00 น. ดูรายละเอียด คลิก",
        "มหกรรมวิทยาศาสตร์จัดแสดงหุ่นยนต์และดาราศาสตร์ให้นักเรียนทั่วประเทศ หุ่นยนต์ของนักเรียนแข่งขันกันทุกวัน",
        "ติดต่อ info@fair.example โทรศัพท์ 02-000-0000",
    ),
    "th",
)


def ranked(*readings: Reading) -> list[str]:
    found = overview_of(readings).lists[100]
    return [word.term for word in sorted(found, key=lambda word: -word.weight)]


def test_the_keywords_of_a_science_fair_are_not_its_buttons() -> None:
    words = ranked(FAIR)
    assert any("วิทยาศาสตร์" in word for word in words[:3])
    assert any("หุ่นยนต์" in word for word in words[:8])
    assert not {"พุธ", "เวลา", "น.", "คลิก", "โทรศัพท์", "รายละเอียด"} & set(words)
    assert not any("@" in word for word in words)


def test_weights_part_words() -> None:
    weights = [word.weight for word in overview_of([FAIR]).lists[100]]
    assert len({round(weight, 6) for weight in weights}) > 0.8 * len(weights)
    assert all(0 < weight < 1 for weight in weights)


@pytest.mark.parametrize("where", ["title", "description"])
def test_what_title_and_description_name_is_heavier(where: str) -> None:
    passages = [terms_for("en").passage(text) for text in ("harbour and lantern", "lantern or harbour")]
    plain = typical(PageTerms(passages, "en"))
    told = typical(PageTerms(passages, "en", **{where: frozenset({"lantern"})}))
    assert told["lantern"] > plain["lantern"]
    assert told["harbour"] == plain["harbour"]


def test_rare_words_of_a_language_that_was_counted_are_heavier() -> None:
    (common,), (rare,) = (
        typical(PageTerms([terms_for("th").passage(w)], "th")).values() for w in ("โรงเรียน", "นกกระจอก")
    )
    assert rare > common


def test_words_of_many_pages_come_before_words_of_one() -> None:
    assert typical_of_all([{"a": 0.5, "b": 0.6}, {"a": 0.5}]) == {"a": 0.5, "b": 0.3}


def test_thai_words_are_those_of_the_dictionary_where_the_engine_cuts_finer() -> None:
    terms = terms_for("th").of("ดูรายละเอียดโรงพยาบาลและโรงเรียน ความสุข")
    assert {"โรงพยาบาล", "โรงเรียน", "ความสุข", "รายละเอียด"} <= set(terms)
    assert "โรง" not in terms


def test_words_that_stand_together_are_one_keyword() -> None:
    terms = terms_for("en")
    text = "Chiang Mai has a market. The market of Chiang Mai is old; a bridge leads to Chiang Mai."
    joined = join_phrases([[terms.passage(text)]])
    assert joined[0][0].terms.count("chiang mai") == 3
    assert "mai market" not in joined[0][0].terms
    start, end, _ = next(one for one in joined[0][0].occurrences if one.term == "chiang mai")
    assert joined[0][0].text[start:end] == "Chiang Mai"


def test_a_word_in_many_company_stays_a_word() -> None:
    text = " ".join(f"{kind} glass. {kind} glass." for kind in ("rear", "side", "front", "roof", "window"))
    joined = join_phrases([[terms_for("en").passage(text)]])
    assert set(joined[0][0].terms) >= {"glass", "rear"}


def test_a_cloud_opens_with_about_fifty_words_whatever_its_size() -> None:
    words = [f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(600)]
    texts = tuple(" ".join(words[n : n + 40]) for n in range(0, 600, 20))
    made = overview_of([Reading(f"page {n}", "", texts[n:] + texts[:n], "en") for n in range(3)])
    assert len(re.findall(r'class="w\d', made.html())) == made.opens_with() == SHOWN
    tied = overview_of([Reading("page", "", texts, "en")], weigh="amtf")
    assert len(re.findall(r'class="w\d', tied.html())) == SHOWN


def test_the_heaviest_keep_their_order() -> None:
    assert heaviest({"a": 0.1, "b": 0.9, "c": 0.5}, 2) == {"b": 0.9, "c": 0.5}


@pytest.mark.parametrize(("term", "so"), [("download", True), ("a@b.th", True), ("nu.ac.th", True), ("ทะเล", False)])
def test_the_words_of_the_web_itself(term: str, so: bool) -> None:
    assert is_furniture(term) is so


def test_a_weight_that_is_none_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="'bm25': there is none of that name; there are phasa, amtf"):
        overview_of([FAIR], weigh="bm25")


@pytest.mark.parametrize("broken", ["เ", "โ...", "\ufffdabc", "ab\ue000c", "\u0e35นา"])
def test_what_no_reader_could_read_is_not_a_term(broken: str) -> None:
    assert terms_for("th").term(broken) == ""


def test_a_word_is_shown_as_its_pages_write_it() -> None:
    made = overview_of([Reading("page", "", ("News from Kyiv today.", "They left Kyiv; kyiv was quiet."), "en")])
    assert ">Kyiv</button>" in made.html()


def test_english_contractions_are_no_terms_and_possessives_are_their_word() -> None:
    assert terms_for("en").of("I'm sure it’s Israel's 'lantern', and they don't") == ["israel", "lantern"]


def test_a_word_stands_in_the_cloud_without_its_possessive_and_with_its_last_point() -> None:
    texts = ("Phil Foden's club and Phil Foden. The U.S. said so.", "Grain is Ukraine’s, ports are Ukraine’s. The U.S.")
    made = overview_of([Reading("page", "", texts, "en")])
    labels = re.findall(r'class="w[0-9]+">([^<]+)<', made.fragment())
    assert {"Phil Foden", "Ukraine", "U.S."} <= set(labels)
    assert not [label for label in labels if "Foden's" in label or label.endswith("’s")]


def test_a_single_ideograph_is_a_word_only_where_it_is_one() -> None:
    assert terms_for("zh").term("水") == "水"
    assert terms_for("th").term("水") == ""


@pytest.mark.parametrize("word", ["دوشنبه", "اسفند", "พุธ", "monday"])
def test_days_and_months_are_no_keywords(word: str) -> None:
    assert is_furniture(word)
