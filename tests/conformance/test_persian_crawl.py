"""specs/persian-crawling.md §10, the row of the crawl that no other file has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from phasa.collection import Collection
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.judge import Judgement, LanguageJudge
from phasa.crawl.run.assembly import judge_of
from phasa.errors import SettingsError
from phasa.language.detectors import detector
from phasa.language.stopwords import stop_words
from phasa.strategy_settings import LangidSettings
from phasa.web.html import read_page
from phasa.web.url import Url

PERSIAN = "این کتاب درباره تاریخ ایران است و در آن از شهرهای بزرگ و مردم آن سخن گفته شده است. " * 4
ENGLISH = "This page is about something else and it is written in another language than the one wanted. " * 4


def page(text: str) -> Answer:
    read = read_page(f"<html><body><p>{text}</p></body></html>", Url("http://a.ir/"))
    return Answer(Kind.PAGE, page=replace(read, charset="utf-8"))


def test_row_30_a_hook_after_detection_receives_the_words_without_stop_words() -> None:
    heard: list[Sequence[str]] = []

    def thesaurus(answer: Answer, judgement: Judgement, words: Sequence[str]) -> Judgement:
        heard.append(words)
        return judgement._replace(wanted="ایران" in words)

    judge = LanguageJudge(detector("auto", "fa"), "fa", further=thesaurus)
    assert judge.judge(page(PERSIAN)).wanted
    assert "تاریخ" in heard[0]
    assert not set(heard[0]) & stop_words("fa")
    assert not judge.judge(page(ENGLISH)).wanted
    assert len(heard) == 1


def test_row_30_a_list_of_words_makes_a_topic_and_grows_by_the_pages_about_it(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "web", language="fa")
    collection.models_folder.mkdir()
    (collection.models_folder / "books.txt").write_text("کتاب\nتاریخ\nنویسنده\n", encoding="utf-8")
    collection = collection.with_settings(thesaurus="books.txt")
    judge = judge_of(collection, collection.profile)
    other = "این شهر بزرگ است و مردم آن در کنار رودخانه زندگی می‌کنند و از هوای خوب آن لذت می‌برند. " * 4
    assert not judge.judge(page(other)).wanted
    learned = "این کتاب تاریخ را ناشر تازه‌ای چاپ کرده است و ناشر آن در تهران است. " * 4
    for _ in range(6):
        assert judge.judge(page(learned)).wanted
    # The word of the publisher was on six pages about books and on no other: with one more it makes a page related.
    assert judge.judge(page("ناشر و کتاب در این شهر است و مردم آن را دوست دارند. " * 4)).wanted
    assert "ناشر" in (collection.models_folder / "books.txt.learned").read_text(encoding="utf-8").split()
    again = judge_of(collection, collection.profile)
    assert again.judge(page("ناشر و چاپ در این شهر است و مردم آن را دوست دارند. " * 4)).wanted
    one_word = page("آن کتاب در این شهر است و مردم آن را دوست دارند. " * 4)  # how many it takes is a setting, 2
    assert not judge_of(collection, collection.profile).judge(one_word).wanted
    assert judge_of(collection.with_settings(thesaurus_words=1), collection.profile).judge(one_word).wanted
    with pytest.raises(SettingsError, match="thesaurus"):
        judge_of(collection.with_settings(thesaurus="none.txt"), collection.profile)


def test_row_4_an_empty_page_that_declares_persian_is_persian_for_the_crawler(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "web", language="fa").with_settings(detector="persian")
    judge = judge_of(collection, collection.profile)
    tagged = Answer(Kind.PAGE, page=read_page('<html lang="fa"><body></body></html>', Url("http://a.ir/")))
    blank = Answer(Kind.PAGE, page=read_page("<html><body></body></html>", Url("http://a.ir/")))
    assert judge.judge(tagged).wanted
    assert "stage 1" in judge.judge(tagged).evidence
    assert not judge.judge(blank).wanted
    for tag in ('http-equiv="Content-Language" content="fa"', 'name="language" content="Persian"'):
        said = read_page(f"<html><head><meta {tag}></head><body></body></html>", Url("http://a.ir/"))
        assert judge.judge(Answer(Kind.PAGE, page=said)).wanted


def test_row_10_the_keys_of_langid_are_settings_of_a_collection(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "web", language="fa").with_settings(detector="persian-content")
    word = page("است")
    assert judge_of(collection, collection.profile).judge(word).wanted
    for changes in (
        LangidSettings(min_stopword_hits=2),
        LangidSettings(charsets=("windows-1256",)),
        LangidSettings(unicode_ranges=("0041-005A",)),
        LangidSettings(delimiters="س"),
    ):
        assert not judge_of(collection.with_settings(langid=changes), collection.profile).judge(word).wanted, changes
    (collection.path / "mine.txt").write_text("چیز\n", encoding="utf-8")
    mine = collection.with_settings(langid=LangidSettings(stopword_file="mine.txt"))
    assert not judge_of(mine, collection.profile).judge(word).wanted
    assert judge_of(mine, collection.profile).judge(page("چیز")).wanted
    with pytest.raises(SettingsError, match="0600-06FF"):
        judge_of(collection.with_settings(langid=LangidSettings(unicode_ranges=("x",))), collection.profile)


def test_row_10_arabic_that_shares_a_word_is_not_persian(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "web", language="fa").with_settings(detector="persian-content")
    judge = judge_of(collection, collection.profile)
    assert not judge.judge(page("بر الوالدين من أعظم القربات")).wanted
    assert judge.judge(page("این کتاب است")).wanted
