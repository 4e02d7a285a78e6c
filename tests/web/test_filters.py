"""The spelling of addresses that are worth asking for."""

from __future__ import annotations

import pytest

from phasa.web.filters import UrlFilter, thesis_filter
from phasa.web.url import Url


@pytest.mark.parametrize(
    ("tail", "refusal"),
    [
        ("", ""),
        ("a/b.html", ""),
        ("a/b", ""),
        ("file.PDF", "extension"),
        ("file.pdf?x=1", "extension"),
        ("show?file=x.pdf", ""),
        ("v1.2/page", ""),
        ("a/a/a/", "repeated path"),
        ("x/a/b/a/b/a/b/page", "repeated path"),
        ("a/b/a/c/a", ""),
        ("/".join(f"d{number}" for number in range(30)), "depth"),
        ("x" * 2048, "length"),
    ],
)
def test_default_rules(tail: str, refusal: str) -> None:
    assert UrlFilter().refusal(Url("http://a.example/" + tail)) == refusal


def test_what_happens_to_the_query() -> None:
    asked = Url("http://a.example/p?q=1")
    assert UrlFilter().admit(asked) == asked
    assert UrlFilter(query="strip").admit(asked) == "http://a.example/p"
    assert UrlFilter(query="refuse").admit(asked) is None


def test_schemes_can_be_narrowed() -> None:
    assert UrlFilter(schemes=("https",)).refusal(Url("http://a.example/")) == "scheme"


def test_the_thesis_filter_takes_pages_of_known_types_and_addresses_without_one() -> None:
    taken = thesis_filter()
    assert taken.admit(Url("http://www.ku.ac.th/a.php"))
    assert taken.admit(Url("http://www.ku.ac.th/dir/"))
    assert taken.refusal(Url("http://www.ku.ac.th/a.zip")) == "extension"
    assert taken.refusal(Url("http://www.ku.ac.th/a.xyz")) == "extension"
