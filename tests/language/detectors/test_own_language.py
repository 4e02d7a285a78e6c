"""Languages without a dictionary: when a text is in one, and what stands in for Γ."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.language.texts import SENTENCES

from phasa.crawl.target import LanguageSimilarity, target_of
from phasa.language.detectors import detector
from phasa.language.detectors.chance import chance
from phasa.language.profile import Profile, load_profile
from phasa.language.verdict import Document

ENGLISH = "The council decided on Monday that the station will be rebuilt in the next years."
GERMAN = "Die Gemeinde hat am Montag beschlossen, dass der Bahnhof umgebaut werden soll."
HAN = "这个网站介绍各地的历史与文化，并且提供最新的新闻与活动信息给所有的读者。"


def own(code: str, *scripts: str) -> Profile:
    return Profile(code=code, name="Mine", scripts=scripts)


def test_a_script_that_one_language_has_decides_alone() -> None:
    mine = detector("auto", own("tts", "Thai"))
    assert mine.detect(SENTENCES["th"]).language == "tts"
    assert mine.detect(ENGLISH).language == "en"
    assert mine.detect(SENTENCES["fa"]).language == "fa"


def test_a_neighbour_that_the_model_is_sure_of_is_not_taken() -> None:
    mine = detector("auto", own("qtz", "Latn"))
    assert mine.detect(ENGLISH).language == "en"
    assert mine.detect("Vrotz plimf quux kagga zorbi").language == "qtz"


def test_a_page_that_declares_the_language_is_in_it_if_the_script_is_right() -> None:
    mine = detector("auto", own("qtz", "Latn"))
    assert mine.judge(Document(ENGLISH, declared="QTZ")).language == "qtz"
    assert mine.judge(Document(ENGLISH, declared="en")).language == "en"
    assert mine.judge(Document(SENTENCES["th"], declared="qtz")).language == "th"
    assert [found.language for found in mine.judge_many([Document(ENGLISH), Document(ENGLISH, declared="qtz")])] == [
        "en",
        "qtz",
    ]


def test_a_variety_is_found_where_the_model_finds_its_language() -> None:
    mine = detector("auto", own("de-CH", "Latn"))
    assert mine.detect(GERMAN).language == "de-CH"
    assert mine.detect(ENGLISH).language == "en"


@pytest.mark.parametrize(
    ("code", "text", "other"),
    [
        ("de", GERMAN, ENGLISH),
        ("zh", HAN, "このサイトでは日本の歴史を紹介します"),
        ("ja", "このサイトでは日本の歴史を紹介します", HAN),
        ("ko", "이 사이트는 한국의 역사를 소개합니다", HAN),
        ("lo", "ພາສາລາວເປັນພາສາທາງການ", SENTENCES["th"]),
        ("ru", "Городской совет решил в понедельник построить новый вокзал", "Міська рада вирішила збудувати вокзал"),
    ],
)
def test_what_stands_in_for_gamma_tells_the_language_from_its_neighbour(code: str, text: str, other: str) -> None:
    target = target_of(load_profile(code))
    mine, foreign = target.similarities([text, other])
    assert mine > 0.5
    assert foreign < target.threshold


def test_a_few_letters_of_its_script_on_a_foreign_page_are_traces_but_latin_ones_are_none() -> None:
    lao = target_of(load_profile("lo"))
    (share,) = lao.similarities([f"{ENGLISH} ພາສາລາວ"])
    assert 0 < share < 0.5
    assert target_of(load_profile("de")).similarities([f"{SENTENCES['th']} Berlin"]) == [0.0]
    assert target_of(own("qtz", "Latn")).similarities([ENGLISH]) == [0.0]


def test_han_letters_are_traces_of_a_language_that_nobody_knows_and_not_of_korean() -> None:
    assert target_of(own("qtz", "Hang", "Hani")).similarities([HAN]) == [1.0]
    assert target_of(own("ko", "Hang", "Hani")).similarities([HAN]) == [0.0]


@pytest.mark.parametrize("code", ["de", "ja", "sr"])
def test_many_texts_together_have_the_value_of_each(code: str) -> None:
    profile = load_profile(code)
    pieces = st.sampled_from(["Über", "uns", "о нама", "お知", "首页", " ", "12", "vesti", "ข่าว"])

    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.lists(pieces, max_size=5).map("".join), max_size=6))
    def equal(texts: list[str]) -> None:
        each = [chance(profile).of_each([text])[0] for text in texts]
        assert chance(profile).of_each(texts) == pytest.approx(each, abs=1e-5)
        assert LanguageSimilarity(profile).of_each(texts) == pytest.approx(each, abs=1e-5)
        assert all(0 <= value <= 1 for value in each)

    equal()


def test_a_profile_file_of_three_lines_detects(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('code = "zh-Hans"\nname = "Simplified Chinese"\nscripts = ["Hans"]\n', encoding="utf-8")
    assert detector("auto", str(path)).detect(HAN).language == "zh-Hans"
