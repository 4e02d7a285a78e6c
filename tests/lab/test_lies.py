"""Webs that lie about language: as often as they are told, the same over HTTP as replayed, the truth never shown."""

from __future__ import annotations

import json
import zlib

import aiohttp
import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

from phasa.cli.lab import app
from phasa.errors import SettingsError
from phasa.lab.claims import UNDECLARED, WRONG
from phasa.lab.curves import Curve, Ground
from phasa.lab.extras import SOFT
from phasa.lab.falls import comparison, falls_section
from phasa.lab.false_hosts import PARKED_PAGES
from phasa.lab.lies import NO_LIES, Lies, scaled
from phasa.lab.links import depth_from
from phasa.lab.markup import declared_charset, is_page, write_page
from phasa.lab.recipe import RECIPES, recipe_for, thai_recipe
from phasa.lab.replay import ReplayWeb
from phasa.lab.report import write_html
from phasa.lab.serve import Names, serving
from phasa.lab.world import World
from phasa.web.html import read_page
from phasa.web.url import Url, authority


def _world(**lies: float) -> World:
    recipe = msgspec.structs.replace(thai_recipe(), lies=msgspec.structs.replace(NO_LIES, **lies))
    return World(recipe, 7, 6000)


@pytest.fixture(scope="module")
def honest() -> World:
    return World.from_name("7:6000", "th", lies=0.0)


@pytest.mark.parametrize(
    ("language", "addresses", "pages"), [("th", 2956957273, 493110409), ("fa", 1289779148, 753146784)]
)
def test_without_lies_addresses_and_pages_are_what_they_were(language: str, addresses: int, pages: int) -> None:
    """The webs of the papers, whose figures are published; the numbers are of the version before there were lies."""
    world = World.from_name("3:4000", language, lies=0.0)
    texts = zlib.crc32(b"".join(write_page(world, page).body for page in range(0, 4000, 97)))
    assert (zlib.crc32(" ".join(world.urls(range(len(world)))).encode()), texts) == (addresses, pages)


def test_a_lie_changes_what_is_said_and_not_what_is(honest: World, thai_world: World) -> None:
    pages, before, now = len(honest.pages), honest.graph, thai_world.graph
    assert np.array_equal(honest.pages.language, thai_world.pages.language)
    assert np.array_equal(before.wanted[:pages], now.wanted[:pages])
    assert np.array_equal(before.offsets[: pages + 1], now.offsets[: pages + 1])
    goes_on = now.targets[: thai_world.honest]
    same = goes_on < thai_world.base
    assert np.array_equal(before.targets[same], goes_on[same])
    assert 0.9 < same.mean() < 1


def test_every_address_is_found_and_no_two_are_the_same(thai_world: World) -> None:
    urls = thai_world.urls(range(len(thai_world)))
    assert len(set(urls)) == len(urls)
    assert [thai_world.find(url) for url in urls] == list(range(len(thai_world)))


def test_every_page_of_the_world_can_still_be_reached(thai_world: World) -> None:
    assert (thai_world.depths() >= 0).all()


def test_codes_in_addresses_lie_by_the_folder() -> None:
    world = _world(address=0.3)
    coded = np.array([style.coded for style in world.styles])[world.pages.site]
    lying = world.codes != world.pages.language
    assert 0.2 < lying.mean() < 0.4
    page = int(np.flatnonzero(lying & coded & world.pages.target & (np.arange(6000) % 50 == 7))[0])
    assert "/th/" not in world.url(page)
    folder = world.pages.site.astype(np.int64) * 64 + world.pages.section
    sizes = np.bincount(folder)
    shares = np.bincount(folder, lying)[sizes >= 10] / sizes[sizes >= 10]
    assert ((shares == 0) | (shares > 0.6)).mean() > 0.9
    assert (shares > 0.6).mean() > 0.15


def test_hreflang_lies_as_often_as_told(honest: World) -> None:
    before, now = honest.graph.hint, _world(hreflang=0.3).graph.hint
    assert before is not None
    assert now is not None
    assert np.array_equal(before > 0, now > 0)
    assert 0.2 < (before != now)[before > 0].mean() < 0.4


def test_declared_language_and_encoding_lie_as_often_as_told(honest: World) -> None:
    world = _world(language=0.3, charset=0.1, undeclared=0.2)
    thai = np.flatnonzero(world.pages.target)
    assert 0.25 < (world.declared[thai] > 1).mean() < 0.35
    # Nobody who writes English on an English site says that it is Thai.
    home = world.pages.language[world.sites.first[world.pages.site]]
    assert not (world.declared[(home == 1) & (world.pages.language == 1)] == 1).any()
    assert 0.07 < (world.charset_faults == WRONG).mean() < 0.13
    assert 0.17 < (world.charset_faults == UNDECLARED).mean() < 0.23
    silent = int(np.flatnonzero((world.charset_faults == UNDECLARED) & world.pages.target)[0])
    assert b"charset=" not in write_page(world, silent).body
    assert write_page(world, silent).charset == ""
    wrong = int(np.flatnonzero((world.charset_faults == WRONG) & world.pages.target)[0])
    assert declared_charset(world, wrong) != declared_charset(honest, wrong)
    assert f"charset={declared_charset(world, wrong)}".encode() in write_page(world, wrong).body
    assert write_page(world, wrong).codec == write_page(honest, wrong).codec
    for liar in thai[world.declared[thai] == 2][:200:20].tolist():
        head = write_page(world, liar).body[:600]
        assert b'="en"' in head
        assert b'="th"' not in head


def _tells(world: World) -> float:
    """How well the numbers in host names alone tell the sites of the language from others: 0.5 is not at all."""
    own = world.sites.target * 2 > world.sites.pages
    names = [style.host.removeprefix("www.").partition(".")[0] for style in world.styles[: len(own)]]
    rank = np.argsort(np.argsort([int("".join(filter(str.isdigit, name))) for name in names]))
    share = (rank[own].mean() - (own.sum() - 1) / 2) / (~own).sum()
    return float(max(share, 1 - share))


def test_numbers_in_host_names_say_nothing_of_the_language() -> None:
    assert _tells(World.from_name("2:20000", "fa", lies=0.0)) > 0.65
    assert _tells(World.from_name("2:20000", "fa", lies=0.5)) < 0.56


def test_names_that_say_nothing_are_made_of_the_syllables_of_both() -> None:
    world = _world(names=1.0)
    assert not any(word in style.host for style in world.styles for word in ("thailand", "bangkok", "lanna"))
    foreign = [world.styles[site].host for site in range(len(world.sites)) if not world.sites.target[site]]
    assert any(word in host for host in foreign for word in ("thong", "noi", "jai", "cha", "fah"))
    thai = [world.styles[site].host for site in range(len(world.sites)) if world.sites.target[site]]
    assert any(word in host for host in thai for word in ("blue", "north", "river", "green"))


def test_pages_of_mixed_language_do_not_change_sides(honest: World) -> None:
    world = _world(mixed=0.4)
    changed = world.similarity != honest.similarity
    assert 0.3 < changed[world.pages.target].mean() < 0.5
    assert (world.similarity[changed & world.pages.target] <= 0.3 + 1e-6).all()
    assert (world.similarity[changed & ~world.pages.target] < 0.1).all()
    assert (changed & ~world.pages.target).any()
    foreign = world.sites.target[world.pages.site] == 0
    assert not (changed & foreign).any()


async def test_what_is_served_is_what_is_replayed(thai_world: World) -> None:
    """Every sort of address: the same answer, and a page with the same links, anchors and hreflang in some order."""
    world, replayed = thai_world, ReplayWeb(thai_world.graph)
    lying = np.flatnonzero(world.codes != world.pages.language)
    hint = world.graph.hint
    assert hint is not None
    hinted = np.flatnonzero(np.diff(np.concatenate([[0], np.cumsum(hint > 0)])[world.links.offsets]))
    mirror = world.base + int(np.flatnonzero(world.false.original >= 0)[3])
    soft = len(world.pages) + int(np.flatnonzero(world.extras.kind == SOFT)[0])
    addresses = [
        int(lying[0]),
        int(lying[-1]),
        *hinted[:3].tolist(),
        world.base,
        world.base + 3,
        mirror,
        mirror + 1,
        soft,
    ]
    async with serving(world) as (port, _):
        connector = aiohttp.TCPConnector(resolver=Names(world, port))
        async with aiohttp.ClientSession(connector=connector) as session:
            for page in addresses:
                async with session.get(world.url(page)) as answer:
                    assert answer.status == world.graph.status[page] == 200
                    assert answer.headers["Content-Type"] == "text/html"
                    body = await answer.read()
                read = read_page(body.decode(write_page(world, page).codec, "replace"), Url(world.url(page)))
                links = replayed.out_links(page)
                hints = list(links.hints) or [""] * len(links.urls)
                served = {link.url: link.language for link in reversed(read.links) if link.tag == "a"}
                served.pop(read.url, "")
                assert sorted(served.items()) == sorted(zip(links.urls, hints, strict=True))


def test_a_mirror_shows_the_page_of_its_site_under_another_name(thai_world: World) -> None:
    world = thai_world
    mirror = world.base + int(np.flatnonzero(world.false.original >= 0)[3])
    page = world.shown(mirror)
    assert page < len(world.pages)
    assert write_page(world, mirror).gold.text == write_page(world, page).gold.text
    assert authority(world.url(mirror)) != authority(world.url(page))
    assert world.graph.similarity[mirror] == world.graph.similarity[page]
    host = world.false.host[mirror - world.base]
    home = world.base + int(world.false.first[host])
    inside = [authority(world.url(int(goal))) for goal in world.graph.targets[world.graph.links(mirror)]]
    assert authority(world.url(mirror)) in inside
    # Whoever comes to the mirror finds the site.
    assert world.shown(home) in world.graph.targets[world.graph.links(home)]


def test_a_parked_domain_is_named_like_a_site_and_holds_no_page_of_it(thai_world: World) -> None:
    world = thai_world
    assert 0 < world.false.parked < 0.2 * len(world.sites)
    assert all(world.is_parked(world.base + at) for at in range(world.false.parked * PARKED_PAGES))
    assert not world.graph.wanted[world.base : world.base + world.false.parked * PARKED_PAGES].any()
    endings = {style.host.rpartition(".")[2] for style in world.styles[: len(world.sites)]}
    assert all(style.host.rpartition(".")[2] in endings for style in world.styles[len(world.sites) :])
    reached = depth_from(world.links.offsets, world.links.targets, world.sites.first[world.sites.level == 0])
    assert (reached[world.base : world.base + world.false.parked * PARKED_PAGES] >= 0).mean() > 0.9


def test_where_there_is_no_page_some_sites_answer_all_the_same(honest: World, thai_world: World) -> None:
    soft = np.flatnonzero(thai_world.extras.kind == SOFT)
    assert len(soft)
    numbers = (len(thai_world.pages) + soft).tolist()
    assert all(honest.graph.status[number] == 404 for number in numbers)
    assert all(thai_world.graph.status[number] == 200 and is_page(thai_world, number) for number in numbers)
    assert not thai_world.graph.wanted[numbers].any()
    # Nothing in the address tells it from that of a page; in a web that does not lie it does.
    assert all("/gone/" in honest.url(number) for number in numbers)
    folders = {thai_world.url(page).rpartition("/")[0] for page in range(len(thai_world.pages))}
    assert sum(thai_world.url(number).rpartition("/")[0] in folders for number in numbers) > 0.6 * len(numbers)
    assert not any(word in thai_world.url(number) for number in numbers for word in ("gone", "old", "error"))
    assert b"could not be found" in write_page(thai_world, numbers[0]).body


def test_a_link_does_not_show_that_it_leads_to_a_lie(thai_world: World) -> None:
    """The anchor of a link to a mirror or to a parked domain is the one that the page behind would have had."""
    before, now = World.from_name("7:6000", "th", lies=0.0).graph, thai_world.graph
    assert before.phrase is not None
    assert now.phrase is not None
    assert np.array_equal(before.phrase, now.phrase[: thai_world.honest])


@pytest.mark.parametrize("language", RECIPES)
def test_the_papers_webs_tell_the_truth_and_the_usual_ones_do_not(language: str) -> None:
    assert not RECIPES[language]().lies
    assert not recipe_for(language, 0.0).lies
    assert recipe_for(language).lies == Lies()
    assert recipe_for(language, 1.0) == recipe_for(language)


def test_lies_grow_as_far_as_shares_can() -> None:
    assert scaled(Lies(), 2.0).charset == 2 * Lies().charset
    assert scaled(Lies(), 50.0).address == 0.5
    assert scaled(Lies(), 50.0).soft == 1.0
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(SettingsError, match="from 0"):
            recipe_for("th", wrong)


def test_lab_run_shows_how_each_strategy_falls() -> None:
    command = ["run", "--world", "1:3000", "--strategies", "lswc,bfs", "--pages", "300", "--lies", "0,2"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert "lies 0" in result.output
    assert "lies 2" in result.output
    assert "Pages in the language after so many requests, lies 2" in result.output
    found = json.loads(CliRunner().invoke(app, [*command, "--json"]).output)
    assert [(one["lies"], [each["strategy"] for each in one["strategies"]]) for one in found] == [
        (0.0, ["lswc", "bfs"]),
        (2.0, ["lswc", "bfs"]),
    ]
    early = found[0]["strategies"][0]["by_fetches"]
    assert 0 < early[0] <= 200
    assert early[0] < early[1] <= early[2] <= 300


@pytest.mark.parametrize("given", ["", "much", "1,-1", "nan"])
def test_lab_run_says_what_lies_may_be(given: str) -> None:
    result = CliRunner().invoke(app, ["run", "--world", "1:3000", "--strategies", "bfs", "--lies", given])
    assert "0,0.5,1,2" in str(result.exception)


def test_the_report_draws_the_fall_of_every_strategy() -> None:
    curves = [
        Curve(name, Ground("thai1", "th", world=f"{seed}:3000", lies=lies), 100, np.array([height]), np.array([height]),
              np.array([0.1]), 100, 50, 2500, by_fetches=(9, 19, 29, 39))
        for lies, height in ((0.0, 0.9), (1.0, 0.6)) for name in ("hybrid", "bfs") for seed in (1, 2)
    ]  # fmt: skip
    section = falls_section(curves)
    assert section.tables[0].header == ["method", "lies 0", "± 95 %", "lies 1", "± 95 %"]
    assert section.tables[0].rows[0] == ["hybrid (ours)", 0.9, 0.0, 0.6, 0.0]
    assert [list(line.y) for line in section.charts[0].series] == [[0.9, 0.6], [0.9, 0.6]]
    assert [len(table.rows) for table in section.tables[1:]] == [2, 2]
    assert write_html(comparison(curves)).count("<svg") == 1 + 2 * 3
