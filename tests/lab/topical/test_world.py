"""Webs with topical segments: equal by seed, exact gold, scores that are those of the pages written out."""

from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

from phasa.cli.lab import app
from phasa.crawl.learn.word_bayes import WordBayes
from phasa.crawl.segments.dictionary import load_dictionary, tokens_of
from phasa.crawl.segments.matcher import Matcher
from phasa.crawl.topics.topic import DIVING, Topic
from phasa.errors import InputError
from phasa.lab.topical.lexicon import ELSEWHERE, THAI, THEMES, dialect, rare_elsewhere, rare_thai
from phasa.lab.topical.recipe import topical_recipe
from phasa.lab.topical.world import TopicalWorld
from phasa.web.html import read_page
from phasa.web.url import Url, authority, parse


@pytest.fixture(scope="module")
def world() -> TopicalWorld:
    return TopicalWorld(3, 4000)


def test_the_same_seed_gives_the_same_web(world: TopicalWorld) -> None:
    again = TopicalWorld(3, 4000)
    assert [again.html(page) for page in range(0, 4000, 401)] == [world.html(page) for page in range(0, 4000, 401)]
    assert np.array_equal(again.links.targets, world.links.targets)


def test_webs_of_different_seeds_share_no_host(world: TopicalWorld) -> None:
    other = TopicalWorld(4, 4000)
    hosts = [{authority(one.addresses.url(page)) for page in range(len(one))} for one in (world, other)]
    assert not hosts[0] & hosts[1]


def test_a_web_has_as_many_pages_as_asked_and_every_address_once(world: TopicalWorld) -> None:
    urls = [world.addresses.url(page) for page in range(len(world))]
    assert len(urls) == len(set(urls)) == 4000
    assert all(parse(url) == url for url in urls)
    assert all(world.addresses.find(url) == page for page, url in enumerate(urls))


def test_gold_of_diving_is_part_of_tourism_and_estate_is_apart(world: TopicalWorld) -> None:
    tourism, diving, estate = (world.gold(topic) for topic in ("tourism", "diving", "estate"))
    assert diving.any()
    assert not (diving & ~tourism).any()
    assert estate.any()
    assert not (estate & tourism).any()
    assert not (tourism & ~world.english).any()


def test_every_page_can_be_reached_from_the_home_of_its_site(world: TopicalWorld) -> None:
    plan, links = world.plan, world.links
    found = np.zeros(len(world), dtype=bool)
    waiting = plan.first_page[plan.first_segment[:-1]].tolist()
    while waiting:
        page = waiting.pop()
        if not found[page]:
            found[page] = True
            waiting += links.targets[links.offsets[page] : links.offsets[page + 1]].tolist()
    assert found.all()


@pytest.mark.parametrize("must", [(), DIVING])
def test_scores_are_those_of_the_pages_written_out(world: TopicalWorld, must: tuple[str, ...]) -> None:
    odds = {"hotel": 1.2, "thailand": 2.0, "dive": 0.7, "spain": -2.0, "engin": -1.5, "samui": 1.0, "beach": 0.4}
    topic = Topic("toy", WordBayes(-2.0, odds), must=must)
    scores = world.scores(topic)
    for page in range(0, 4000, 97):
        plain = topic.relevance(read_page(world.html(page), Url(world.addresses.url(page))))
        assert scores[page] == pytest.approx(plain if world.english[page] else 0.0, abs=1e-9)


def test_places_are_terms_of_the_dictionary_and_other_words_are_not() -> None:
    matcher = Matcher(load_dictionary(), "exact")
    assert all(matcher.finds(tokens_of(place)) for place in THAI)
    assert not any(matcher.finds(tokens_of(word)) for word in [*ELSEWHERE, *" ".join(THEMES.values()).split()])


def test_webs_speak_dialects_that_overlap_in_part() -> None:
    one, other = set(dialect(1, 0.6)["tourism"]), set(dialect(2, 0.6)["tourism"])
    assert one & other
    assert one - other


def test_seeds_are_relevant_and_one_of_a_site(world: TopicalWorld) -> None:
    for topic in world.recipe.topics:
        seeds = [seed.url for seed in world.seeds(topic)]
        assert all(world.gold(topic)[world.addresses.find(url)] for url in seeds)
        assert len({authority(url) for url in seeds}) == len(seeds) >= 5


@pytest.mark.parametrize("name", ["3", "x:4000", "3:100"])
def test_a_name_that_is_no_web_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"world is named|at least"):
        TopicalWorld.from_name(name)


def test_an_unknown_topic_is_refused(world: TopicalWorld) -> None:
    with pytest.raises(InputError, match="no topic 'cars'"):
        world.gold("cars")


def test_the_command_shows_every_printed_ratio_beside_ours() -> None:
    result = CliRunner().invoke(app, ["world", "1:4000", "--topics", "--json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    assert len(rows) == 18
    assert {row["table"] for row in rows} == {"Table 5", "Table 6", "Table 7"}
    assert all(0 <= row["here"] <= 1 for row in rows)
    by_source = {row["what"]: row["here"] for row in rows if row["table"] == "Table 5"}
    assert by_source["tourism, source relevant"] > by_source["tourism, not source relevant"] + 0.3


def changed(**fields: float) -> TopicalWorld:
    return TopicalWorld(1, 4000, msgspec.structs.replace(topical_recipe(), **fields))


def test_links_of_two_webs_name_rare_places_that_the_other_never_does() -> None:
    one, other = (set(dialect(seed, 0.6, 1500)["thai"]) for seed in (0, 1))
    rare = one - set(THAI)
    assert len(rare) > 1490
    assert len(rare & other) < len(rare) / 2
    assert all(name.replace("-", " ") in load_dictionary().terms for name in rare)
    assert not load_dictionary().terms & set(rare_elsewhere())


def test_addresses_name_rare_places_as_the_recipe_says() -> None:
    def rare_names(world: TopicalWorld) -> int:
        known = set(rare_thai()) - set(THAI)
        return sum(bool(known & set(world.addresses.url(page).split("/")[3:])) for page in range(len(world)))

    assert rare_names(changed(places=0)) == 0
    assert rare_names(changed(places=1500)) > 100


def test_fame_leaves_the_rest_of_the_web_to_a_few_segments() -> None:
    def of_the_first(world: TopicalWorld) -> float:
        """Share of the links to 'far' that the best known tenth of its segments has."""
        far = [kind.name for kind in world.recipe.kinds].index("far")
        goals = world.plan.segment[world.links.targets]
        sources = world.plan.segment[world.links.sources()]
        between = world.plan.site[goals] != world.plan.site[sources]
        cited = np.sort(np.bincount(goals[between & (world.plan.kind[goals] == far)]))[::-1]
        cited = cited[cited > 0]
        return float(cited[: max(1, len(cited) // 10)].sum() / cited.sum())

    assert of_the_first(changed(fame=6.0)) > of_the_first(changed(fame=1.6)) + 0.1


def test_a_lure_is_spoken_of_as_a_subject_and_is_below_half_of_it(world: TopicalWorld) -> None:
    kinds = [kind.name for kind in world.recipe.kinds]
    lures = world.plan.kind == kinds.index("tour-mixed")
    gold = np.bincount(world.plan.segment, world.gold("tourism"), len(world.plan.kind))
    degree = gold[lures].sum() / world.plan.sizes[lures].sum()
    assert 0.2 < degree < 0.5
    spoken = {kind.name: kind.anchor for kind in world.recipe.kinds}
    assert spoken["tour-mixed"] >= spoken["tour"] - 0.1 > spoken["tour-near"]
