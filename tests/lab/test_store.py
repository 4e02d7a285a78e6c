"""Graphs on disk, and the folder of real home pages."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from phasa.errors import InputError
from phasa.lab.homepages import aimed_at, read_homepages
from phasa.lab.store import read_graph, write_graph
from phasa.lab.world import World


def test_a_stored_graph_is_the_graph(thai_world: World, tmp_path: Path) -> None:
    graph = thai_world.graph
    write_graph(graph, tmp_path / "web.db")
    again = read_graph(tmp_path / "web.db", "th")
    assert len(again) == len(graph)
    for column in ("offsets", "targets", "status", "moved"):
        assert np.array_equal(getattr(again, column), getattr(graph, column)), column
    assert np.array_equal(again.wanted, graph.wanted)
    for page in range(0, len(graph), 611):
        assert again.url(page) == graph.url(page)
        assert again.find(graph.url(page)) == page
        assert again.languages[again.language[page]] == graph.languages[graph.language[page]]
    assert [again.anchor(link) for link in range(500)] == [graph.anchor(link) for link in range(500)]


def test_the_tables_have_the_names_of_the_specification(thai_world: World, tmp_path: Path) -> None:
    write_graph(thai_world.graph, tmp_path / "web.db")
    with sqlite3.connect(tmp_path / "web.db") as store:
        (nodes,) = store.execute("SELECT count(*) FROM wgnode").fetchone()
        (links,) = store.execute("SELECT count(*) FROM wglinks").fetchone()
        (folder,) = store.execute("SELECT repo_dir FROM wgnode WHERE id = 0").fetchone()
    assert (nodes, links) == (len(thai_world.graph), len(thai_world.graph.targets))
    assert folder == thai_world.styles[0].host.replace(".", "-")


def test_what_is_no_graph_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no web graph"):
        read_graph(tmp_path / "absent", "th")
    (tmp_path / "text").write_text("hello" * 300)
    with pytest.raises(InputError, match="not a web graph"):
        read_graph(tmp_path / "text", "th")


def test_a_graph_for_another_language_is_refused(thai_world: World, tmp_path: Path) -> None:
    write_graph(thai_world.graph, tmp_path / "web.db")
    with pytest.raises(InputError, match="--lang th"):
        read_graph(tmp_path / "web.db", "fa")


def _homepages(folder: Path, nodes: str, edges: str) -> Path:
    (folder / "nodes.tsv.gz").write_bytes(gzip.compress(nodes.encode()))
    (folder / "edges.tsv.gz").write_bytes(gzip.compress(edges.encode()))
    return folder


def test_home_pages_become_a_graph(tmp_path: Path) -> None:
    _homepages(tmp_path, "0\ta.ir\tfa\tutf-8\t10\n2\tb.com\ten\t\t10\n5\tc.org\t\tutf-8\t9\n", "0\t2 5\n5\t0\n")
    graph = read_homepages(tmp_path, "fa")
    assert [graph.url(page) for page in range(3)] == ["http://a.ir/", "http://b.com/", "http://c.org/"]
    assert graph.targets[graph.links(0)].tolist() == [1, 2]
    assert graph.targets[graph.links(2)].tolist() == [0]
    assert graph.wanted.tolist() == [True, False, False]
    assert graph.languages[graph.language[2]] == "und"
    assert aimed_at(graph, "en").wanted.tolist() == [False, True, False]
    with pytest.raises(InputError, match="no page of the graph"):
        read_graph(tmp_path, "th")


@pytest.mark.parametrize(("nodes", "edges"), [("x\ta\tfa\t\t1\n", ""), ("0\ta.ir\tfa\tutf-8\t10\n", "0\t7\n")])
def test_broken_home_pages_are_refused(tmp_path: Path, nodes: str, edges: str) -> None:
    with pytest.raises(InputError, match="line 1"):
        read_homepages(_homepages(tmp_path, nodes, edges), "fa")


@pytest.mark.data
def test_the_real_graph_loads(data: Path) -> None:
    graph = read_graph(data / "webgraph-homepages2018", "fa")
    assert len(graph) == 184322
    assert len(graph.targets) == 479606
    assert int(graph.wanted.sum()) == 2864
