from __future__ import annotations

from tests.crawl.tiny import TinyCrawl, TinyPage

from phasa.crawl.strategies.best_first import BestFirst


def test_links_of_the_better_page_come_first() -> None:
    web = {
        "http://a.com/": TinyPage(0.2, ["http://a.com/1"]),
        "http://b.com/": TinyPage(0.7, ["http://b.com/1"]),
        "http://a.com/1": TinyPage(0.0),
        "http://b.com/1": TinyPage(0.0),
    }
    order = TinyCrawl(web, BestFirst()).run(["http://a.com/", "http://b.com/"])
    assert order.index("http://b.com/1") < order.index("http://a.com/1")


def test_a_second_and_better_parent_lifts_a_waiting_url() -> None:
    web = {
        "http://a.com/": TinyPage(0.1, ["http://x.com/late", "http://x.com/other"]),
        "http://b.com/": TinyPage(0.9, ["http://x.com/late"]),
        "http://x.com/late": TinyPage(0.0),
        "http://x.com/other": TinyPage(0.0),
    }
    order = TinyCrawl(web, BestFirst()).run(["http://a.com/", "http://b.com/"])
    assert order[2:] == ["http://x.com/late", "http://x.com/other"]
