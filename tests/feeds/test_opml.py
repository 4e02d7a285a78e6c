"""OPML in and out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.errors import InputError
from phasa.feeds.opml import Outline, read_opml, write_opml

NESTED = b"""<?xml version="1.0" encoding="windows-874"?><opml version="1.0"><body>
<outline text="News"><outline text="One" xmlUrl="http://one.example/rss"/>
<outline title="Two" XMLURL="HTTP://two.example:80/"/><outline text="bad" xmlUrl="javascript:1"/></outline>
<outline xmlUrl="http://one.example/rss"/></body></opml>"""


def test_nested_lists_bad_items_and_doubles() -> None:
    found, passed = read_opml(NESTED)
    assert found == [Outline("http://one.example/rss", "One", "News"), Outline("http://two.example/", "Two", "News")]
    assert [why.rpartition(": ")[2] for why in passed] == ["not a usable address", "listed twice"]


@pytest.mark.parametrize("content", [b"", b"<rss/>", b"<opml>", b'<!DOCTYPE x [<!ENTITY a "b">]><opml/>'])
def test_what_is_no_opml_is_refused(content: bytes) -> None:
    with pytest.raises(InputError):
        read_opml(content)


names = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp", "Zs", "Cn")), min_size=1, max_size=9)


@given(st.lists(st.tuples(names, names), max_size=6))
def test_what_is_written_is_read_again(feeds: list[tuple[str, str]]) -> None:
    listed = [Outline(f"http://{k}.example/", title, folder) for k, (title, folder) in enumerate(feeds)]
    found, passed = read_opml(write_opml(listed).encode())
    assert passed == []
    assert sorted(found) == sorted(listed)
