"""A generated web: the same for the same seed, whole, and as its recipe says."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from phasa.crawl.answer import Kind
from phasa.errors import InputError, SettingsError
from phasa.lab.extras import CALENDAR, SOFT
from phasa.lab.graph import OK
from phasa.lab.links import Flaw
from phasa.lab.markup import is_page
from phasa.lab.page_judge import PageJudge
from phasa.lab.recipe import Flaws, thai_recipe
from phasa.lab.replay import GraphAnswer
from phasa.lab.seeds import SEED_SETS, seeds_of
from phasa.lab.world import World


def test_equal_names_give_equal_worlds(thai_world: World) -> None:
    again = World.from_name("7:6000", "th")
    ours, theirs = thai_world.graph, again.graph
    for column in ("offsets", "targets", "language", "similarity", "status", "moved", "charset", "phrase", "hint"):
        assert np.array_equal(getattr(ours, column), getattr(theirs, column)), column
    assert [thai_world.url(page) for page in range(300)] == [again.url(page) for page in range(300)]


def test_another_seed_gives_another_world(thai_world: World) -> None:
    other = World.from_name("8:6000", "th")
    assert len(other.graph.targets) != len(thai_world.graph.targets)


def test_every_address_leads_back_to_its_number(thai_world: World) -> None:
    urls = [thai_world.url(page) for page in range(len(thai_world))]
    assert len(set(urls)) == len(urls)
    assert [thai_world.find(url) for url in urls] == list(range(len(urls)))


@pytest.mark.parametrize("url", ["http://nowhere.example/", "http://x/y/1.html", "", "http://[bad/"])
def test_strange_addresses_are_not_found(thai_world: World, url: str) -> None:
    assert thai_world.find(url) == -1


def test_addresses_beyond_the_last_page_of_a_site_are_not_found(thai_world: World) -> None:
    home = thai_world.url(int(thai_world.sites.first[3]))
    assert thai_world.find(home + "news/999999.html") == -1


def test_every_page_can_be_reached(thai_world: World, persian_world: World) -> None:
    for world in (thai_world, persian_world):
        depth = world.depths()
        assert depth.min() >= 0
        assert depth.max() <= world.recipe.depth


def test_the_share_of_the_language_is_exact(thai_world: World) -> None:
    assert int(thai_world.pages.target.sum()) == round(6000 * 36134 / 103734)
    assert np.array_equal(thai_world.graph.wanted[:6000], thai_world.pages.target)


def test_links_stay_inside_the_world_and_do_not_repeat(thai_world: World) -> None:
    graph = thai_world.graph
    assert graph.targets.min() >= 0
    assert graph.targets.max() < len(graph)
    for page in range(0, 6000, 37):
        targets = graph.targets[graph.links(page)].tolist()
        assert len(set(targets)) == len(targets)
        assert page not in targets


def test_flaws_have_their_shares(thai_world: World) -> None:
    flaws, kinds = thai_world.recipe.flaws, thai_world.extras.kind
    # A flawed link that repeats another of its page is dropped with it, hence a few less than drawn.
    assert 0.8 * flaws.dead <= ((kinds == Flaw.DEAD) | (kinds == SOFT)).sum() / 6000 <= flaws.dead
    moved = thai_world.extras.moved[kinds == Flaw.MOVED]
    assert (thai_world.graph.status[moved] == OK).all()
    assert (thai_world.extras.moved[kinds != Flaw.MOVED] == -1).all()


def test_a_calendar_has_no_end() -> None:
    recipe = msgspec.structs.replace(thai_recipe(), flaws=Flaws(calendars=0.2))
    world = World(recipe, 1, 2000)
    months = 2000 + np.flatnonzero(world.extras.kind == CALENDAR)
    assert len(months)
    page = int(months[0])
    for _ in range(300):
        following = [target for target in world.graph.targets[world.graph.links(page)].tolist() if target >= 2000]
        assert following
        page = following[0]


def test_copies_are_of_originals_in_the_same_language(persian_world: World) -> None:
    copies = np.flatnonzero(persian_world.copy_of >= 0)
    sources = persian_world.copy_of[copies]
    assert len(copies)
    assert (persian_world.copy_of[sources] == -1).all()
    assert np.array_equal(persian_world.pages.language[copies], persian_world.pages.language[sources])
    assert np.array_equal(persian_world.graph.similarity[copies], persian_world.graph.similarity[sources])


def test_seed_sets_are_pages_of_the_world(thai_world: World, persian_world: World) -> None:
    for world in (thai_world, persian_world):
        for name in SEED_SETS:
            seeds = seeds_of(world, name)
            assert all(world.find(seed.url) >= 0 for seed in seeds), name
            assert seeds == seeds_of(world, name)


def test_thai2_seeds_are_on_sites_of_the_language(thai_world: World) -> None:
    for seed in seeds_of(thai_world, "thai2"):
        site = thai_world.site(thai_world.find(seed.url))
        assert thai_world.sites.target[site] > 0.9 * thai_world.sites.pages[site]


@pytest.mark.parametrize("name", ["", "5", "a:100", "1:x", "-1:100"])
def test_a_bad_name_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="SEED:PAGES"):
        World.from_name(name)


def test_a_world_too_small_is_refused() -> None:
    with pytest.raises(SettingsError, match="too small"):
        World.from_name("1:100")


def test_an_unknown_language_or_seed_set_is_refused(thai_world: World) -> None:
    with pytest.raises(SettingsError, match="no world for 'xx'; there is one for th, fa, fa-near, fa-note, ar, "):
        World.from_name("1:6000", "xx")
    with pytest.raises(InputError, match="no seed set"):
        seeds_of(thai_world, "thai9")


@pytest.mark.parametrize(("code", "country"), [("lo", "la"), ("km", "kh"), ("de", "de")])
def test_there_is_a_web_of_every_language_that_has_words(code: str, country: str) -> None:
    world = World.from_name("3:800", code)
    judge = PageJudge(world)
    wanted = [page for page in range(len(world.pages)) if world.graph.wanted[page] and is_page(world, page)]
    assert len(wanted) > 200
    some = wanted[:: len(wanted) // 40]
    assert sum(judge.judge(GraphAnswer(Kind.PAGE, number=page)).wanted for page in some) > 0.8 * len(some)
    assert any(host.endswith(f".{country}") for host in world.site_of_host)
    assert not any(host.endswith(".th") for host in world.site_of_host)
    assert seeds_of(world, "thai1")
