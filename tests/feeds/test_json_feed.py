"""JSON Feed, with what people put into it."""

from __future__ import annotations

import json

import pytest

from phasa.feeds.json_feed import MOST_VALUES
from phasa.feeds.parse import read_feed

VERSION = "https://jsonfeed.org/version/1.1"


def test_odd_items_are_left_out_and_odd_values_are_empty() -> None:
    items = [
        1,
        "x",
        None,
        [1],
        {"id": 7, "title": {"a": 1}, "url": "/p", "tags": [[[]]]},
        {"id": "b", "date_published": 5},
    ]
    feed = read_feed(json.dumps({"version": VERSION, "items": items}).encode(), url="http://e.example/")
    assert [(post.id, post.title, post.link) for post in feed.posts] == [
        ("7", "", "http://e.example/p"),
        ("b", "", ""),
    ]


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ("{", "not JSON"),
        ('{"version": "1", "items": []}', "no JSON Feed"),
        ('{"version": "https://jsonfeed.org/version/1"}', "no JSON Feed"),
        ('{"version": "https://jsonfeed.org/version/1", "items": {}}', "no JSON Feed"),
        ('{"items": [' + "1," * MOST_VALUES + "1]}", "more than"),
    ],
)
def test_what_is_no_json_feed_says_why(document: str, told: str) -> None:
    feed = read_feed(document.encode())
    assert feed.kind == ""
    assert told in feed.faults[0]


def test_hubs_that_are_no_list_are_no_hubs() -> None:
    for hubs in ('"x"', "[1]", "{}", "null", '[{"url": []}]'):
        document = f'{{"version": "{VERSION}", "items": [], "hubs": {hubs}}}'
        assert read_feed(document.encode()).hub == ""
