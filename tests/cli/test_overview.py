"""`phasa overview` and `phasa keywords`: what they take, and what the options change."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.archive.captures import page as capture
from tests.cli.test_crawl import phasa
from tests.service.conftest import client_of

from phasa.archive.warc import WarcWriter
from phasa.collection import Collection

MENU = "<p>Every harbour page carries this banner about lemonade, sold on every single day of the year.</p>"
STORIES = {
    "one": "The lantern festival of the harbour drew fishermen, lantern makers and children to the old market.",
    "two": "A volcano above the village smoked; geologists measured the volcano and told the village.",
    "three": "The orchestra played a symphony by moonlight, and the conductor thanked the orchestra.",
}


TITLES = {"one": "Zeppelin", "two": "Kaleidoscope", "three": "Marzipan"}  # words that stand nowhere else


def page(name: str) -> str:
    story = STORIES[name]
    return f"<html lang=en><title>{TITLES[name]}</title><body>{MENU}<p>{story}</p><p>{story} Again.</p></body>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "pages" / "deep"
    inside.mkdir(parents=True)
    for name in STORIES:
        (inside / f"{name}.html").write_text(page(name), encoding="utf-8")
    (inside / "notes.txt").write_text("not a page", encoding="utf-8")
    return tmp_path / "pages"


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    """The stories of one host; `one` was captured in two months, first with another text."""
    old = "<p>An old text about a glacier that nobody should read any more, glacier and ice.</p>"
    with WarcWriter(tmp_path / "archive") as writer:
        for month, name, html in [(1, "one", old), *((2, name, page(name)) for name in STORIES)]:
            when, url = datetime(2026, month, 3, tzinfo=UTC), f"http://harbour.example/{name}"
            writer.write(capture(1, body=html.encode(), url=url, started=when))
    return next((tmp_path / "archive").glob("*.warc.gz"))


def words(capsys: pytest.CaptureFixture[str], *options: str | Path) -> dict[str, list[str]]:
    code, out, err = phasa(capsys, "keywords", "--json", "--top", "40", "--lang", "en", *options)
    assert code == 0, err
    rows = [json.loads(line) for line in out.splitlines()]
    return {row["file"]: " ".join(word["term"] for word in row["keywords"]).split() for row in rows}


def test_a_folder_of_pages_is_one_set_without_what_repeats(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = words(capsys, folder).values()
    assert {"lantern", "volcano", "orchestra"} <= set(found)
    assert "lemonade" not in found


def test_several_files_are_sets_of_their_own_or_one_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [folder / "deep" / f"{name}.html" for name in ("one", "two")]
    alone = words(capsys, *files)
    assert list(alone) == [str(file) for file in files]
    assert "volcano" not in alone[str(files[0])]
    assert "lemonade" in alone[str(files[0])]
    (together,) = words(capsys, "--together", *files).values()
    assert {"lantern", "volcano"} <= set(together)
    assert "lemonade" not in together


def test_a_warc_file_gives_the_newest_capture_of_each_address(warc: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = words(capsys, warc).values()
    assert {"lantern", "volcano", "orchestra"} <= set(found)
    assert not {"glacier", "lemonade"} & set(found)


def test_by_month_every_month_has_its_own_captures(warc: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = words(capsys, warc, "--by", "month")
    assert list(found) == ["2026-02", "2026-01"]
    assert "glacier" in found["2026-01"]
    assert "lemonade" not in found["2026-02"]


def test_a_list_of_addresses_chooses_among_the_pages(
    warc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = tmp_path / "chosen.txt"
    chosen.write_text("# the volcano\nhttp://harbour.example/two\n", encoding="utf-8")
    (found,) = words(capsys, warc, "--urls", chosen).values()
    assert "volcano" in found
    assert "lantern" not in found
    code, _, err = phasa(capsys, "overview", warc, "--urls", chosen, "-o", tmp_path / "cloud.html")
    assert code == 0, err
    assert "volcano" in (tmp_path / "cloud.html").read_text(encoding="utf-8")


def test_a_folder_without_pages_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = phasa(capsys, "overview", tmp_path)
    assert code == 1
    assert "neither a collection nor a folder with HTML or WARC files" in err


def test_as_published_is_the_thesis_from_end_to_end(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cloud = tmp_path / "cloud.html"
    code, _, err = phasa(capsys, "overview", folder, "--as-published", "--lang", "en", "-o", cloud)
    assert code == 0, err
    text = cloud.read_text(encoding="utf-8")
    assert '<section class="overview published"' in text
    assert "lemonade" not in text
    (published,) = words(capsys, folder, "--as-published").values()
    (plain,) = words(capsys, folder, "--extract", "thesis", "--weigh", "amtf", "--segmenter", "longest-first").values()
    assert published == plain
    (ours,) = words(capsys, folder, "--weigh", "amtf", "--segmenter", "longest-first").values()
    titles = {title.lower() for title in TITLES.values()}
    assert titles <= set(ours)
    assert not titles & set(published)  # the published extraction has no titles


def test_options_and_environment_change_extraction_and_weight(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "page.html"
    links = "".join(f"<a href=/{n}>harbour {n}</a>" for n in range(4))
    file.write_text(
        f"<html lang=en><body><div><p>lantern lantern market</p><p>market square</p></div><form><p>hidden orchard</p>"
        f"<p>orchard and vineyard</p></form><div>{links}</div></body>",
        encoding="utf-8",
    )
    thesis: list[str | Path] = ["--extract", "thesis", "--weigh", "amtf", file]
    (subtree,) = words(capsys, *thesis).values()
    (tag_only,) = words(capsys, "--form", "tag_only", *thesis).values()
    assert "orchard" not in subtree
    assert "orchard" in tag_only
    (both,) = words(capsys, "--logic", "and", *thesis).values()
    assert both != subtree
    monkeypatch.setenv("PHASA_FORM", "tag_only")
    assert words(capsys, *thesis) == {str(file): tag_only}
    code, _, err = phasa(capsys, "keywords", "--scope", "page", file)
    assert code == 1
    assert "scope page: the weight phasa knows no scope; choose the weight amtf" in err


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """A collection with the stories in its archive, of one host."""
    made = Collection.create(tmp_path / "web", language="th")
    with WarcWriter(made.archive_folder) as writer:
        for name in STORIES:
            writer.write(capture(1, body=page(name).encode(), url=f"http://harbour.example/{name}"))
    return made.path


def set_overview(collection: Path, **settings: object) -> None:
    """Write keys of the section [overview], as a user does."""
    file = collection / "collection.toml"
    before, section, after = file.read_text(encoding="utf-8").partition("[overview]")
    for key, value in settings.items():
        after, number = re.subn(rf"\n{key} = .*", f"\n{key} = {json.dumps(value)}", after, count=1)
        assert number == 1, key
    file.write_text(before + section + after, encoding="utf-8")


def test_a_collection_says_how_its_keywords_are_made(collection: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (plain,) = words(capsys, collection).values()
    assert "zeppelin" in plain
    for key, value in [("extract", "thesis"), ("weigh", "tf"), ("segmenter", "lexto"), ("pages", 1)]:
        set_overview(collection, **{key: value})
        option = {"pages": "--pages", "extract": "--extract"}.get(key, f"--{key}")
        by_setting = words(capsys, collection)
        set_overview(collection, **{key: {"extract": "phasa", "weigh": "phasa", "segmenter": "", "pages": 0}[key]})
        assert by_setting == words(capsys, collection, option, str(value))
        assert (by_setting == {str(collection): plain}) == (key == "segmenter"), key  # lexto cuts no English


def test_an_option_goes_before_the_setting_and_the_setting_before_the_default(
    collection: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_overview(collection, style="published", target=7, weigh="tltf")
    cloud = tmp_path / "cloud.html"
    code, out, err = phasa(capsys, "overview", collection, "-o", cloud)
    assert code == 0, err
    assert '<section class="overview published"' in cloud.read_text(encoding="utf-8")
    code, out, err = phasa(capsys, "overview", collection, "-o", cloud, "--style", "calm", "--target", "5")
    assert code == 0, err
    assert '<section class="overview published"' not in cloud.read_text(encoding="utf-8")
    assert "5 shown at first" in out
    monkeypatch.setenv("PHASA_STYLE", "calm")
    code, out, err = phasa(capsys, "overview", collection, "-o", cloud)
    assert "7 shown at first" in out
    by_setting = words(capsys, collection)
    assert by_setting == words(capsys, collection, "--weigh", "tltf")
    assert by_setting != words(capsys, collection, "--weigh", "phasa")


def test_a_collection_may_be_read_as_published(
    collection: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = words(capsys, collection)
    set_overview(collection, as_published=True)
    published = words(capsys, collection)
    assert not {"zeppelin", "kaleidoscope", "marzipan"} & set(published[str(collection)])
    assert words(capsys, collection, "--no-as-published") == ours
    for key, value in [("logic", "and"), ("form", "tag_only"), ("scope", "page")]:
        set_overview(collection, **{key: value})
        assert words(capsys, collection) == words(capsys, collection, f"--{key}", value)
    cloud = tmp_path / "cloud.html"
    assert phasa(capsys, "overview", collection, "-o", cloud)[0] == 0
    assert '<section class="overview published"' in cloud.read_text(encoding="utf-8")


def test_an_extractor_of_the_collection_is_named_relative_to_it(
    collection: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (collection / "mine.py").write_text("def mine(html, url):\n    return ['periwinkle of ' + url]\n", encoding="utf-8")
    set_overview(collection, extract="./mine.py:mine")
    assert "periwinkle" in words(capsys, collection)[str(collection)]


def test_a_wrong_setting_is_named(collection: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_overview(collection, weigh="heavy")
    code, _, err = phasa(capsys, "keywords", collection)
    assert code == 1
    assert "heavy" in err
    assert "overview.weigh" in err


def test_keywords_of_a_collection_are_cut_by_its_word_model(
    collection: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "<p>" + "การดูแลผู้ป่วยและการเดินทางของประชาชนในจังหวัดเชียงใหม่ " * 5 + "</p>"
    with WarcWriter(collection / "archive") as writer:
        writer.write(capture(1, body=text.encode(), url="http://thai.example/"))
    file = collection / "collection.toml"
    file.write_text(
        file.read_text(encoding="utf-8").replace('model = "default"', 'model = "none.zst"'), encoding="utf-8"
    )
    code, _, err = phasa(capsys, "keywords", collection)
    assert code == 1
    assert "none.zst" in err


@pytest.fixture
def two_hosts(tmp_path: Path) -> Path:
    """A collection of a host with nine pages, a word on each that stands nowhere else, and one with three."""
    made = Collection.create(tmp_path / "web", language="th")
    with WarcWriter(made.archive_folder) as writer:
        for number, word in enumerate(
            ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india"]
        ):
            text = f"<html lang=en><title>Ship</title><body><p>The ship {word} sailed; {word} came back at noon.</p>"
            for host in ["harbour.example", "apple.example"][: 2 if number < 3 else 1]:
                writer.write(capture(1, body=text.encode(), url=f"http://{host}/{number}"))
    return made.path


def test_a_group_is_read_whole_named_or_not_and_as_the_application_reads_it(
    two_hosts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_overview(two_hosts, pages=8)  # fewer than there are in all, so that not all of the largest host are among them
    named = words(capsys, two_hosts, "--by", "host", "--group", "harbour.example")
    assert list(named) == ["harbour.example"]
    assert {"alpha", "hotel"} <= set(named["harbour.example"])
    assert list(words(capsys, two_hosts, "--by", "host", "--group", "apple.example")) == ["apple.example"]
    for out, options in (("a.html", ()), ("b.html", ("--group", "harbour.example"))):
        code, said, err = phasa(capsys, "overview", two_hosts, "--by", "host", *options, "-o", tmp_path / out)
        assert code == 0, err
        assert "8 pages of harbour.example" in " ".join(said.split())
    assert (tmp_path / "a.html").read_text("utf-8") == (tmp_path / "b.html").read_text("utf-8")
    with client_of(Collection.open(two_hosts)) as client:
        job = client.post("/api/overview", json={"host": "harbour.example"}).json()
        assert client.app.state.service.jobs.wait(job["id"], 100).state == "done"  # type: ignore[attr-defined]
        shown = client.get(f"/api/overview/{job['id']}").json()
    assert shown["pages"] == 8
    assert set(" ".join(word["term"] for word in shown["keywords"]).split()) == set(named["harbour.example"])
    code, _, err = phasa(capsys, "keywords", two_hosts, "--by", "host", "--group", "sky.example")
    assert code == 1
    assert "no host 'sky.example'; see which there are: phasa keywords" in err
