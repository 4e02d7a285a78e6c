"""The interface in English, Thai and Persian: complete, consistent, and chosen as the reader wants it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import jinja2
import pytest
from tests.service.conftest import client_of

import phasa.service
from phasa.collection import Collection
from phasa.service.catalogue import OWN_NAMES, chosen, words
from phasa.web.exchange import Outcome

SERVICE = Path(phasa.service.__file__).parent
TEMPLATES = sorted((SERVICE / "templates").glob("*.html"))
FIELD = re.compile(r"\{(\w+)\}")
# Names that are the same in every language.
NAMES = {"phasa", "Atom", "JSON Feed"}
SPOKEN_ATTRIBUTES = ("title", "aria-label", "placeholder", "alt", "label")


def shown_letters(source: str) -> list[str]:
    """What a template would show that comes from no catalogue: text between tags, and attributes that are read."""
    data = "\0".join(text for _, kind, text in jinja2.Environment().lex(source) if kind == "data")
    # Inside an expression nothing is shown but what it evaluates to; its place is held by \0.
    attributes = re.findall(rf'\b(?:{"|".join(SPOKEN_ATTRIBUTES)})="([^"<>]*)"', data)
    body = re.sub(r"<(script|style|code|pre)\b.*?</\1>", " ", data, flags=re.DOTALL)
    text = re.sub(r"<[^<>]*>", " ", body)
    found = re.findall(r"[^\W\d_]{2,}(?: [^\W\d_]+)*", " ".join([re.sub(r"<[^<>]*$|^[^<>]*>", " ", text)]))
    found += [
        word
        for value in attributes
        if not value.startswith(("http", "&lt;"))
        for word in re.findall(r"[A-Za-z]{3,}(?: [A-Za-z]+)*", value)
    ]
    return [word for word in found if word not in NAMES]


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_no_template_shows_a_word_that_is_in_no_catalogue(template: Path) -> None:
    assert shown_letters(template.read_text(encoding="utf-8")) == []


def test_a_word_that_is_left_in_a_template_is_noticed() -> None:
    assert shown_letters('<h1>Crawl</h1>{{ t("x.y") }}') == ["Crawl"]
    assert shown_letters("<p>{% if a %}Nothing fits.{% endif %}</p>") == ["Nothing fits"]
    assert shown_letters('<a title="The collection" href="/x">{{ y }}</a>') == ["The collection"]


@pytest.mark.parametrize("script", sorted((SERVICE / "static").glob("*.js")), ids=lambda path: path.name)
def test_no_script_holds_a_sentence_of_its_own(script: Path) -> None:
    code = re.sub(r"(?m)(?:^|\s)//.*$", "", script.read_text(encoding="utf-8"))
    code = re.sub(r"querySelector(?:All)?\(.*?\)|closest\(.*?\)", "", code)
    sentences = re.findall(r"""["'`]((?:[A-Z][a-z]+|[a-z]+) [a-z]+ ?[a-z ]*[.:…]?)["'`]""", code)
    assert [text for text in sentences if text not in ("use strict",) and not text.startswith(("area ", "dot "))] == []


@pytest.mark.parametrize("code", ["th", "fa"])
def test_every_catalogue_has_the_keys_and_fields_of_the_english_one(code: str) -> None:
    english, other = words("en").texts, words(code).texts
    assert set(english) == set(other)
    for key, text in english.items():
        assert set(FIELD.findall(text)) == set(FIELD.findall(other[key])), key
        assert other[key].strip(), key


@pytest.mark.parametrize("code", list(OWN_NAMES))
def test_texts_hold_no_markup_but_code_and_no_quote_that_would_end_an_attribute(code: str) -> None:
    for key, text in words(code).texts.items():
        assert not re.search(r"<(?!/?(?:code|b)>)", text), key
        assert '"' not in text, key


def test_thai_and_persian_are_written_in_their_own_letters() -> None:
    for code, letters in (("th", "\u0e00-\u0e7f"), ("fa", "\u0600-\u06ff")):
        same = [
            key
            for key, text in words(code).texts.items()
            if re.search("[A-Za-z]{3,}", words("en").texts[key]) and not re.search(f"[{letters}]", text)
        ]
        assert set(same) <= {"exports.jsonl_name", "base.api"}, code
    for key, text in words("fa").texts.items():
        assert not re.search("[يك]", text), f"{key}: Arabic letters where Persian ones belong"


def test_every_key_is_used_somewhere() -> None:
    files = [*TEMPLATES, *(SERVICE / "static").glob("*.js"), *SERVICE.glob("*.py")]
    source = "".join(path.read_text(encoding="utf-8") for path in files)
    made = set(re.findall(r'"(\w+\.\w*)" ~', source)) | set(re.findall(r'f"(\w+\.\w*)\{', source))
    made |= {"phrases.", "failures.", "languages.", "script.unit_", "script.s_", "script.dial_"}
    for key in words("en").texts:
        section, _, name = key.partition(".")
        plain = key.removesuffix("_one")
        literal = f'"{plain}"' in source or (section == "script" and (f'"{name}"' in source or name.endswith("_job")))
        assert literal or any(key.startswith(prefix) for prefix in made), f"{key}: nothing says it"


def test_every_failure_of_a_fetch_has_plain_words() -> None:
    for code in OWN_NAMES:
        for kind in get_args(Outcome):
            said = words(code).said(f"{kind}: [SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)")
            assert "_" not in said.replace("allow_private", ""), f"{code} {kind}"
            assert "ssl" not in said.lower(), f"{code} {kind}"


def test_sentences_of_the_library_are_said_in_the_language_of_the_reader() -> None:
    fa, th = words("fa"), words("th")
    assert fa.said("1,234 pages, 56 keywords") == "۱٬۲۳۴ صفحه، ۵۶ کلیدواژه"
    assert th.said("the limit of 60 pages is reached") == "ครบขีดจำกัด 60 หน้า"
    nested = th.said("tried 3 times, last: tls_error: bad handshake (_ssl.c:1); waits for its turn")
    assert "สร้างการเชื่อมต่อที่ปลอดภัยไม่ได้" in nested
    assert "_ssl" not in nested
    assert fa.said("a sentence nobody has written down") == "a sentence nobody has written down"
    assert words("en").said("waits for its turn") == "waits for its turn"


def test_what_a_page_of_the_web_says_cannot_command_the_catalogue() -> None:
    for code in OWN_NAMES:
        assert "{" in words(code).said("{n.__class__}: not an http or https address")
        assert "<b>" not in str(words(code)("collection.by_host", key="<b>{x}</b>"))


@pytest.mark.parametrize(
    ("asked", "kept", "accepted", "code"),
    [
        ("", "", "", "en"),
        ("", "", "th-TH,th;q=0.9,en;q=0.8", "th"),
        ("", "", "de,en;q=0.3,fa;q=0.7", "fa"),
        ("", "", "de-AT,fr", "en"),
        ("", "", "fa;q=0,th;q=0.1", "th"),
        ("", "fa", "th", "fa"),
        ("en", "fa", "th", "en"),
        ("xx", "../etc", "th;q=x, ;;;,,,fa", "fa"),
    ],
)
def test_the_address_wins_over_the_cookie_and_the_cookie_over_the_browser(
    asked: str, kept: str, accepted: str, code: str
) -> None:
    assert chosen(asked, kept, accepted) == code


def test_a_page_comes_in_the_language_of_the_browser_and_stays_in_the_one_that_was_chosen(empty: Collection) -> None:
    with client_of(empty) as client:
        thai = client.get("/crawl", headers={"accept-language": "th"})
        assert '<html lang="th" dir="ltr">' in thai.text
        assert "ยังไม่ได้เก็บเว็บใด ๆ" in thai.text
        persian = client.get("/crawl?ui=fa", headers={"accept-language": "th"})
        assert '<html lang="fa" dir="rtl">' in persian.text
        assert "phasa_ui=fa" in persian.headers["set-cookie"]
        assert '<html lang="fa" dir="rtl">' in client.get("/feeds", headers={"accept-language": "th"}).text
        assert 'href="/feeds?ui=th"' in client.get("/feeds").text


def test_errors_come_in_the_language_of_the_reader(empty: Collection) -> None:
    with client_of(empty) as client:
        missing = client.get("/nothing", headers={"accept-language": "fa"})
        assert missing.status_code == 404
        assert "چنین صفحه‌ای اینجا نیست" in missing.text
        answer = client.post("/api/crawl/stop", json={}, headers={"accept-language": "th"}).json()
        assert answer["error"] == "no crawl is running"
        assert answer["said"] == "ไม่มีการเก็บเว็บทำงานอยู่"
        assert "said" not in client.post("/api/crawl/stop", json={}).json()


@pytest.mark.parametrize(
    "path", ["//evil.example/x", "/\\\\evil.example", "/%22%3E%3Cscript%3Ealert(1)%3C/script%3E", "///evil"]
)
def test_the_links_to_other_languages_never_lead_elsewhere(empty: Collection, path: str) -> None:
    with client_of(empty) as client:
        shown = client.get(f"http://127.0.0.1{path}").text
        links = re.findall(r'href="([^"]+ui=(?:th|fa|en))"', shown)
        assert len(links) == 3
        assert all(re.match(r"/[^/\\\\]", link) for link in links), links
        assert "<script>alert" not in shown
