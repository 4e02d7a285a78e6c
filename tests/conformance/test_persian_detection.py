"""The detector rows (4 to 10 and 12) of the checklist in the Persian crawling specification, §10."""

from __future__ import annotations

import pytest
from tests.language.texts import SENTENCES

from phasa.cli.pages import read_document
from phasa.language.detectors.persian import Mode, PersianCascade, tokens
from phasa.language.stoplist import build_stop_list, cascade_words
from phasa.language.stopwords import stop_words
from phasa.language.verdict import Document

COMBINED = PersianCascade(Mode.COMBINED)
CONTENT = PersianCascade(Mode.CONTENT)
META = PersianCascade(Mode.META)
PERSIAN = SENTENCES["fa"]
IN_1256 = PERSIAN.replace("ی", "ي").replace("ک", "ك")


def page(text: str, head: str = "", attributes: str = "") -> str:
    return f"<html{attributes}><head>{head}</head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize("tag", ["fa", "FA", "fa-IR", "fas", "per", "farsi", "Persian", "en, fa"])
def test_row_4_a_language_tag_accepts_at_once(tag: str) -> None:
    finding = COMBINED.find(Document("", charset="utf-8", declared=tag))
    assert finding == (True, 1, 0)


@pytest.mark.parametrize(
    "html",
    [
        page("", attributes=' lang="fa"'),
        page("", head='<meta http-equiv="Content-Language" content="fa">'),
        page("", head='<meta name="language" content="Persian">'),
    ],
)
def test_row_4_the_tag_is_found_in_the_page(html: str) -> None:
    document, _ = read_document(html.encode())
    assert COMBINED.find(document).stage == 1


def test_row_4_another_tag_does_not_veto() -> None:
    finding = COMBINED.find(Document(PERSIAN, charset="utf-8", declared="en"))
    assert finding.is_persian
    assert finding.stage == 4


def test_row_5_another_charset_is_rejected_without_the_tag_only() -> None:
    assert COMBINED.find(Document(PERSIAN, charset="iso-8859-6")) == (False, 2, 0)
    assert COMBINED.find(Document(PERSIAN, charset="iso-8859-6", declared="fa")).is_persian


@pytest.mark.parametrize("charset", ["windows-1256", "cp1256", "UTF-8", "utf8", None])
def test_row_5_the_accepted_charsets(charset: str | None) -> None:
    assert CONTENT.find(Document(PERSIAN, charset=charset)).is_persian


def test_row_6_both_charsets_give_the_same_result() -> None:
    text = IN_1256.replace("\u200c", " ")
    head = '<meta charset="{}">'
    findings = [
        CONTENT.find(read_document(page(text, head.format(charset)).encode(charset))[0])
        for charset in ("windows-1256", "utf-8")
    ]
    assert findings[0] == findings[1]
    assert findings[0].is_persian


def test_row_7_an_english_page_never_reaches_the_stop_words() -> None:
    assert COMBINED.find(Document(SENTENCES["en"], charset="utf-8")) == (False, 3, 0)


def test_row_8_a_word_before_a_persian_comma_is_the_word() -> None:
    assert tokens("است، بود؛ شد؟") == ["است", "بود", "شد"]
    assert CONTENT.find(Document("است،", charset="utf-8")).hits == 1


def test_row_8_arabic_yeh_and_kaf_are_the_persian_ones() -> None:
    assert tokens("كـي") == ["کی"]


def test_row_9_the_builder_logs_its_steps_and_prunes() -> None:
    persian = ["این کتاب است و بود", "این خانه است و من", "است این در من"]
    arabic = ["هذا كتاب من و", "في الدار"]
    built = build_stop_list(
        ["این", "است", "کتاب", "من", "و", "خانه"], ["من", "و", "في"], persian, arabic, tokens, fewest=2, largest=10
    )
    assert built.words == ("است", "این")
    assert [step.words for step in built.steps] == [6, 4, 2, 2]
    purged = build_stop_list(["این", "است", "کتاب"], ["من"], persian, arabic, tokens, fewest=1)
    assert purged.words == ("است", "این")
    assert any(step.name.startswith("purge") for step in purged.steps)


def test_row_9_no_arabic_stop_word_is_in_the_shipped_list() -> None:
    arabic = {token for word in stop_words("ar") for token in tokens(word)}
    assert not cascade_words() & arabic
    assert 50 <= len(cascade_words()) <= 400


def test_row_10_arabic_is_rejected_on_the_content_path() -> None:
    finding = CONTENT.find(Document(SENTENCES["ar"], charset="utf-8"))
    assert finding == (False, 4, 0)


def test_row_12_meta_less_than_content_less_than_combined() -> None:
    pages = [
        Document(PERSIAN, "utf-8", "fa"),
        Document(PERSIAN, "utf-8"),
        Document(IN_1256, "windows-1256"),
        Document("", "utf-8", "fa"),
        Document("خوش آمدید", "iso-8859-6", "fa-IR"),
        Document(PERSIAN, "utf-8", "en"),
    ]
    found = [sum(cascade.find(each).is_persian for each in pages) for cascade in (META, CONTENT, COMBINED)]
    assert found[0] < found[1] < found[2] == len(pages)


def test_the_threshold_of_stop_words_is_a_setting() -> None:
    text = "است"
    assert PersianCascade(Mode.CONTENT, min_hits=1).find(Document(text)).is_persian
    assert not PersianCascade(Mode.CONTENT, min_hits=2).find(Document(text)).is_persian


def test_other_neighbours_pass_only_by_their_stop_words() -> None:
    assert not CONTENT.find(Document(SENTENCES["ckb"], "utf-8")).is_persian
