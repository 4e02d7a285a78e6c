"""The whole hostile server in one go, in a process of its own: an outcome for everything, memory under 200 MB."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from tests.hostile.server import MISDEEDS, HostileServer, brotli_bomb, gzip_bomb, zstd_bomb


async def test_every_misdeed_ends_in_time_and_in_little_memory() -> None:
    for make in (gzip_bomb, brotli_bomb, zstd_bomb):
        make()
    redirects = [
        "/to?where=http://127.0.0.1:1/",
        "/to?where=http://[::ffff:10.0.0.1]:1/",
        "/to?where=file:///etc/passwd",
    ]
    paths = [path for path in MISDEEDS if path != "/to"] + redirects
    async with HostileServer(pause=0.2) as server:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.hostile.victim", str(server.port), *paths,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2],
        )  # fmt: skip
        out, err = await process.communicate()
    assert process.returncode == 0, err.decode()[-2000:]
    report = json.loads(out)
    assert set(report["outcomes"]) == set(paths)
    assert report["megabytes"] < 200, report
    ends = {path: outcome for path, (outcome, *_) in report["outcomes"].items()}
    assert ends["/deep"] == "ok"
    assert ends["/gzip-bomb"] == ends["/million-links"] == ends["/endless"] == "too_large"
    assert ends["/drip"] == "too_slow"
    assert ends["/to?where=file:///etc/passwd"] == "bad_redirect"
    assert report["outcomes"]["/deep"][2] == 1
    assert report["outcomes"]["/million-links"][2] == 5000
