"""The links of a page as a strategy gets them: each address once, with the anchor of its first place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from phasa.crawl.anchors import Anchors
from phasa.crawl.live import out_links
from phasa.web.html import PackedLinks, Page, read_packed, read_page, unpack_late
from phasa.web.url import Url

HERE = Url("http://a.example/")
LINKS = st.lists(st.tuples(st.sampled_from(["/", "/x", "/y", "http://b.example/"]), st.sampled_from(["", "1", "2 3"])))


def packed(html: str) -> Page:
    return unpack_late(read_packed(html.encode(), HERE))


@given(links=LINKS)
def test_each_address_comes_once_where_it_stands_first(links: list[tuple[str, str]]) -> None:
    html = "".join(f"<p>so <a href={href}>{anchor}</a> on" for href, anchor in links)
    plain: dict[str, str] = {}
    for link in read_page(html.encode(), HERE).links:
        plain.setdefault(link.url, link.anchor)
    plain.pop(HERE, None)
    for page in (packed(html), read_page(html.encode(), HERE)):
        found = out_links(page)
        assert dict(zip(found.urls, found.anchors, strict=True)) == plain
        assert list(found.urls) == list(plain)
        some = list(range(0, len(plain), 2))
        picked = found.pick(some)
        assert list(picked.anchors) == [found.anchors[place] for place in some]
        assert [*picked.contexts] == [found.contexts[place] for place in some]


def test_anchors_are_cut_out_when_somebody_asks_and_then_those_of_the_links_alone_that_were_picked() -> None:
    page = packed("<a href=/x>one</a> <a href=/y>two</a> <a href=/z>three</a>")
    asked: list[list[int]] = []

    class Watched(PackedLinks):
        def anchors(self, places):  # type: ignore[no-untyped-def]
            asked.append(list(places))
            return super().anchors(places)

    assert isinstance(page.links, PackedLinks)
    links = Anchors(Watched(page.links.packed), range(3))
    some = links.picked([2, 0])
    assert (len(links), len(some), asked) == (3, 2, [])
    assert (list(some), some[0], some[:1]) == (["three", "one"], "three", ["three"])
    assert asked == [[2, 0]]
