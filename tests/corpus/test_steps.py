"""Steps that look at one document: languages, spelling, spam, opt-outs and licences, and how they follow each other."""

from __future__ import annotations

import pytest
from resiliparse.parse.html import HTMLTree
from tests.corpus.pages import document, thai

from phasa.corpus.document import dropped, run_steps
from phasa.corpus.languages import Languages, Normalise
from phasa.corpus.rights import OptOuts, licence_of, read_rights
from phasa.corpus.spam import Spam
from phasa.language.profile import load_profile

PERSIAN = "دولت امروز اعلام کرد که بودجه سال آینده برای آموزش و پرورش افزایش می‌یابد و مدارس بیشتری ساخته خواهد شد."
ARABIC = "أعلنت الحكومة اليوم أن ميزانية العام المقبل للتعليم سوف تزداد وأن المزيد من المدارس سيتم بناؤها في المحافظات."
ENGLISH = "The government said today that next year's budget for schools will grow."


def test_a_dropped_document_goes_no_further() -> None:
    seen: list[str] = []

    class Sees:
        name = "sees"

        def __call__(self, documents):  # type: ignore[no-untyped-def]
            seen.extend(one.text for one in documents)
            return list(documents)

    out = run_steps([document("a"), dropped(document("b"), "x", "y"), document("c")], [Sees()])
    assert seen == ["a", "c"]
    assert [one.text for one in out] == ["a", "b", "c"]


def test_paragraphs_of_other_languages_are_left_out_and_the_rest_is_kept() -> None:
    step = Languages(load_profile("fa"), 0.5)
    (one,) = step([document(PERSIAN, ARABIC, "۱۴۰۴", PERSIAN, ENGLISH, "12")])
    assert [paragraph.text for paragraph in one.paragraphs] == [PERSIAN, PERSIAN]
    assert one.language == "fa"
    assert one.signals["other_paragraphs"] == 4


def test_numbers_stay_after_text_that_stays() -> None:
    (one,) = Languages(load_profile("th"), 0.5)([document(thai(1), "1,250 / 2569", thai(2))])
    assert [paragraph.text for paragraph in one.paragraphs] == [thai(1), "1,250 / 2569", thai(2)]


def test_a_neighbour_of_the_same_script_is_dropped_with_its_name() -> None:
    (one,) = Languages(load_profile("fa"), 0.5)([document(ARABIC, ARABIC, "نعم")])
    assert one.drop is not None
    assert one.drop.reason == "other_language"
    assert one.drop.detail.startswith("ar")


def test_languages_can_be_told_without_leaving_anything_out() -> None:
    (one,) = Languages(load_profile("fa"), 0.5, only=False)([document(ARABIC, ENGLISH)])
    assert [paragraph.language for paragraph in one.paragraphs] == ["ar", "en"]
    assert one.drop is None


def test_spellings_are_brought_together_by_the_profile() -> None:
    (one,) = Normalise(load_profile("th"))([document("นํ้า", "\u200bก\u200bข", title="เเม่")])
    assert [paragraph.text for paragraph in one.paragraphs] == ["น้ำ", "กข"]
    assert one.title == "แม่"
    (two,) = Normalise(load_profile("fa"))([document("كتاب علي")])
    assert two.text == "کتاب علی"


def test_many_words_of_the_trade_are_spam_and_one_is_news() -> None:
    spam = "สล็อตออนไลน์ บาคาร่า แทงบอล หวยออนไลน์ เครดิตฟรี ฝากถอนออโต้ " * 4
    news = thai(3, 400) + " ตำรวจจับบาคาร่าออนไลน์ "
    step = Spam(load_profile("th"))
    bad, good = step([document(spam, words=spam.split()), document(news, words=["x"] * 400)])
    assert bad.drop is not None
    assert bad.drop.reason == "gambling"
    assert bad.drop.numbers["different"] >= 4
    assert good.drop is None
    assert good.signals["gambling"] > 0


def test_terms_stand_for_whole_words_only() -> None:
    text = "better casinoland pornography pokerface slots" * 5
    (one,) = Spam(load_profile("en"))([document(text, words=["x"])])
    assert one.signals["gambling"] == one.signals["adult"] == 0


@pytest.mark.parametrize(
    ("head", "headers", "expected"),
    [
        ('<meta name="robots" content="noindex, NOAI">', (), "noai"),
        ('<meta name="robots" content="noarchive">', (), "noarchive"),
        ('<meta name="googlebot" content="noarchive">', (), ""),
        ('<meta name="tdm-reservation" content="1">', (), "tdm-reservation"),
        ('<meta name="tdm-reservation" content="0">', (), ""),
        ("", (("X-Robots-Tag", "noai"),), "noai"),
        ("", (("X-Robots-Tag", "otherbot: noai"),), ""),
        ("", (("TDM-Reservation", "1"),), "tdm-reservation"),
        ('<meta name="robots" content="index, follow">', (), ""),
    ],
)
def test_opt_outs_are_heard(head: str, headers: tuple[tuple[str, str], ...], expected: str) -> None:
    rights = read_rights(HTMLTree.parse(f"<html><head>{head}</head><body>x</body></html>"), headers)
    assert rights.opt_out == expected
    (one,) = OptOuts()([document("x", opt_out=rights.opt_out)])
    assert (one.drop.reason if one.drop else "") == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('<a rel="license" href="https://creativecommons.org/licenses/by-sa/4.0/">x</a>', "CC-BY-SA-4.0"),
        ('<a href="http://creativecommons.org/licenses/by-nc-nd/3.0/th/">x</a>', "CC-BY-NC-ND-3.0-TH"),
        ('<a rel="license" href="https://creativecommons.org/publicdomain/zero/1.0/">x</a>', "CC0-1.0"),
        ('<script type="application/ld+json">{"license": "https://example.org/terms"}</script>', "https://example.org/terms"),
        ("<p>x</p>", ""),
    ],
)  # fmt: skip
def test_licence_marks_are_kept(body: str, expected: str) -> None:
    assert read_rights(HTMLTree.parse(f"<html><body>{body}</body></html>")).licence == expected
    assert licence_of([]) == ""
