"""A country as a topic: names here, names elsewhere, and texts that are about no place."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from phasa.collection import Collection
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.run.assembly import judge_of
from phasa.crawl.segments.dictionary import Dictionary
from phasa.crawl.topics.places import Places, country_places, make_places
from phasa.crawl.topics.topic import find_topic, load_topic
from phasa.errors import InputError
from phasa.web.html import read_page
from phasa.web.url import Url

PLAIN = "we sell good tools for the garden and ship them to your door within two days of your order "
COUNTRIES = "Albania Algeria Belgium Brazil Chile China Egypt France Germany Greece Iran Italy Japan Kenya Thailand"


@pytest.fixture(scope="module")
def thailand() -> Places:
    places = find_topic("thailand", Path()).places
    assert places is not None
    return places


def test_a_page_that_names_the_country_and_its_places_is_about_it(thailand: Places) -> None:
    assert thailand.probability("Hotels in Phuket, Thailand: from Patong to Kata, ferries to Krabi. " + PLAIN) > 0.99


def test_a_page_about_no_place_or_about_another_is_not(thailand: Places) -> None:
    assert thailand.probability(PLAIN * 15) < 0.01
    assert thailand.probability("Hotels in Kyoto, Japan. Osaka and Tokyo. " + PLAIN) < 0.5


def test_a_list_of_countries_is_not_about_one_of_them(thailand: Places) -> None:
    assert thailand.probability(COUNTRIES) < 0.01
    without_elsewhere = Places(thailand.here, {}, thailand.known)
    assert without_elsewhere.probability(COUNTRIES) > 0.9  # it is the other names that say so


def test_one_mention_in_a_long_page_is_not_enough_and_many_are(thailand: Places) -> None:
    assert thailand.probability("Thailand " + PLAIN * 40) < 0.01
    assert thailand.probability("Thailand Bangkok " * 20 + PLAIN * 40) > 0.99


def test_a_word_that_looks_like_a_small_place_counts_three_times_at_most(thailand: Places) -> None:
    car = "The new e-tron is here. " * 24 + PLAIN * 20
    assert "tron" in thailand.here
    assert thailand.probability(car) < 0.5
    assert thailand.probability(car + " Thailand") > 0.99  # named in the country, it is a place


def test_the_longest_name_counts_once(thailand: Places) -> None:
    assert thailand.names(["mahidol", "university", "mahidol"]) == {"mahidol university": 1, "mahidol": 1}


def test_a_collection_names_the_shipped_topic(tmp_path: Path) -> None:
    made = Collection.create(tmp_path / "c", language="en")
    collection = Collection(made.path, msgspec.structs.replace(made.settings, topic="thailand"))
    judge = judge_of(collection, collection.profile)

    def wanted(text: str) -> bool:
        page = read_page(f"<title>x</title><p>{text}".encode(), Url("http://x.example/"))
        return judge.judge(Answer(Kind.PAGE, page=page)).wanted

    assert wanted("We spent a week on the beaches of Phuket in Thailand and then took the night train to Bangkok.")
    assert not wanted("We spent a week on the beaches of the north and then took the night train to the capital city.")


def test_what_english_has_as_often_tells_nothing() -> None:
    smaller = ["market", *(f"place{number}" for number in range(999))]
    places = make_places(["thailand"], ["central"], smaller, {0.5: ["japan"]}, frozenset(["central", "market"]))
    assert "market" not in places.here
    assert places.here["thailand"] > places.here["central"] > 0
    assert places.known == ("central", "thailand")


def test_an_unknown_country_is_an_error() -> None:
    with pytest.raises(InputError, match="ISO 3166"):
        country_places("XX", [], Dictionary(["a term"]), frozenset())


def test_a_file_of_the_collection_goes_before_the_shipped_topic(tmp_path: Path, thailand: Places) -> None:
    shipped = find_topic("thailand", tmp_path)
    page = read_page(b"<title>Bangkok</title><p>Thailand by train, Chiang Mai and Krabi", Url("http://x.example/"))
    assert shipped.relevance(page) == pytest.approx(thailand.probability(f"{page.title}\n{page.text}"))
    shipped.with_words("thailand", ("scuba",)).save(tmp_path / "thailand")
    assert find_topic("thailand", tmp_path).must == ("scuba",)
    assert load_topic(tmp_path / "thailand").relevance(page) == 0.0
    with pytest.raises(InputError, match="no topic here"):
        find_topic("nothing.topic", tmp_path)
