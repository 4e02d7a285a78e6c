"""Which URLs belong to a crawl."""

from __future__ import annotations

import pytest

from phasa.errors import SettingsError
from phasa.frontier.scope import Scope, ScopeSettings
from phasa.web.url import Url

KU = Url("http://www.ku.ac.th/news/1.html")


def test_without_rules_everything_that_may_be_a_page_is_in() -> None:
    scope = Scope()
    assert scope.refuses(KU) == ""
    assert scope.refuses(Url("https://a.example/path.with.dots/")) == ""
    assert "extension .zip" in scope.refuses(Url("http://a.example/x.ZIP"))
    assert "extension .pdf" in scope.refuses(Url("http://a.example/x.pdf?download=1"))
    assert "longer than" in scope.refuses(Url("http://a.example/" + "x" * 2000))


@pytest.mark.parametrize(
    ("rules", "inside", "outside"),
    [
        (ScopeSettings(domains=("th",)), KU, "http://thai.com/"),
        (ScopeSettings(domains=("ku.ac.th",)), KU, "http://xku.ac.th/"),
        (ScopeSettings(surts=("th,ac,ku)/news",)), KU, "http://www.ku.ac.th/other/"),
        (ScopeSettings(patterns=(r"/news/\d",)), KU, "http://www.ku.ac.th/news/x"),
        (ScopeSettings(domains=("th",), surts=("com,example)/",)), "http://example.com/", "http://example.org/"),
        (ScopeSettings(not_domains=("example",)), KU, "http://a.b.example/"),
        (ScopeSettings(not_surts=("th,ac,ku)/private",)), KU, "http://www.ku.ac.th/private/1"),
        (ScopeSettings(not_patterns=("sessionid=",)), KU, "http://www.ku.ac.th/?sessionid=1"),
        (ScopeSettings(queries=False), KU, "http://www.ku.ac.th/?page=1"),
        (ScopeSettings(extensions="html php"), KU, "http://www.ku.ac.th/news/1.xyz"),
        (ScopeSettings(extensions="html"), "http://www.ku.ac.th/news/", "http://www.ku.ac.th/a.php"),
        (ScopeSettings(sitemaps=True), "http://www.ku.ac.th/s.xml.gz", "http://www.ku.ac.th/s.tar.gz"),
        (ScopeSettings(sitemaps=True, extensions="html"), "http://www.ku.ac.th/s.xml", "http://www.ku.ac.th/s.php"),
        (ScopeSettings(), "http://www.ku.ac.th/about.our-school.and-more", "http://www.ku.ac.th/s.xml.gz"),
        (ScopeSettings(url_length=40), KU, "http://www.ku.ac.th/a/very/long/way/to/a/page"),
    ],
)
def test_each_rule(rules: ScopeSettings, inside: str, outside: str) -> None:
    scope = Scope(rules)
    assert scope.refuses(Url(inside)) == ""
    assert scope.refuses(Url(outside)) != ""


def test_hops_from_a_seed_are_limited() -> None:
    scope = Scope(ScopeSettings(depth=2))
    assert scope.refuses(KU, 2) == ""
    assert scope.refuses(KU, 3) == "more than 2 links from a seed"


def test_what_is_excluded_stays_out_even_when_wanted() -> None:
    scope = Scope(ScopeSettings(domains=("ku.ac.th",), not_patterns=("/news/",)))
    assert scope.refuses(KU) == "an excluded pattern is in it"


def test_a_pattern_that_is_none_is_named() -> None:
    with pytest.raises(SettingsError, match=r"scope.not_patterns.*'\['"):
        Scope(ScopeSettings(not_patterns=("[",)))
