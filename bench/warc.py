"""WARC writing beside warcio: same pages, gzip, digests, one CPU. MB of page per CPU second and the ratio."""

from __future__ import annotations

import argparse
import io
import os
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from phasa.archive.capture import Capture
from phasa.archive.warc import WarcWriter

HEADERS = (("Content-Type", "text/html; charset=utf-8"), ("Server", "bench"))


def pages(data: Path) -> list[bytes]:
    with tarfile.open(data / "extract-trafilatura" / "html.tar.xz") as bundle:
        bodies = [file.read() for member in bundle if (file := bundle.extractfile(member))]
    # Three times over, each time a little different, so that fixed costs do not count and nothing is a duplicate.
    return [b"<!-- %d -->" % turn + body for turn in range(3) for body in bodies]


def ours(bodies: list[bytes], folder: Path) -> None:
    with WarcWriter(folder) as writer:
        for number, body in enumerate(bodies):
            writer.write(Capture(f"http://example.org/{number}", 200, "OK", HEADERS, body))


def warcio(bodies: list[bytes], folder: Path) -> None:
    with (folder / "w.warc.gz").open("wb") as out:
        writer = WARCWriter(out, gzip=True, warc_version="1.1")
        for number, body in enumerate(bodies):
            head = StatusAndHeaders("200 OK", list(HEADERS), protocol="HTTP/1.1")
            uri = f"http://example.org/{number}"
            writer.write_record(writer.create_warc_record(uri, "response", payload=io.BytesIO(body), http_headers=head))


def rate(write: Callable[[list[bytes], Path], None], bodies: list[bytes]) -> tuple[float, int]:
    """Best of three: MB of page per CPU second, and bytes written."""
    best, size = 0.0, 0
    for _ in range(3):
        with tempfile.TemporaryDirectory() as name:
            start = time.process_time()
            write(bodies, Path(name))
            best = max(best, sum(map(len, bodies)) / 1e6 / (time.process_time() - start))
            size = sum(file.stat().st_size for file in Path(name).glob("*.warc.gz"))
    return best, size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("PHASA_DATA", Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default), help="folder of the real data")
    data = parser.parse_args().data
    if not data.is_dir():
        print(f"skipped: no real data at {data}")
        return
    bodies = pages(data)
    peer, peer_size = rate(warcio, bodies)
    own, own_size = rate(ours, bodies)
    print(f"{len(bodies)} pages, {sum(map(len, bodies)) / 1e6:.1f} MB")
    print(f"warcio   {peer:6.1f} MB/s   {peer_size / 1e6:.2f} MB written")
    print(f"phasa    {own:6.1f} MB/s   {own_size / 1e6:.2f} MB written, digests, index and duplicate check included")
    print(f"ratio    {own / peer:6.2f}")


if __name__ == "__main__":
    main()
