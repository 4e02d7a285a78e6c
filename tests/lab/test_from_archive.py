"""A web graph from captured pages."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from phasa.archive.capture import Capture
from phasa.archive.reader import Stored
from phasa.archive.warc import WarcWriter
from phasa.cli.lab import app
from phasa.errors import InputError
from phasa.lab.from_archive import captures_of, graph_from
from phasa.lab.graph import OK
from phasa.lab.markup import write_page
from phasa.lab.seeds import seeds_of
from phasa.lab.store import read_graph
from phasa.lab.world import World


def _stored(url: str, body: bytes, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Stored:
    return Stored(
        url, datetime(2026, 1, 1, tzinfo=UTC), status, "text/html", "text/html", headers, body, "", "", False, "", ""
    )


def _site(world: World) -> list[int]:
    """The pages of a site that is mostly in the language."""
    site = world.site(world.find(seeds_of(world, "thai2")[0].url))
    first = int(world.sites.first[site])
    return list(range(first, first + min(40, int(world.sites.pages[site]))))


def test_judgement_and_links_of_captured_pages_are_those_of_the_world(thai_world: World) -> None:
    pages = _site(thai_world)
    graph = graph_from([_stored(thai_world.url(page), write_page(thai_world, page).body) for page in pages], "th")
    assert len(graph) == len(pages)
    agree = sum(bool(graph.wanted[place]) == bool(thai_world.pages.target[page]) for place, page in enumerate(pages))
    assert agree >= 0.95 * len(pages)
    known = set(pages)
    for place, page in enumerate(pages[:10]):
        ours = {graph.url(int(target)) for target in graph.targets[graph.links(place)]}
        links = thai_world.graph.targets[thai_world.graph.links(page)].tolist()
        assert ours == {thai_world.url(target) for target in links if target in known}


def test_redirects_lead_on_and_repeats_count_once() -> None:
    page = b"<html><body><a href='/old'>old</a> <a href='/gone'>gone</a> some words</body></html>"
    graph = graph_from(
        [
            _stored("http://a.th/", page),
            _stored("http://a.th/", b"another day"),
            _stored("http://a.th/old", b"", 301, (("Location", "/"),)),
            _stored("http://a.th/broken", b"", 500),
        ],
        "th",
    )
    assert [graph.url(number) for number in range(len(graph))] == ["http://a.th/", "http://a.th/old"]
    assert graph.status.tolist() == [OK, 301]
    assert graph.moved.tolist() == [-1, 0]
    assert graph.targets[graph.links(0)].tolist() == [1]
    assert graph.anchor(0) == "old"


def test_a_folder_of_warc_files_becomes_a_graph_file(thai_world: World, tmp_path: Path) -> None:
    pages = _site(thai_world)[:8]
    archive = tmp_path / "collection" / "archive"
    with WarcWriter(archive) as writer:
        for page in pages:
            writer.write(
                Capture(
                    thai_world.url(page), 200, "OK", [("Content-Type", "text/html")], write_page(thai_world, page).body
                )
            )
    out = tmp_path / "web.db"
    result = CliRunner().invoke(app, ["graph", "--from", str(tmp_path / "collection"), "-o", str(out)])
    assert result.exit_code == 0, result.output
    graph = read_graph(out, "th")
    assert {graph.url(number) for number in range(len(graph))} == {thai_world.url(page) for page in pages}


def test_what_has_no_page_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no HTML page"):
        graph_from([], "th")
    with pytest.raises(InputError, match="no WARC file"):
        list(captures_of([tmp_path / "absent"]))
