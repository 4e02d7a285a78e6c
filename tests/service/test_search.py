"""Search in the language of the collection, and the index that it is made from."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from tests.service.conftest import client_of
from tests.service.stock import ENGLISH, PERSIAN, THAI, Piece, mixed, page, stock

from phasa.collection import Collection
from phasa.crawl.run.repairs import repair_collection
from phasa.errors import CollectionError
from phasa.service import search_index
from phasa.service.charts import by_time
from phasa.service.search_index import FILE, Filter, SearchIndex

ANY = Filter()


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    pieces = [
        Piece("http://a.example.th/flood", page("น้ำท่วมภาคใต้", THAI[2], "ประชาชนอพยพ"), day=0),
        Piece("http://a.example.th/health", page("บัตรทอง", *THAI[:2]), day=40),
        Piece("http://b.example.ir/uni", page("دانشگاه", *PERSIAN), "fa", wanted=False, day=40),
        Piece("http://b.example.ir/rail", page("Railway", *ENGLISH), "en", wanted=False, day=0),
        Piece("http://b.example.ir/gone", page("Railway gone", *ENGLISH), "en", wanted=False, status=404),
    ]
    return stock(tmp_path_factory.mktemp("s") / "web", pieces)


@pytest.fixture(scope="module")
def index(collection: Collection, tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    made = SearchIndex(tmp_path_factory.mktemp("i") / FILE)
    assert made.update(collection.archive_folder) == 4  # what was not answered with 200 is no page
    return made


def urls(index: SearchIndex, asked: str, where: Filter = ANY) -> list[str]:
    return [found.url.removeprefix("http://") for found in index.search(asked, where, 1, 30).found]


def test_thai_is_found_by_its_words_though_nothing_parts_them(index: SearchIndex) -> None:
    assert urls(index, "โรงพยาบาล") == ["a.example.th/health"]
    assert urls(index, "น้ำท่วม") == ["a.example.th/flood"]
    assert urls(index, "แม่น้ำ เจ้าพระยา") == ["a.example.th/flood"]
    assert urls(index, "แม่น้ำ โรงพยาบาล") == []


def test_persian_and_english_are_found(index: SearchIndex) -> None:
    assert urls(index, "کتابخانهٔ") == ["b.example.ir/uni"]
    assert urls(index, "railw") == ["b.example.ir/rail"]  # the last word may be begun
    assert urls(index, "ra") == []  # but not by two letters: those begin words of every page


def test_pages_with_the_whole_word_come_before_those_where_it_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    titles = ["Carbon", "Car one", "Cartoon", "Car two", "Cargo"]
    pieces = [Piece(f"http://c.example/{n}", page(title, *ENGLISH), "en", day=n) for n, title in enumerate(titles)]
    index = SearchIndex(tmp_path / FILE)
    index.update(stock(tmp_path / "web", pieces).archive_folder)
    pages = [index.search("car", ANY, number, 2) for number in (1, 2, 3)]
    assert {found.title for found in pages[0].found} == {"Car one", "Car two"}
    assert [[found.title for found in one.found] for one in pages[1:]] == [["Cargo", "Cartoon"], ["Carbon"]]
    assert [(one.total, one.more) for one in pages] == [(5, True), (5, True), (5, False)]
    assert sum(number for _, number in pages[0].days) == 5
    monkeypatch.setattr(search_index, "ENOUGH", 2)  # pages from which on a word that was typed is no beginning
    assert index.search("car", ANY, 1, 2).total == 2
    assert index.search("car", Filter(host="other.example"), 1, 2).total == 0
    assert index.search("carb", ANY, 1, 2).total == 1


def test_titles_are_shown_and_weigh_more(index: SearchIndex) -> None:
    found = index.search("railway", ANY, 1, 30)
    assert [one.title for one in found.found] == ["Railway"]
    assert found.found[0].lead.startswith("The railway station")
    assert (found.total, found.ranked, found.more) == (1, True, False)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Filter(host="a.example.th"), {"a.example.th/flood", "a.example.th/health"}),
        (Filter(language="fa"), {"b.example.ir/uni"}),
        (Filter(month="2026-12"), {"a.example.th/health", "b.example.ir/uni"}),
        (Filter(wanted=True, month="2026-11"), {"a.example.th/flood"}),
        (Filter(host="b.example.ir", language="th"), set()),
    ],
)
def test_filters_hold_together(index: SearchIndex, where: Filter, expected: set[str]) -> None:
    assert set(urls(index, "", where)) == expected


@pytest.mark.parametrize("asked", ['"', "title:x OR *", "NEAR(a b)", "a AND", "-", "'; DROP TABLE page", "\u202e", "{"])
def test_no_spelling_of_a_question_breaks_it(index: SearchIndex, asked: str) -> None:
    assert index.search(asked, ANY, 1, 30).found == []
    assert index.pages() == 4


def test_matches_are_counted_by_day_with_the_filters(index: SearchIndex) -> None:
    assert index.search("", ANY, 1, 1).days == [("2026-11-01", 2), ("2026-12-11", 2)]
    assert index.search("โรงพยาบาล", ANY, 1, 30).days == [("2026-12-11", 1)]
    assert index.search("", Filter(language="en"), 1, 30).days == [("2026-11-01", 1)]
    assert index.search("railway", Filter(host="a.example.th"), 1, 30).days == []


def test_a_day_is_a_filter_too_and_no_word_finds_a_filter(index: SearchIndex) -> None:
    assert urls(index, "", Filter(month="2026-12-11", wanted=True)) == ["a.example.th/health"]
    assert urls(index, "wanted") == urls(index, "m202612") == []


def test_a_chart_of_matches_hides_no_empty_day_and_has_months_over_long_times() -> None:
    days = by_time([("2026-11-01", 2), ("2026-11-04", 5)])
    assert days is not None
    assert [(bar.day, bar.count) for bar in days.bars] == [
        *(("2026-11-01", 2), ("2026-11-02", 0), ("2026-11-03", 0), ("2026-11-04", 5))
    ]
    months = by_time([("2025-12-31", 1), ("2026-03-08", 4), ("2026-03-09", 1)])
    assert months is not None
    assert [(bar.day, bar.count) for bar in months.bars] == [
        *(("2025-12", 1), ("2026-01", 0), ("2026-02", 0), ("2026-03", 5))
    ]
    assert by_time([("2026-11-01", 2)]) is None


def test_the_trend_is_on_the_page_and_each_bar_leads_to_its_day(tmp_path: Path) -> None:
    made = stock(tmp_path / "web", mixed(36))
    (made.path / "service").mkdir()
    index = SearchIndex(made.path / "service" / FILE)
    index.update(made.archive_folder)
    index.close()
    with client_of(made) as client:
        path = "/collection/search?q=railway&language=en"
        shown = client.get(path).text
        assert "Matches over time" in shown
        assert ">Pages</tspan>" in shown
        assert ">Day</tspan>" in shown
        found = client.get(f"/api{path}").json()
        assert sum(bar["count"] for bar in found["trend"]["bars"]) == found["result"]["total"]
        links = re.findall(r'<a href="(/collection/search[^"]*month=[^"]+)"', shown)
        assert len(links) == sum(bar["count"] > 0 for bar in found["trend"]["bars"])
        one = client.get("/api" + unescape(links[0])).json()
        assert one["asked"] == {**found["asked"], "month": found["trend"]["bars"][0]["day"]}
        assert one["result"]["total"] == found["trend"]["bars"][0]["count"]
        day = client.get(unescape(links[0])).text
        assert f'<option value="{one["asked"]["month"]}" selected>' in day
        assert "ผลที่พบตามเวลา" in client.get(f"{path}&ui=th").text
        assert "یافته‌ها در گذر زمان" in client.get(f"{path}&ui=fa").text


def test_the_list_goes_on_where_it_ended(index: SearchIndex) -> None:
    first, second = (index.search("", ANY, number, 3) for number in (1, 2))
    assert (first.more, second.more, len(first.found), len(second.found)) == (True, False, 3, 1)


def test_an_update_reads_only_what_is_new(collection: Collection, tmp_path: Path) -> None:
    index = SearchIndex(tmp_path / FILE)
    assert index.behind(collection.archive_folder)
    index.update(collection.archive_folder)
    assert not index.behind(collection.archive_folder)
    assert index.update(collection.archive_folder) == 0
    assert index.pages() == 4


def test_a_newer_capture_takes_the_place_of_the_older_one(tmp_path: Path) -> None:
    url = "http://a.example.th/x"
    old = stock(tmp_path / "old", [Piece(url, page("Harbour", ENGLISH[0]), "en")])
    new = stock(tmp_path / "new", [Piece(url, page("Lighthouse", "The lighthouse stands alone."), "en", day=3)])
    for path in new.archive_folder.glob("*.warc.gz"):
        (old.archive_folder / f"z{path.name}").write_bytes(path.read_bytes())
    index = SearchIndex(tmp_path / FILE)
    index.update(old.archive_folder)
    assert [found.title for found in index.search("", ANY, 1, 9).found] == ["Lighthouse"]
    assert urls(index, "timber") == []


def test_repair_makes_the_search_again(collection: Collection) -> None:
    path = collection.path / "service" / FILE
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"no database" * 100)
    with pytest.raises(CollectionError, match="made again"):
        SearchIndex(path)
    with collection.locked():
        done = repair_collection(collection)
    assert any(FILE in finding.file for finding in done.repaired)
    again = SearchIndex(path)
    assert again.update(collection.archive_folder) == 4
    again.close()


def test_the_page_and_its_api_find_with_filters_in_the_address(tmp_path: Path) -> None:
    with client_of(stock(tmp_path / "web", mixed(30))) as client:
        empty = client.get("/collection/search?q=x")
        assert "Nothing can be searched yet" in empty.text
        service = client.app.state.service  # type: ignore[attr-defined]
        job = client.post("/api/collection/index", json={}).json()
        assert service.jobs.wait(job["id"], 60).state == "done"
        found = client.get("/api/collection/search", params={"q": "โรงพยาบาล", "host": "news.example.th"}).json()
        assert found["result"]["found"]
        assert {one["host"] for one in found["result"]["found"]} == {"news.example.th"}
        shown = client.get("/collection/search", params={"q": "railway", "language": "en", "ui": "th"}).text
        assert "The railway station" in shown
        assert 'value="railway"' in shown
        address = client.get("/collection/search?q=http://news.example.th/about/1.html")
        assert address.headers["location"].startswith("/collection/page?url=http%3A%2F%2Fnews")
        assert client.get("/collection/search?month=nonsense").status_code == 400
        start = client.get("/").text
        assert start.count('class="w') >= 5
        assert "/collection/search?q=" in start
