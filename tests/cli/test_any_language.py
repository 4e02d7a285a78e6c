"""A collection in any language: shipped profiles without a dictionary, and one's own, from init to serve."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.cli.test_crawl import phasa
from tests.durability.small_web import ENGLISH, SmallWeb
from tests.language.test_profile import NONSENSE, SHIPPED

from phasa.collection import Collection
from phasa.crawl.run.status import read_status
from phasa.service.service import Service

TEXTS = {
    "lo": "ພາສາລາວເປັນພາສາທາງການຂອງສາທາລະນະລັດປະຊາທິປະໄຕປະຊາຊົນລາວ ຂ່າວມື້ນີ້ມີຫຼາຍເລື່ອງ ",
    "km": "ភាសាខ្មែរគឺជាភាសាផ្លូវការរបស់ព្រះរាជាណាចក្រកម្ពុជា ព័ត៌មានថ្ងៃនេះ ",
    "my": "မြန်မာဘာသာစကားသည် မြန်မာနိုင်ငံ၏ ရုံးသုံးဘာသာစကား ဖြစ်သည်။ ယနေ့သတင်းများ ",
    "de": "Die Gemeinde hat am Montag beschlossen, dass der Bahnhof in den nächsten Jahren umgebaut werden soll. ",
    "zh-Hant": "這個網站介紹臺灣各地的歷史與文化，並且提供最新的新聞與活動資訊給所有的讀者。",
    "ja": "このサイトでは日本各地の歴史と文化を紹介し、最新のニュースをお届けします。",
    "th": "ภาษาไทยเป็นภาษาที่มีผู้พูดมากในประเทศไทย ข่าววันนี้มีเรื่องน่าสนใจมากมาย ",
    "qtz": "Vrotz plimf quux kagga zorbi. Kagga quux plimf zorbi vrotz quux! ",
}


class TwoLanguages(SmallWeb):
    """Two pages of three are in the language, the others in English."""

    def __init__(self, text: str, pages: int = 30) -> None:
        super().__init__(pages, hosts=4)
        self.text = text

    def answer(self, host: str, path: str) -> web.Response:
        if path == "/robots.txt":
            return web.Response(status=404)
        number = int(path.removeprefix("/p/").removesuffix(".html"))
        text = self.text if number % 3 else ENGLISH
        links = [number * 2 + 1, number * 2 + 2, number // 3]
        anchors = "".join(f'<a href="{self.url(to)}">{text[:12]} {to}</a> ' for to in links if to < self.pages)
        own = "".join(chr(ord("a") + int(digit)) for digit in str(number))
        body = f"<html><title>{own}</title><p>{text * (3 + number % 5)}{own}</p>{anchors}</html>"
        return web.Response(text=body, content_type="text/html")


def crawled(capsys: pytest.CaptureFixture[str], small: TwoLanguages, folder: Path, lang: str | Path) -> dict[str, Any]:
    """What `status` says after `init` and `crawl` with nothing set but the language, the seeds and the server."""
    with small.serving():
        seeds = folder.parent / "seeds.txt"
        seeds.write_text(f"{small.url(0)}\n{small.url(1)}\n", encoding="utf-8")
        server = f"127.0.0.1:{small.port}"
        code, _, err = phasa(capsys, "init", folder, "--lang", lang, "--seeds", seeds, "--server", server)
        assert (code, err) == (0, "")
        code, _, err = phasa(capsys, "crawl", folder, "--quiet")
        assert code == 0, err
    code, out, _ = phasa(capsys, "status", folder, "--json")
    assert code == 0
    found: dict[str, Any] = json.loads(out)
    assert found["strategy"] == "hybrid"
    return found


@pytest.mark.parametrize(
    ("lang", "text"), [("lo", "lo"), ("km", "km"), ("my", "my"), ("de", "de"), ("zh", "zh-Hant"), ("ja", "ja")]
)
def test_a_language_without_a_dictionary_is_crawled_with_the_default_strategy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lang: str, text: str
) -> None:
    found = crawled(capsys, TwoLanguages(TEXTS[text]), tmp_path / "c", lang)
    assert (found["language"], found["done"], found["harvest"]) == (lang, 30, pytest.approx(20 / 30))


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ('code = "tts"\nname = "Isan"\nscripts = ["Thai"]\n', "th"),  # a script of one language, whichever
        ('code = "ja"\nname = "Japanese"\nscripts = ["Jpan"]\n', "ja"),
        ('code = "zh-Hant"\nname = "Traditional Chinese"\nscripts = ["Hant"]\n', "zh-Hant"),
        ('code = "de-CH"\nname = "Swiss German"\nscripts = ["Latn"]\n', "de"),
    ],
)
def test_three_lines_are_enough_to_crawl_a_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: str, text: str
) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(lines, encoding="utf-8")
    found = crawled(capsys, TwoLanguages(TEXTS[text]), tmp_path / "c", mine)
    assert (found["done"], found["harvest"]) == (30, pytest.approx(20 / 30))


def test_a_language_of_one_s_own_from_init_to_serve_wherever_the_folder_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / "lists").mkdir(parents=True)
    (home / "lists" / "words.txt").write_text("zorbi\nquux\nplimf\nvrotz\nkagga\n", encoding="utf-8")
    (home / "stop.txt").write_text("quux\n", encoding="utf-8")
    (home / "sample.txt").write_text(TEXTS["qtz"] * 9, encoding="utf-8")
    profile = NONSENSE.replace('"words.txt"', '"lists/words.txt"')
    (home / "zorbian.toml").write_text(profile, encoding="utf-8")
    monkeypatch.chdir(home)
    small = TwoLanguages(TEXTS["qtz"])
    found = crawled(capsys, small, home / "c", "zorbian.toml")
    assert (found["language"], found["done"], found["harvest"]) == ("qtz", 30, pytest.approx(20 / 30))
    # The collection has all of it: the files it came from may go, and it may go elsewhere.
    for file in ("lists/words.txt", "stop.txt", "sample.txt", "zorbian.toml"):
        (home / file).unlink()
    moved = tmp_path / "moved"
    (home / "c").rename(moved)
    monkeypatch.chdir(tmp_path)
    code, out, err = phasa(capsys, "learn", "moved")
    assert code == 0, err
    code, out, _ = phasa(capsys, "why", "moved", small.url(1), "--json")
    assert (json.loads(out)["state"], json.loads(out)["language"]) == ("done", "qtz")
    (tmp_path / "text.txt").write_text("Zorbi, plimf!\n", encoding="utf-8")
    code, out, _ = phasa(capsys, "segment", "text.txt", "--collection", "moved")
    assert (code, out) == (0, "Zorbi|,| |plimf|!\n")
    code, out, _ = phasa(capsys, "detect", "text.txt", "--lang", "moved/profile/qtz.toml")
    assert out.startswith("qtz\t")
    collection = Collection.open(Path("moved"))
    service = Service(collection)
    try:
        assert service.profile.code == "qtz"
    finally:
        service.close()
    with small.serving():  # and it can be crawled on from there
        server = f"127.0.0.1:{small.port}"
        settings = collection.settings_file.read_text(encoding="utf-8")
        old = next(line for line in settings.splitlines() if line.startswith("server ="))
        collection.settings_file.write_text(settings.replace(old, f'server = "{server}"'), encoding="utf-8")
        small.pages = 40
        (moved / "seeds.txt").write_text(f"{small.url(35)}\n", encoding="utf-8")
        code, out, err = phasa(capsys, "crawl", "moved", "--quiet")
        assert code == 0, err
    assert read_status(Collection.open(moved)).done == 31


def test_words_are_cut_by_the_engine_and_the_list_of_one_s_own_profile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "words.txt").write_text("ตา\nกลม\n", encoding="utf-8")
    profile = 'code = "tts"\nname = "Isan"\nscripts = ["Thai"]\nsegmenter = "maximal"\ndictionary = "words.txt"\n'
    (tmp_path / "mine.toml").write_text(profile, encoding="utf-8")
    (tmp_path / "text.txt").write_text("ตากลม\n", encoding="utf-8")
    code, out, err = phasa(capsys, "segment", tmp_path / "text.txt", "--lang", tmp_path / "mine.toml")
    assert (code, out) == (0, "ตา|กลม\n"), err
    code, out, err = phasa(capsys, "segment", "--version", "--lang", tmp_path / "mine.toml")
    assert code == 0, err
    assert "engine   maximal" in out
    assert "words.txt" in out or "dictionary" in out


@pytest.mark.parametrize("lang", SHIPPED)
def test_init_makes_a_collection_in_every_shipped_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lang: str
) -> None:
    code, out, err = phasa(capsys, "init", tmp_path / "c", "--lang", lang)
    assert (code, err) == (0, "")
    assert f"made for {lang}," in out
    assert Collection.open(tmp_path / "c").profile.code == lang


def test_a_profile_that_is_gone_from_the_collection_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('code = "qtz"\nname = "Zorbian"\nscripts = ["Latn"]\n', encoding="utf-8")
    phasa(capsys, "init", tmp_path / "c", "--lang", mine)
    (tmp_path / "c" / "profile" / "qtz.toml").unlink()
    (tmp_path / "c" / "seeds.txt").write_text("http://a.example/\n", encoding="utf-8")
    code, _, err = phasa(capsys, "crawl", tmp_path / "c", "--quiet")
    assert code == 1
    assert "qtz.toml: cannot be read" in err
    assert len(err.strip().splitlines()) == 1
