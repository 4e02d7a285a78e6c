"""Every file of a collection damaged in every way: a right answer, or clear words that name the file; never a
traceback, never a wrong answer without a word."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from tests.durability.kills import done_urls
from tests.durability.small_web import SmallWeb, collection_for, command, finish

from phasa.archive.cdxj import read_index
from phasa.archive.reader import read_archive
from phasa.collection import Collection
from phasa.crawl.run.crawl_log import read_log

PAGES = 60


class Made:
    """A collection that was crawled, its web still there, and what its commands say when nothing is damaged."""

    def __init__(self, path: Path, small: SmallWeb) -> None:
        self.path = path
        self.small = small
        self.right = {name: run(path, small, *words) for name, words in COMMANDS.items() if name != "crawl"}


COMMANDS: dict[str, tuple[str, ...]] = {
    "status": ("status", "DIR", "--json"),
    "why": ("why", "DIR", "http://h3.example/p/9.html", "--json"),
    "export": ("export", "DIR", "--to", "jsonl", "-o", "-"),
    "wacz": ("export", "DIR", "--to", "wacz", "-o", "DIR.wacz"),
    "crawl": ("crawl", "DIR", "--quiet"),
}


def run(path: Path, small: SmallWeb, *words: str) -> tuple[int, str, str]:
    code, out, err = finish(command(*(word.replace("DIR", str(path)) for word in words)))
    return code, out.replace(str(path), "DIR"), err


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    small = SmallWeb(PAGES, hosts=6)
    with small.serving():
        path = tmp_path_factory.mktemp("damage") / "c"
        collection = collection_for(path, small, near_duplicates="count", warc_megabytes=0.03)
        code, _, err = finish(command("crawl", collection.path, "--quiet"))
        assert code == 0, err
        yield Made(path, small)


def _flip(path: Path, share: float = 0.5) -> None:
    data = bytearray(path.read_bytes())
    data[int(len(data) * share)] ^= 0x10
    path.write_bytes(data)


def _zero_page(path: Path) -> None:
    data = bytearray(path.read_bytes())
    at = len(data) // 2 // 4096 * 4096
    data[at : at + 4096] = bytes(len(data[at : at + 4096]))
    path.write_bytes(data)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


WAYS: dict[str, Callable[[Path], object]] = {
    "emptied": lambda path: path.write_bytes(b""),
    "cut in half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "cut to one page": lambda path: path.write_bytes(path.read_bytes()[:4096]),
    "one bit flipped": _flip,
    "one bit flipped near the end": lambda path: _flip(path, 0.97),
    "one page zeroed": _zero_page,
    "garbage": lambda path: path.write_bytes(b"\x00\xffgarbage\n\xfe" * 500),
    "deleted": Path.unlink,
    "a folder": _folder,
}
FILES = (
    *("frontier.db", "archive/digests.db", "archive/index.cdxj", "crawl.log", "duplicates.db", "collection.toml"),
    *("seeds.txt", "control.json", "lock", "archive/WARC", "reports/live-00.json", "reports/history.jsonl"),
    *("frontier.db.seal", "archive/index.cdxj.seal"),
)


def file_of(path: Path, name: str) -> Path:
    if name == "archive/WARC":
        return sorted((path / "archive").glob("*.warc.gz"))[1]
    file = path / name
    if name == "control.json" and not file.exists():
        file.write_text('{"pages": 0}\n')
    return file


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_told_or_mended(made: Made, tmp_path: Path, name: str, way: str) -> None:
    path = tmp_path / "c"
    shutil.copytree(made.path, path)
    WAYS[way](file_of(path, name))
    results = in_one_process(path)
    for command_name in ("status", "why", "export", "wacz"):
        code, said, problem = results[command_name]
        right = made.right[command_name]
        assert code in (0, 1, 2)
        if code == 0:
            if command_name in ("why", "export"):
                assert said == right[1], f"{command_name}: silently wrong"
            elif command_name == "wacz":
                assert f": {PAGES} pages" in said
            else:
                assert msgspec.json.decode(said)["done"] == PAGES
        else:
            named = [line for line in problem.splitlines() if line.startswith("phasa: ") or "rror" in line]
            assert named, problem
            assert "/c" in named[0] or "wacz" in named[0], "the file is named"
    code, _, problem = results["crawl"]
    if code == 0:
        collection = Collection.open(path)
        assert done_urls(collection) >= made.small.urls()  # a seed that was changed is another one
        assert {line.url for line in read_log(collection.log_file)} >= made.small.urls(), "every line is there"
        stored = Counter(record.url for record in read_archive(collection.archive_folder))
        indexed = Counter(entry.url for entry in read_index(collection.archive_folder))
        # A crawl does not read old records: one that is damaged is told by whoever reads it.
        assert stored <= indexed if name == "archive/WARC" else stored == indexed
    else:
        assert code in (1, 2)
        assert str(path) in problem, problem


_ALL = """
import io, json, os, sys
from contextlib import redirect_stderr, redirect_stdout
from phasa.cli import main
results, path = {}, sys.argv[1]
for name, words in json.loads(sys.argv[2]).items():
    sys.argv = ["phasa", *(word.replace("DIR", path) for word in words)]
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    target = os.path.join(os.path.dirname(path), "out.jsonl")
    sys.argv = [target if word == "-" else word for word in sys.argv]
    code = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    said = out.buffer.getvalue().decode()
    if name == "export" and os.path.exists(target):
        said = open(target, encoding="utf-8").read()
    results[name] = (code, said.replace(path, "DIR"), err.buffer.getvalue().decode())
with open(path + ".said", "w") as file:  # not printed: the loop of a crawl leaves a pipe that takes what it can
    json.dump(results, file)
"""


def in_one_process(path: Path) -> dict[str, tuple[int, str, str]]:
    """All commands in one process, one after the other: most of a command's time is its start. What each said."""
    words = msgspec.json.encode(COMMANDS).decode()
    done = subprocess.run(
        [sys.executable, "-c", _ALL, str(path), words], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    results = msgspec.json.decode(Path(f"{path}.said").read_bytes(), type=dict[str, tuple[int, str, str]])
    assert not [err for _, _, err in results.values() if "Traceback" in err]
    return results


@pytest.mark.parametrize("name", ["frontier.db", "archive/index.cdxj", "crawl.log", "archive/WARC"])
def test_the_application_starts_or_says_why_not(made: Made, tmp_path: Path, name: str) -> None:
    path = tmp_path / "c"
    shutil.copytree(made.path, path)
    _flip(file_of(path, name))
    process = command("serve", path, "--port", "0")
    time.sleep(4.0)
    process.send_signal(signal.SIGINT)
    code, _, err = finish(process)
    assert "Traceback" not in err, err
    assert code in (0, 130) or str(path) in err


def test_repair_mends_what_is_derived(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "c"
    shutil.copytree(made.path, path)
    (path / "crawl.log").write_bytes((path / "crawl.log").read_bytes()[:1000])
    (path / "archive" / "index.cdxj").write_bytes(b"garbage\n")
    (path / "archive" / "digests.db").write_bytes(b"garbage" * 1000)
    (path / "duplicates.db").unlink()
    code, out, err = finish(command("repair", path, "--json"))
    assert code == 0, err
    mended = {Path(finding["file"]).name for finding in msgspec.json.decode(out)["repaired"]}
    assert mended == {"crawl.log", "index.cdxj", "digests.db", "duplicates.db"}
    asked = len(made.small.arrivals)
    for name, words in COMMANDS.items():
        code, out, err = run(path, made.small, *words)
        assert code == 0, err
        if name in ("why", "export"):
            assert out == made.right[name][1]
    assert len(made.small.arrivals) == asked, "nothing is asked for again"
    lines = [line.url for line in read_log(path / "crawl.log")]
    assert sorted(lines) == sorted(made.small.urls())


def test_a_lost_frontier_is_made_again_from_the_archive(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "c"
    shutil.copytree(made.path, path)
    (path / "frontier.db").unlink()
    code, _, err = finish(command("crawl", path, "--quiet"))
    assert (code, "phasa repair" in err) == (1, True), "a lost frontier is not begun again silently"
    code, _, err = finish(command("repair", path))
    assert (code, "--frontier" in err) == (1, True)
    code, _, err = finish(command("repair", path, "--frontier"))
    assert code == 0, err
    collection = Collection.open(path)
    assert done_urls(collection) == made.small.urls()
    asked = len(made.small.arrivals)
    code, _, err = finish(command("crawl", path, "--quiet"))
    assert code == 0, err
    assert len(made.small.arrivals) == asked


def test_one_flipped_byte_costs_one_page_and_the_exit_code(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "c"
    shutil.copytree(made.path, path)
    collection = Collection.open(path)
    entry = next(entry for entry in read_index(collection.archive_folder) if entry.url.endswith("/p/7.html"))
    warc = collection.archive_folder / entry.filename
    data = bytearray(warc.read_bytes())
    data[int(entry.offset) + int(entry.length) // 2] ^= 1
    warc.write_bytes(data)
    code, out, err = finish(command("export", path, "--to", "jsonl", "-o", tmp_path / "t.jsonl"))
    assert code == 1
    assert f"{warc}: damaged at byte {entry.offset}" in err
    assert f"{PAGES - 1} pages" in out
    code, out, err = finish(command("repair", path, "--json"))
    assert code == 1
    assert msgspec.json.decode(out)["damage"][0]["file"] == str(warc)


@pytest.mark.skipif(os.getuid() == 0 and shutil.which("setpriv") is None, reason="root may write everywhere")
def test_a_collection_that_may_not_be_written_can_be_read(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "c"
    shutil.copytree(made.path, path)
    for place in [path, *path.rglob("*")]:
        place.chmod(0o555 if place.is_dir() else 0o444)
    without_rights = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.getuid() == 0 else []

    def run_without_rights(*words: str | Path) -> tuple[int, str, str]:
        line = [*without_rights, sys.executable, "-m", "phasa", *map(str, words)]
        done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)
        return done.returncode, done.stdout, done.stderr

    asked: list[list[str | Path]] = [["status", path], ["why", path, "http://h3.example/p/9.html"]]
    asked += [["export", path, "--to", to, "-o", tmp_path / f"x.{to}"] for to in ("jsonl", "wacz")]
    for words in asked:
        code, said, err = run_without_rights(*words)
        assert code == 0, err
        if words[0] == "export":
            assert f"{PAGES} pages" in said
    for command_name in ("crawl", "repair"):
        code, _, err = run_without_rights(command_name, path)
        assert code == 1
        assert str(path) in err
        assert "Traceback" not in err
    for place in [path, *path.rglob("*")]:
        place.chmod(0o755)
