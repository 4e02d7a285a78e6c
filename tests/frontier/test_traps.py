"""Crawler traps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.frontier.traps import Evidence, Traps, TrapSettings, repeating_path, template
from phasa.web.url import Url


@pytest.mark.parametrize(
    ("path", "run"),
    [
        ("/a/a/a", "a"),
        ("/x/a/b/a/b/a/b/c", "a/b"),
        ("/en/news/en/news/en/news/", "en/news"),
        ("/a/b/c/a/b/c", ""),
        ("/a/b/a/c/a/d/a", ""),
        ("/2026/11/15/", ""),
        ("/", ""),
    ],
)
def test_repeating_paths(path: str, run: str) -> None:
    assert repeating_path(Url(f"http://a.example{path}"), 3) == run


@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=14), st.integers(2, 4))
def test_the_quick_search_finds_what_a_plain_one_does(segments: list[str], repeats: int) -> None:
    plain = any(
        segments[start : start + width] * repeats == segments[start : start + width * repeats]
        for width in range(1, len(segments) + 1)
        for start in range(len(segments) - width * repeats + 1)
    )
    assert bool(repeating_path(Url("http://a.example/" + "/".join(segments)), repeats)) == plain


def test_a_template_leaves_numbers_and_values_out() -> None:
    assert template(Url("http://a.example/day/12/?d=3&m=May")) == "a.example/day/#/?d=&m="
    assert template(Url("http://a.example/day/13/?d=4&m=June")) == "a.example/day/#/?d=&m="


def test_a_template_with_new_content_is_trusted() -> None:
    traps = Traps(TrapSettings(template_pages=10, fresh_share=0.2))
    for day in range(100):
        assert traps.saw(Url(f"http://a.example/{day}"), day + 1) == ""


def test_a_template_that_turns_barren_is_found_out_and_can_be_released() -> None:
    traps = Traps(TrapSettings(template_pages=10, fresh_share=0.2))
    found = [traps.saw(Url(f"http://a.example/{day}"), day + 1 if day < 10 else 5) for day in range(40)]
    assert any("brought" in evidence for evidence in found)
    assert traps.suspects(Url("http://a.example/999")) != ""
    assert traps.release("a.example/#")
    assert not traps.release("a.example/#")
    assert traps.suspects(Url("http://a.example/999")) == ""


@pytest.mark.parametrize("pages", [1, 2, 3])
def test_pages_of_a_template_count_from_the_first_on(pages: int) -> None:
    traps = Traps(TrapSettings(template_pages=pages, fresh_share=1.0))
    found = [traps.saw(Url(f"http://a.example/{day}"), 5) for day in range(pages + 1)]
    last = max(1, pages - 1)  # one page alone is new
    assert [bool(evidence) for evidence in found] == [place == last for place in range(pages + 1)]
    assert found[last].startswith(f"{pages} pages of a.example/# ")


def test_evidence_is_bounded() -> None:
    evidence = Evidence()
    for digest in range(1000):
        evidence.add(digest)
    assert len(evidence.digests) == Evidence.KEPT
    assert (evidence.pages, evidence.fresh) == (1000, 1000)
