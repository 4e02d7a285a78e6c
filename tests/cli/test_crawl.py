"""The commands crawl, status and why, from end to end, with good and bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.durability.small_web import SmallWeb, collection_for

from phasa.cli import main


def phasa(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    """Run a command in this process: (exit code, output, errors)."""
    import sys

    before, sys.argv = sys.argv, ["phasa", *map(str, words)]
    try:
        main()
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.argv = before
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def small() -> SmallWeb:
    return SmallWeb(30, hosts=4)


def test_crawl_status_and_why_tell_one_story(
    tmp_path: Path, small: SmallWeb, capsys: pytest.CaptureFixture[str]
) -> None:
    with small.serving():
        path = collection_for(tmp_path / "c", small).path
        code, out, _ = phasa(capsys, "crawl", path, "--pages", "10", "--quiet")
        assert code == 0
        assert "10 URLs done in all" in out
        assert "the limit of 10 pages is reached" in out
        code, out, _ = phasa(capsys, "crawl", path, "--pages", "5", "--quiet", "--json")
        numbers = json.loads(out)
        assert numbers["done"] == 15
        assert "coverage" not in numbers
        code, out, _ = phasa(capsys, "crawl", path, "--quiet")
        assert "30 URLs done in all" in out
    code, out, _ = phasa(capsys, "status", path, "--json")
    standing = json.loads(out)
    assert (standing["done"], standing["waiting"], standing["running"]) == (30, 0, False)
    assert standing["harvest"] == pytest.approx(20 / 30)
    assert "coverage" not in standing
    code, out, _ = phasa(capsys, "why", path, "HTTP://H3.example:80/p/7.html", "--json")
    told = json.loads(out)
    assert told["state"] == "done"
    assert told["found_on"][-1] == small.url(0)
    assert told["record"].partition(":")[0].endswith(".warc.gz")
    for report in ("hosts", "status", "mime", "languages", "seeds", "dropped"):
        code, out, _ = phasa(capsys, "status", path, "--report", report, "--json")
        assert code == 0
        assert isinstance(json.loads(out), list)
        assert (path / "reports" / f"{report}.tsv").is_file()
    assert len((path / "crawl.log").read_text().splitlines()) == 30
    assert "phasa_wanted_pages_total 20\n" in (path / "reports" / "metrics.prom").read_text()


def test_junk_among_the_seeds_is_reported_by_line_and_the_rest_is_used(
    tmp_path: Path, small: SmallWeb, capsys: pytest.CaptureFixture[str]
) -> None:
    with small.serving():
        seeds = [
            "# my seeds",
            "",
            "not an address",
            small.url(29),
            "ftp://x.example/",
            "h1.example/p/1.html",
            "http://[",
        ]
        path = collection_for(tmp_path / "c", small, seeds=seeds).path
        code, out, err = phasa(capsys, "crawl", path, "--quiet", "--pages", "2")
    assert code == 0
    assert "2 URLs done" in out
    assert f"{path / 'seeds.txt'}:3: passed over" in err
    assert ":5: passed over" in err
    assert ":7: passed over" in err
    assert err.count("passed over") == 3


def test_seeds_that_all_fail_give_reasons_and_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = SmallWeb(1, hosts=1)
    with small.serving():
        path = collection_for(
            tmp_path / "c", small, seeds=["http://a.example/", "http://b.example/private/x.html"]
        ).path
    code, _, err = phasa(capsys, "crawl", path, "--quiet")  # nobody serves any more
    assert code == 1
    assert "no page came" in err
    assert "http://a.example/: robots.txt: connect_error" in err


def test_no_seeds_at_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    phasa(capsys, "init", tmp_path / "c")
    code, _, err = phasa(capsys, "crawl", tmp_path / "c", "--quiet")
    assert code == 1
    assert "there are no seeds" in err


def test_private_addresses_are_not_reached_unless_allowed(
    tmp_path: Path, small: SmallWeb, capsys: pytest.CaptureFixture[str]
) -> None:
    with small.serving():
        seeds = [f"http://127.0.0.1:{small.port}/p/0.html"]
        path = collection_for(tmp_path / "c", small, seeds=seeds, allow_private=False, server="").path
        code, _, err = phasa(capsys, "crawl", path, "--quiet")
    assert code == 1
    assert not small.arrivals
    assert "blocked" in err


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("[politeness]\ndelai = 2\n", ["politeness.delai", "politeness.delay"]),
        ('stratgy = "bfs"\n', ["stratgy", "strategy"]),
        ("[budgets]\npages = -1\n", ["budgets.pages"]),
        ('[scope]\npatterns = ["("]\n', ["scope.patterns", "regular expression"]),
        ('strategy = "lswk"\n', ["lswk", "lswc"]),
        ('language = "xx"\n', ["xx"]),
        ('server = "nowhere"\n', ["server", "nowhere"]),
    ],
)
def test_typos_in_the_settings_are_named(
    tmp_path: Path, wrong: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    phasa(capsys, "init", tmp_path / "c")
    (tmp_path / "c" / "seeds.txt").write_text("http://a.example/\n")
    (tmp_path / "c" / "collection.toml").write_text(wrong)
    code, _, err = phasa(capsys, "crawl", tmp_path / "c", "--quiet")
    assert code == 1
    assert len(err.strip().splitlines()) == 1
    for word in words:
        assert word in err


def test_why_of_what_was_never_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    phasa(capsys, "init", tmp_path / "c")
    code, out, _ = phasa(capsys, "why", tmp_path / "c", "http://a.example/x.zip")
    assert code == 0
    assert "out of scope: file name extension .zip" in out
    code, _, err = phasa(capsys, "why", tmp_path / "c", "mailto:a@b.c")
    assert code == 1
    assert "not an http or https address" in err


def test_a_quarantine_can_be_seen_and_released(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = SmallWeb(1, hosts=1)
    with small.serving():
        seeds = [small.url(0), "http://h0.example/p/a/p/a/p/a/0.html"]
        path = collection_for(tmp_path / "c", small, seeds=seeds).path
        phasa(capsys, "crawl", path, "--quiet")
        _, out, _ = phasa(capsys, "status", path, "--quarantine", "--json")
        (row,) = json.loads(out)
        assert "'p/a'" in row["evidence"]
        _, _, err = phasa(capsys, "crawl", path, "--quiet", "--pages", "1", "--release", "h0.example")
        assert "1 quarantined URLs wait again" in err


def test_status_of_a_collection_that_was_not_crawled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    phasa(capsys, "init", tmp_path / "c")
    code, out, _ = phasa(capsys, "status", tmp_path / "c")
    assert code == 0
    assert "not crawled yet" in out
    code, _, err = phasa(capsys, "status", tmp_path / "c", "--report", "nonsense")
    assert code == 1
    assert "hosts, status, mime" in err


def test_two_workers_share_one_frontier(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = SmallWeb(60, hosts=8)
    with small.serving():
        path = collection_for(tmp_path / "c", small).path
        code, out, err = phasa(capsys, "crawl", path, "--quiet", "--workers", "2")
    assert code == 0, err
    assert "60 URLs done in all" in out
    pages = [f"{arrival.host}{arrival.path}" for arrival in small.arrivals if arrival.path != "/robots.txt"]
    assert len(pages) == len(set(pages)) == 60


def test_status_says_that_it_is_paused_and_how_to_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    phasa(capsys, "init", tmp_path / "c")
    phasa(capsys, "crawl", tmp_path / "c", "--pause")
    assert f"paused; go on with: phasa crawl {tmp_path / 'c'} --resume" in phasa(capsys, "status", tmp_path / "c")[1]


def test_why_names_the_address_that_was_nearly_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    phasa(capsys, "init", tmp_path / "c")
    code, _, err = phasa(capsys, "why", tmp_path / "c", "www.ku.ac.th/help.html")
    assert code == 1
    assert "did you mean http://www.ku.ac.th/help.html?" in err


def test_every_report_is_named_when_one_is_not_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    phasa(capsys, "init", tmp_path / "c")
    assert "dropped, segments" in phasa(capsys, "status", tmp_path / "c", "--report", "x")[2]
