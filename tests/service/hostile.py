"""Pages that try everything a page can try on the application that shows them."""

from __future__ import annotations

from urllib.parse import quote

from tests.service.stock import THAI, Piece, page

MARK = "document.title='OWNED'"
SCRIPT = f"<script>{MARK}</script>"
IMAGE = f'"><img src=x onerror="{MARK}">'
RLO, PDI = "\u202e", "\u2069"
LONG = "ยาว" * 350_000  # a megabyte and more
TITLES = (SCRIPT, IMAGE, f"invoice{RLO}fdp.exe", f"a{PDI}{PDI}b\u2066c\x00\x1b[2J", LONG, "{{ 7 * 7 }}", "\ud800 half")
PATHS = (
    f"/{quote(SCRIPT)}",
    f"/x?q={SCRIPT}",
    "/'onmouseover='" + MARK,
    "/%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E",
    f"/{RLO}gpj.exe",
    "/" + "a" * 1500,
    "/javascript:alert(1)",
)


def hostile_pieces() -> list[Piece]:
    """One page for each trick, in titles, texts, addresses, languages, charsets, media types and evidence."""
    pieces = []
    for number, (title, path) in enumerate(zip(TITLES, PATHS, strict=True)):
        shown = title.replace("<", "&lt;").replace(">", "&gt;")  # the page's own author escaped it: its text is the tag
        body = page(shown, *THAI, shown, f"{shown} {THAI[0]}")
        pieces.append(Piece(f"http://evil{number}.example.th{path}", body, evidence=_writable(title)))
    pieces.append(Piece(f"http://evil.example.th/l?{IMAGE}", page(SCRIPT, *THAI), language=SCRIPT, charset=IMAGE))
    pieces.append(Piece("http://evil.example.th/mime", "x", mime=f"text/{SCRIPT}", wanted=False))
    pieces.append(Piece("http://xn--l3cfo.example.th/", page("IDN", *THAI)))
    return pieces


def _writable(text: str) -> str:
    return text[:2000].encode("utf-8", "replace").decode()
