"""Numbers in the text format of Prometheus."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from tests.crawl.test_meter import reading

from phasa.crawl.meter import CrawlNumbers
from phasa.crawl.run.prometheus import Metric, crawl_metrics, exposition, run_metrics
from phasa.frontier.protocol import Stats


def test_a_run_in_the_text_format() -> None:
    text = exposition(run_metrics(reading()))
    assert "# TYPE phasa_wanted_pages_total counter\nphasa_wanted_pages_total 100\n" in text
    assert 'phasa_urls{state="waiting"} 7\n' in text
    assert 'phasa_run_fetches_total{answer="odd \\"name\\""} 1\n' in text
    assert "phasa_crawl_paused 0\n" in text


def test_what_is_not_known_is_left_out() -> None:
    text = exposition(crawl_metrics(CrawlNumbers.of(Stats()), running=False, paused=False))
    assert "phasa_harvest" not in text
    assert "phasa_crawl_running 0\n" in text


@given(st.lists(st.tuples(st.text(max_size=20), st.floats(0, 1e12)), max_size=20))
def test_a_name_is_declared_once_and_every_line_has_one_number(values: list[tuple[str, float]]) -> None:
    metrics = [Metric("answers_total", "Any\nhelp.", value, (("answer", text),)) for text, value in values]
    lines = exposition([*metrics, Metric("hosts", "Hosts.", 3)]).split("\n")[:-1]
    assert sum(line.startswith("# TYPE phasa_answers_total") for line in lines) == bool(values)
    numbers = [line for line in lines if not line.startswith("#")]
    assert len(numbers) == len(values) + 1
    assert all(
        re.fullmatch(r'phasa_\w+(\{answer="([^"\\\n]|\\.)*"\})? [0-9.e+-]+', line, re.DOTALL) for line in numbers
    )
