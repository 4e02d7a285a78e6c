"""Topics: words of the cloud that stand on the same pages, from the words to the start page."""

from __future__ import annotations

import random
import re
from html import unescape
from pathlib import Path

import pytest
from tests.service.conftest import client_of
from tests.service.stock import Piece, page, stock

from phasa.service.topics import LEAST_PAGES, Topic, together, topics_of

RIVERS = ["แม่น้ำ", "น้ำท่วม", "เขื่อน", "ชลประทาน"]
HEALTH = ["โรงพยาบาล", "แพทย์", "ผู้ป่วย", "วัคซีน"]
SCHOOLS = ["มหาวิทยาลัย", "นักศึกษา", "อาจารย์", "ปริญญา"]


def test_words_that_meet_by_chance_are_no_topic() -> None:
    chance = random.Random(1)
    pages = {f"w{word}": {number for number in range(400) if chance.random() < 0.3} for word in range(20)}
    assert topics_of(list(pages), pages, 400) == []


def test_each_group_of_words_is_a_topic_and_no_word_is_in_two() -> None:
    pages = {
        **{f"a{n}": set(range(40 - n)) for n in range(4)},
        **{f"b{n}": set(range(50, 60 + n)) for n in range(3)},
        **{f"c{n}": {70, 71, 72 + n} for n in range(2)},  # two words alone are none
        "everywhere": set(range(100)),
        "rare": {1},
    }
    words = ["everywhere", "b0", "a0", "a1", "b1", "c0", "a2", "b2", "rare", "c1", "a3"]
    assert topics_of(words, pages, 100) == [Topic(["a0", "a1", "a2", "a3"], 39), Topic(["b0", "b1", "b2"], 10)]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [(set(range(10)), set(range(10)), 1.0), (set(range(50)), set(range(25, 75)), 0.0), ({1, 2, 3}, {4, 5, 6}, -1.0)],
)
def test_together_is_one_for_always_zero_for_chance_and_less_for_never(
    one: set[int], other: set[int], expected: float
) -> None:
    assert together(one, other, 100) == pytest.approx(expected)
    assert together(set(range(100)), set(range(100)), 100) == 0.0
    assert LEAST_PAGES == 3


def test_the_start_page_shows_topics_that_lead_to_as_many_pages_as_it_says(tmp_path: Path) -> None:
    chance, pieces = random.Random(2), []
    for number in range(45):
        words = (RIVERS, HEALTH, SCHOOLS)[number % 3]
        text = " ".join(f"ข่าววันนี้เรื่อง{' '.join(chance.sample(words, 3))} ในจังหวัด" for _ in range(12))
        pieces.append(Piece(f"http://h{number % 5}.example.th/{number}", page(f"ข่าว {number}", text)))
    with client_of(stock(tmp_path / "web", pieces)) as client:
        jobs = client.app.state.service.jobs  # type: ignore[attr-defined]
        job = client.post("/api/collection/index", json={}).json()
        assert jobs.wait(job["id"], 120).state == "done"
        found = client.get("/api/start").json()["digest"]["topics"]
        groups = [set(RIVERS), set(HEALTH), set(SCHOOLS)]
        assert len(found) == 3
        for topic in found:
            assert sum(bool(set(topic["words"]) & group) for group in groups) == 1, topic
        shown = client.get("/").text
        links = re.findall(r'<li><a href="(/collection/search\?q=[^"]+)"', shown)[-3:]
        for link, topic in zip(links, found, strict=True):
            asked = client.get("/api" + unescape(link)).json()
            assert asked["result"]["total"] == topic["pages"]
        assert ">Topics</h2>" in shown
        assert ">หัวข้อ</h2>" in client.get("/?ui=th").text
        assert ">موضوع‌ها</h2>" in client.get("/?ui=fa").text
