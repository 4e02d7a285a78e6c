"""From an exchange over real HTTP to records: what went over the wire is what is kept."""

from __future__ import annotations

import asyncio
import base64
import gzip
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.archive.captures import warcio_says_fine
from warcio.archiveiterator import ArchiveIterator

from phasa.archive.capture import base32, captures_of
from phasa.archive.reader import read_archive
from phasa.archive.warc import WarcWriter
from phasa.web.exchange import Exchange
from phasa.web.fetch import Fetcher
from phasa.web.url import parse

PACKED = gzip.compress("<p>ภาษาไทย".encode())
ANSWERS = {
    "/": b"HTTP/1.1 302 Found\r\nLocation: /page\r\nContent-Length: 4\r\n\r\ngone",
    "/page": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nSet-Cookie: a=1\r\n"
    b"Set-Cookie: b=2\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(PACKED), PACKED),
}


async def fetch_from_a_real_server() -> Exchange:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            while (await reader.readline()).strip():
                pass
            writer.write(ANSWERS[line.split()[1].decode()])
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server, Fetcher(user_agent="phasa-test", allow_private=True) as fetcher:
        url = parse(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")
        assert url
        return await fetcher.fetch(url)


def test_redirect_and_page_are_kept_as_they_came(tmp_path: Path) -> None:
    exchange = asyncio.run(fetch_from_a_real_server())
    assert exchange.ok
    with WarcWriter(tmp_path) as writer:
        for capture in captures_of(exchange, (("language", "th"),)):
            writer.write(capture)
    (file,) = tmp_path.glob("*.warc.gz")
    assert warcio_says_fine(file)
    moved, page = read_archive(tmp_path)
    assert (moved.status, moved.body) == (302, b"gone")
    assert page.status == 200
    assert page.body == PACKED  # de-chunked, still packed
    assert page.content.decode() == "<p>ภาษาไทย"
    assert [value for name, value in page.headers if name == "Set-Cookie"] == ["a=1", "b=2"]
    with file.open("rb") as stream:
        kinds = [(record.rec_type, record.http_headers) for record in ArchiveIterator(stream)]
    with file.open("rb") as stream:
        raw = ArchiveIterator(stream, no_record_parse=True)
        asked = [record.raw_stream.read() for record in raw if record.rec_type == "request"]
    assert asked == [hop.request_head for hop in exchange.hops]
    assert [kind for kind, _ in kinds] == ["warcinfo", "request", "response", "request", "response", "metadata"]
    assert kinds[3][1].get_header("User-Agent") == "phasa-test"
    assert "/page" in kinds[3][1].statusline


@given(st.binary(min_size=20, max_size=20))
def test_base32_is_the_standard_one(digest: bytes) -> None:
    assert base32(digest) == base64.b32encode(digest).decode()
