"""`phasa lab` with input that cannot be: one line that says what is wrong and what to do."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from phasa.cli.lab import app
from phasa.errors import PhasaError

BAD = [
    ("world x", "SEED:PAGES"),
    ("world 1:10", "at least"),
    ("world 1:99999999999", "at most"),
    ("world 1:1000 --lang xx", "there is one for"),
    ("graph -o {tmp}/g.db", "either --world"),
    ("graph -o {tmp}/none/g.db --world 1:600", "folder that exists"),
    ("graph -o {tmp}/g.db --from {tmp}/none", "no WARC file"),
    ("run", "either --world"),
    ("run --world abc", "SEED:PAGES"),
    ("run --world 3-1:1000", "FIRST-LAST"),
    ("run --world 1:1000 --seeds thai9", "known: thai1"),
    ("run --world 1:1000 --strategies hybrd", "did you mean 'hybrid'"),
    ("run --world 1:1000 --strategies lswc:reach=4", "options: "),
    ("run --world 1:1000 --strategies ,", "name some"),
    ("run --graph {tmp}/none", "no web graph"),
    ("run --graph {tmp}/text", "not a web graph"),
    ("reproduce persan", "did you mean 'persian'"),
    ("reproduce persian --seeds x", "SEED:PAGES"),
    ("serve 1", "SEED:PAGES"),
    ("serve 1:600 --port {port}", "--port 0"),
]


@pytest.mark.parametrize(("words", "advice"), BAD, ids=[words for words, _ in BAD])
def test_bad_input_is_told_with_advice(words: str, advice: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("this is no graph\n" * 100)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        line = words.format(tmp=tmp_path, port=taken.getsockname()[1])
        outcome = CliRunner().invoke(app, line.split())
    assert isinstance(outcome.exception, PhasaError)
    assert advice in str(outcome.exception)


@pytest.mark.parametrize("words", ["serve 1:600 --port 99999", "run --world 1:600 --pages 0", "run --every x"])
def test_values_out_of_range_are_refused_by_the_parser(words: str) -> None:
    assert CliRunner().invoke(app, words.split()).exit_code == 2


def test_one_crawl_has_no_interval(tmp_path: Path) -> None:
    words = ["run", "--world", "1:600", "--strategies", "bfs", "--pages", "50"]
    assert CliRunner().invoke(app, words).stdout.splitlines()[1].split()[2] == "–"
