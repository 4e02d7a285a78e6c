"""pywb replays what we write, byte for byte."""

from __future__ import annotations

import gzip
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.archive.captures import page

from phasa.archive.cdxj import merge
from phasa.archive.warc import WarcWriter

BODIES = {
    1: "<title>หน้าแรก</title><p>สวัสดี".encode(),
    2: "<p>ภาษาไทย".encode("tis-620"),
    3: bytes(range(256)) * 40,
    4: "<title>หน้าแรก</title><p>สวัสดี".encode(),  # the same as 1: a revisit
    5: b"<p>" + b"x" * 300_000,
}


@pytest.fixture(scope="module")
def wayback(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("pywb")
    with WarcWriter(root / "archive", rotate_bytes=4000) as writer:
        for number, body in BODIES.items():
            writer.write(page(number, body))
        packed = (("Content-Type", "text/html"), ("Content-Encoding", "gzip"))
        writer.write(page(6, gzip.compress(b"<p>packed"), headers=packed))
    merge(root / "archive")
    (root / "config.yaml").write_text(
        "collections:\n  web:\n    archive_paths: ./archive/\n    index_paths: ./archive/index.cdxj\n"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = shutil.which("wayback", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert command, "pywb is in the dev extra: pip install -e '.[dev]'"
    with (root / "log").open("w") as log:
        server = subprocess.Popen(
            [command, "-b", "127.0.0.1", "-p", str(port)], cwd=root, stdout=log, stderr=log,
            env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
        )  # fmt: skip
    try:
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/web/20261115120000id_/http://a.example.th/p"
    finally:
        server.terminate()
        server.wait(20)


def replay(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=30) as answer:
        return bytes(answer.read())


@pytest.mark.parametrize("number", BODIES)
def test_replayed_byte_for_byte(wayback: str, number: int) -> None:
    assert replay(f"{wayback}{number}") == BODIES[number]


def test_a_packed_body_replays_as_its_content(wayback: str) -> None:
    assert replay(f"{wayback}6") == b"<p>packed"
