"""`phasa learn topic|dictionary|predictor`: one command each, and errors in one line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from phasa.cli.learn import app
from phasa.crawl.segments.dictionary import load_dictionary
from phasa.crawl.topics.topic import load_topic
from phasa.errors import InputError, PhasaError

ABOUT = "The island has a quiet beach, a small hotel and boat tours to the reef. We took the ferry to the temple."
OTHER = "The engine needs a new gearbox and the invoice for the repair was sent to the office with the tax form."


def run(*words: str) -> str:
    result = CliRunner().invoke(app, list(words), catch_exceptions=True)
    if isinstance(result.exception, PhasaError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    for name, text in (("about", ABOUT), ("other", OTHER)):
        (tmp_path / name).mkdir()
        for number in range(25):
            (tmp_path / name / f"{number}.html").write_text(f"<title>{number}</title><p>{text}</p>")
    return tmp_path


def test_a_topic_takes_one_command(folders: Path) -> None:
    file = folders / "tourism.topic"
    out = run(
        "topic", "-p", str(folders / "about"), "-n", str(folders / "other"), "-o", str(file),
        "--repeats", "1", "--must", "reef", "--json",
    )  # fmt: skip
    found = json.loads(out)
    assert (found["name"], found["positive"], found["negative"], found["g_mean"]) == ("tourism", 25, 25, 1.0)
    assert load_topic(file).must == ("reef",)


def test_a_topic_with_too_few_pages_says_so(folders: Path) -> None:
    one = str(folders / "about" / "1.html")
    with pytest.raises(InputError, match="only 1 positive examples"):
        run("topic", "-p", one, "-n", str(folders / "other"), "-o", str(folders / "t.topic"))


def test_a_list_with_something_else_than_addresses_is_named(folders: Path) -> None:
    (folders / "urls.txt").write_text("# mine\nnot an address\n")
    with pytest.raises(InputError, match=r"urls\.txt, line 2"):
        run("topic", "-p", str(folders / "urls.txt"), "-n", str(folders / "other"), "-o", str(folders / "t.topic"))


def test_a_dictionary_of_any_country_takes_one_command(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("Persepolis\nKoobideh kebab\n")
    (tmp_path / "votes.tsv").write_text("Nowruz\t1\t1\t0\nParis\t0\t0\t1\n")
    (tmp_path / "list.html").write_text('<a href="/a">Nowruz</a> <a href="/b">edit</a>')
    file = tmp_path / "iran.txt.zst"
    out = run(
        "dictionary", "--country", "IR", "--list", str(tmp_path / "mine.txt"), "--votes", str(tmp_path / "votes.tsv"),
        "--page", str(tmp_path / "list.html"), "-o", str(file), "--json",
    )  # fmt: skip
    made = load_dictionary(file)
    assert {"persepolis", "koobideh kebab", "nowruz", "isfahan"} <= made.terms
    assert not {"edit", "paris"} & made.terms
    assert json.loads(out)["terms"] == len(made) > 500


def test_a_collection_that_was_never_crawled_has_no_links(tmp_path: Path) -> None:
    from phasa.collection import Collection

    collection = Collection.create(tmp_path / "c", language="en")
    with pytest.raises(InputError, match="no link between segments"):
        run("predictor", str(collection.path))


def test_the_example_of_the_manual_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import subprocess
    import sys

    manual = (Path(__file__).parents[2] / "docs" / "segments.md").read_text(encoding="utf-8")
    script = next(block for block in re.findall(r"```sh\n(.*?)```", manual, re.DOTALL) if "seq 1 30" in block)
    source = Path(__file__).parents[2] / "src"
    script = script.replace("phasa learn", f"PYTHONPATH={source} {sys.executable} -m phasa learn")
    done = subprocess.run(["sh", "-e", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("G-mean 1.0000") == 2


def test_pages_in_another_language_are_named_when_too_few_are_left(tmp_path: Path) -> None:
    for folder in ("about", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "page.html").write_text("<p>โรงแรมในกรุงเทพมหานครมีห้องพักจำนวนมาก</p>", encoding="utf-8")
    words = ["topic", "-p", str(tmp_path / "about"), "-n", str(tmp_path / "other"), "-o", str(tmp_path / "t.topic")]
    outcome = CliRunner().invoke(app, words)
    assert "2 pages not in 'en' left out, see --lang" in str(outcome.exception)


def test_the_shipped_topic_is_what_its_command_makes_of_its_sources(tmp_path: Path) -> None:
    from phasa.crawl.topics.topic import find_topic

    run("topic", "--shipped", "thailand", "-o", str(tmp_path / "again.topic"))
    assert load_topic(tmp_path / "again.topic").encode() == find_topic("thailand", tmp_path).encode()
    with pytest.raises(InputError, match="there is thailand"):
        run("topic", "--shipped", "atlantis", "-o", str(tmp_path / "a.topic"))


def test_a_country_is_a_topic_without_a_page(tmp_path: Path) -> None:
    (tmp_path / "iran.txt").write_text("isfahan\npersepolis\nnowruz\n")
    words = ["--country", "IR", "--called", "iranian", "--dictionary", str(tmp_path / "iran.txt")]
    found = json.loads(run("topic", *words, "-o", str(tmp_path / "iran.topic"), "--json"))
    assert found["here"] > 30
    places = load_topic(tmp_path / "iran.topic").places
    assert places is not None
    assert places.probability("From Isfahan to Persepolis: a week in Iran") > 0.9
    assert places.probability("From Phuket to Krabi: a week in Thailand") < 0.5


def test_a_topic_of_nothing_says_what_is_needed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--country"):
        run("topic", "-o", str(tmp_path / "t.topic"))
