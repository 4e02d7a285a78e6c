"""A body as a crawl reads it, in one call: unpacked, decoded, a page or a sitemap; cut ones as far as they go."""

from __future__ import annotations

import gzip

from phasa.web.body import BodyReading, read_body
from phasa.web.html import unpack
from phasa.web.limits import Limits
from phasa.web.url import Url

HERE = Url("http://a.example/")
PAGE = "".join(f"<p>{number} {hash(number) * 7919 % 104_729}<a href=/{number}>x</a>" for number in range(2000)).encode()


def read(wire: bytes, encoding: str = "gzip", header: str = "text/html", *, whole: bool = True) -> BodyReading:
    return read_body(wire, encoding, HERE, header, None, Limits(), whole)


def test_a_packed_page_is_read() -> None:
    found = read(gzip.compress(PAGE))
    assert found.page is not None
    assert found.problem == ""
    assert len(unpack(found.page).links) == 2000


def test_a_packed_page_that_was_cut_is_read_as_far_as_it_came() -> None:
    packed = gzip.compress(PAGE)
    found = read(packed[: len(packed) // 2], whole=False)
    assert found.problem == ""
    assert found.page is not None
    assert 0 < len(unpack(found.page).links) < 2000
    # What came broken for want of its end is no fault of the packing.
    broken = packed[:-6] + b"\0" * 6  # its checksum and its length
    assert read(broken).problem == "bad_encoding"
    found = read(broken, whole=False)
    assert found.problem == ""
    assert found.page is not None


def test_what_cannot_be_unpacked_is_no_page() -> None:
    packed = bytearray(gzip.compress(PAGE))
    packed[len(packed) // 2] ^= 255
    assert read(bytes(packed)) == BodyReading(problem="bad_encoding")
    assert read(gzip.compress(bytes(30_000_000))) == BodyReading(problem="bomb")


def test_a_body_that_is_too_large_is_read_up_to_there() -> None:
    found = read_body(PAGE, "", HERE, "text/html", None, Limits(decoded_bytes=1000), whole=True)
    assert found.page is not None
    packed = read_body(gzip.compress(PAGE), "gzip", HERE, "text/html", None, Limits(decoded_bytes=1000), whole=True)
    assert packed.problem == "too_large"
    assert packed.page is not None
    assert len(unpack(packed.page).links) < 100


def test_a_sitemap_is_told_from_a_page_and_from_everything_else() -> None:
    sitemap = b"<urlset><url><loc>http://a.example/x</loc></url></urlset>"
    assert read(sitemap, "", "application/xml") == BodyReading(listed=[Url("http://a.example/x")])
    assert read(sitemap, "", "text/html").page is not None
    assert read(b"%PDF-1.4", "", "application/pdf") == BodyReading()
