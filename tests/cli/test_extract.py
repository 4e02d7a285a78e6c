"""`phasa extract`: what scripts rely on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from tests.overview.pages import article, news_page


def run(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "phasa", "extract", *arguments], input=stdin, capture_output=True, check=False
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, list[str]]]:
    folder = tmp_path_factory.mktemp("pages")
    random = Random(11)
    made = []
    for number in range(4):
        paragraphs = article(random, paragraphs=3)
        path = folder / f"{number}.html"
        path.write_text(news_page(random, paragraphs, f"Title of page {number}", template_noise=True), encoding="utf-8")
        made.append((str(path), paragraphs))
    return made


def test_json_is_one_object_per_file_in_order(pages: list[tuple[str, list[str]]]) -> None:
    code, out, _ = run("--json", *(path for path, _ in pages))
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [row["file"] for row in rows] == [path for path, _ in pages]
    assert set(rows[0]) == {"file", "title", "text", "author", "date", "language", "elements", "kind"}
    assert rows[0]["title"] == "Title of page 0"
    assert rows[0]["language"] == "en"
    assert all(paragraph in rows[0]["text"] for paragraph in pages[0][1])
    assert "\n".join(element["text"] for element in rows[0]["elements"]) == rows[0]["text"]


def test_standard_input_gives_text(pages: list[tuple[str, list[str]]]) -> None:
    code, out, _ = run("-", stdin=Path(pages[0][0]).read_bytes())
    assert code == 0
    assert pages[0][1][0] in out


def test_a_bad_file_is_named_and_the_rest_goes_on(pages: list[tuple[str, list[str]]], tmp_path: Path) -> None:
    picture = tmp_path / "picture.html"
    picture.write_bytes(b"\x89PNG\r\n")
    code, out, err = run("--format", "json", str(picture), str(tmp_path / "absent.html"), pages[0][0])
    assert code == 1
    assert len(out.splitlines()) == 1
    assert [line.startswith("phasa: ") for line in err.splitlines()] == [True, True]
    assert "PNG" in err
    assert "no such file" in err


def test_matching_drops_what_repeats_from_page_to_page(pages: list[tuple[str, list[str]]]) -> None:
    files = [path for path, _ in pages]
    noise = "Readers of this site may write to the editor"
    assert noise in run("--method", "thesis", *files)[1]
    assert noise not in run("--method", "thesis", "--match", *files)[1]
    assert run("--match", "-")[0] == 1
