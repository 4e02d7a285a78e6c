"""What a collection, or a part of it, is about."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.archive.captures import page as capture

from phasa.archive.cdxj import merge, sample, search
from phasa.archive.warc import WarcWriter
from phasa.collection import Collection
from phasa.errors import CollectionError
from phasa.overview.cloud_page import cloud_script, cloud_style
from phasa.overview.collection import Choice, choose_entries, collection_overview, collection_readings, newest

BANNER = "ติดต่อโฆษณากับเราได้ทุกวันตลอดปี สนใจโทรหาเจ้าหน้าที่ของเราได้ทันที"
HEALTH = "โรงพยาบาลรัฐและเอกชนเข้าร่วมโครงการบัตรทอง โรงพยาบาลใหญ่มีผู้ป่วยมากขึ้นทุกปี"
RIVER = "แม่น้ำเจ้าพระยาไหลผ่านกรุงเทพมหานคร ระดับน้ำในแม่น้ำสูงขึ้นในฤดูฝน"
ENGLISH = "The railway station was rebuilt after the war, and the railway carried timber to the harbour for years."


def html(title: str, *texts: str) -> bytes:
    paragraphs = "".join(f"<p>{text}</p>" for text in (*texts, BANNER))
    return f"<html><title>{title}</title><body><article>{paragraphs}</article></body></html>".encode()


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    made = Collection.create(tmp_path / "web")
    november, december = datetime(2026, 11, 3, tzinfo=UTC), datetime(2026, 12, 3, tzinfo=UTC)
    pages = [
        ("http://a.example.th/news/1", html("บัตรทอง", HEALTH, HEALTH + " หนึ่ง"), november),
        ("http://a.example.th/news/2", html("แม่น้ำ", RIVER, RIVER + " สอง"), december),
        ("http://a.example.th/about/me", html("เกี่ยวกับ", RIVER + " สาม"), december),
        ("http://www.a.example.th/w", html("อื่น", RIVER + " สี่"), december),
        (
            "http://b.example/rail",
            html("Railways", ENGLISH, ENGLISH + " Then it closed.", ENGLISH + " Later it opened again."),
            december,
        ),
    ]
    with WarcWriter(made.archive_folder) as writer:
        for url, body, when in pages:
            writer.write(capture(1, body=body, url=url, started=when))
        writer.write(capture(1, body=b"gone", url="http://a.example.th/gone", status=404, started=november))
        writer.write(capture(1, body=b"{}", url="http://a.example.th/j", headers=(("Content-Type", "a/json"),)))
    return made


def terms(made: object) -> set[str]:
    return {keyword.term for keyword in made.lists[100]}  # type: ignore[attr-defined]


def test_one_address_gives_the_cloud_of_that_page(collection: Collection) -> None:
    made = collection_overview(collection, Choice(url="http://a.example.th/news/1"))
    assert made.title == "บัตรทอง"
    assert "โรงพยาบาล" in terms(made)
    assert "แม่น้ำ" not in terms(made)


def test_a_host_gives_its_pages_without_what_repeats_on_them(collection: Collection) -> None:
    readings = collection_readings(collection, Choice(host="a.example.th"))
    assert sorted(reading.name for reading in readings) == [
        "http://a.example.th/about/me",
        "http://a.example.th/news/1",
        "http://a.example.th/news/2",
    ]
    assert not any(BANNER in reading.texts for reading in readings)


@pytest.mark.parametrize(
    ("choice", "pages"),
    [
        (Choice(segment="http://a.example.th/news/"), 2),
        (Choice(month="2026-11"), 1),
        (Choice(month="2026-12"), 4),
        (Choice(host="a.example.th", month="2026-12"), 2),
        (Choice(language="en"), 1),
        (Choice(), 5),
    ],
)
def test_pages_are_chosen_by_segment_month_and_language(collection: Collection, choice: Choice, pages: int) -> None:
    assert len(collection_overview(collection, choice).pages) == pages


def test_no_more_pages_than_asked_for(collection: Collection) -> None:
    assert len(collection_readings(collection, Choice(host="a.example.th"), most=2)) == 2


def test_a_choice_without_pages_is_told(collection: Collection) -> None:
    with pytest.raises(CollectionError, match=r"no page of text for nowhere\.example"):
        collection_overview(collection, Choice(host="nowhere.example"))
    with pytest.raises(CollectionError, match="crawl more"):
        collection_overview(collection, Choice(segment="not an address"))


def test_the_newest_capture_of_an_address_counts(collection: Collection) -> None:
    with WarcWriter(collection.archive_folder) as writer:
        later = datetime(2027, 1, 1, tzinfo=UTC)
        writer.write(capture(1, body=html("ใหม่", RIVER), url="http://a.example.th/news/1", started=later))
    assert collection_overview(collection, Choice(url="http://a.example.th/news/1")).title == "ใหม่"
    entries = choose_entries(collection.archive_folder, Choice(segment="http://a.example.th/news/"), 10)
    assert [entry.timestamp[:4] for entry in newest(entries)] == ["2027", "2026"]


def test_a_tag_says_where_it_stands(collection: Collection) -> None:
    made = collection_overview(collection, Choice(host="a.example.th"))
    contexts = made.contexts("แม่น้ำ")
    assert contexts
    assert all(context.term == "แม่น้ำ" for context in contexts)
    assert {context.page for context in contexts} == {"http://a.example.th/news/2", "http://a.example.th/about/me"}
    assert made.contexts("no such term") == []
    assert len(made.contexts("แม่น้ำ", most=1)) == 1


def test_the_fragment_has_markup_and_data_but_no_script_of_its_own(collection: Collection) -> None:
    made = collection_overview(collection, Choice(host="a.example.th"))
    fragment = made.fragment()
    assert fragment.count("<script") == 1
    assert 'type="application/json"' in fragment
    assert "<style" not in fragment
    assert fragment in made.html()
    assert cloud_script() in made.html()
    assert cloud_style() in made.html()


def test_a_sample_is_spread_over_the_index_and_a_prefix_finds_all_below(tmp_path: Path) -> None:
    with WarcWriter(tmp_path) as writer:
        for number in range(300):
            writer.write(capture(number, url=f"http://h{number // 100}.example/p{number}"))
    merge(tmp_path)
    sampled = [entry.url for entry in sample(tmp_path, 30)]
    assert 25 <= len(sampled) <= 30
    assert len({url.split("/")[2] for url in sampled}) == 3
    assert len(list(search(tmp_path, "example,h1)"))) == 100
    assert len(list(search(tmp_path, "example,h1)", most=7))) == 7
