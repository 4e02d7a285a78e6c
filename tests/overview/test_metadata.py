"""Title, author and date."""

from __future__ import annotations

import pytest
from resiliparse.parse.html import HTMLTree

from phasa.overview.extract.metadata import Metadata, read_metadata


def read(head: str, body: str = "", url: str = "") -> Metadata:
    return read_metadata(HTMLTree.parse(f"<html><head>{head}</head><body>{body}</body></html>"), url)


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>A story about rivers - The Daily</title>", "", "A story about rivers"),
        ("<title>The Daily</title><meta property=og:title content='A story'>", "", "A story"),
        ("<title>A story about rivers | The Daily</title>", "<h1>A story about rivers</h1>", "A story about rivers"),
        ("", "<h1> Only\n a heading </h1>", "Only a heading"),
        ("", "", ""),
    ],
)
def test_titles_come_without_the_name_of_the_site(head: str, body: str, title: str) -> None:
    assert read(head, body).title == title


LD = '<script type="application/ld+json">{}</script>'


def test_json_ld_names_authors_and_dates() -> None:
    record = LD.format(
        '{"@graph": [{"headline": "H", "datePublished": "2021-03-04T10:00:00Z",'
        ' "author": [{"name": "Ann"}, {"name": "Ben"}, {"name": "Ann"}]}]}'
    )
    found = read(record)
    assert (found.title, found.author, found.date) == ("H", "Ann; Ben", "2021-03-04")


@pytest.mark.parametrize("broken", ["{", "[" * 5000, '{"author": {"name": {"name": 1}}, "headline": []}', "null", "7"])
def test_broken_json_ld_is_passed_over(broken: str) -> None:
    assert read(LD.format(broken) + "<meta name=author content=Ann>").author == "Ann"


@pytest.mark.parametrize(
    ("head", "body", "url", "date"),
    [
        ("<meta property=article:published_time content=2020-01-02T03:04>", "", "", "2020-01-02"),
        ("<meta name=date content=2563/02/09>", "", "", "2020-02-09"),
        ("", "<time datetime=2019-12-31>", "", "2019-12-31"),
        ("", "", "https://example.org/2018/7/5/story", "2018-07-05"),
        ("<meta name=date content=2020-13-45>", "", "", ""),
    ],
)
def test_dates_are_iso_and_buddhist_years_become_common_ones(head: str, body: str, url: str, date: str) -> None:
    assert read(head, body, url).date == date


def test_an_author_is_a_name_not_an_address() -> None:
    found = read(
        "<meta property=article:author content=https://facebook.com/x>", "<span class=byline>By Ann Lee</span>"
    )
    assert found.author == "Ann Lee"


def test_a_declared_body_is_unescaped() -> None:
    assert read(LD.format('{"articleBody": "A &amp; <b>B</b>"}')).evidence.record == "A &  B "


def test_a_page_calls_itself_an_article_unless_it_says_that_it_collects_them() -> None:
    said = "<meta property=og:type content=Article>"
    assert read(said).evidence.article
    assert not read(said + LD.format('{"@type": "CollectionPage"}')).evidence.article
    assert not read("<meta property=og:type content=website>").evidence.article
    assert not read("").evidence.article
