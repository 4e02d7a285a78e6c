"""Bytes to text: which encoding a document is really in, and why we think so.

What a server or a page declares is a claim, not a fact. In this order: a byte order mark; the pattern of 16- or 32-bit
characters; valid UTF-8, which other encodings practically never are by chance; then the claims of header and page and
the statistics of the bytes (`charset_model`) together. A claim wins unless the bytes speak clearly against it, so a
page that says ISO-8859-1 and is in windows-874 comes out as Thai.
"""

from __future__ import annotations

import codecs
import re
from encodings.aliases import aliases
from functools import lru_cache
from typing import NamedTuple

from phasa.web.charset_model import MULTI, Fit, multi_byte_fits, single_byte_fits

# Python knows the encoding of Thai Windows only under its other name.
aliases.setdefault("windows_874", "cp874")

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META = re.compile(rb"""<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_HEADER = re.compile(r"""charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_LOOK = 4096  # bytes searched for a declaration, and for the pattern of wide characters

_CONTROL = bytes(byte for byte in range(32) if byte not in (9, 10, 12, 13, 27))

# Labels whose bytes are read as a superset, as browsers do (WHATWG Encoding). Keys without dash and underscore.
_SUPERSETS = {
    "ascii": "cp1252", "usascii": "cp1252", "iso88591": "cp1252", "latin1": "cp1252", "ansi": "cp1252",
    "tis620": "cp874", "iso885911": "cp874", "windows874": "cp874", "thai": "cp874", "tis6202533": "cp874",
    "iso88599": "cp1254", "latin5": "cp1254", "iso88598i": "cp1255", "iso88598": "cp1255",
    "gb2312": "gb18030", "gbk": "gb18030", "xgbk": "gb18030", "cp936": "gb18030", "windows936": "gb18030",
    "big5": "big5hkscs", "xxbig5": "big5hkscs", "cnbig5": "big5hkscs", "cp950": "big5hkscs",
    "shiftjis": "cp932", "sjis": "cp932", "xsjis": "cp932", "windows31j": "cp932", "mskanji": "cp932",
    "euckr": "cp949", "ksc56011987": "cp949", "korean": "cp949", "windows949": "cp949",
    "koi8u": "koi8_u", "koi8ru": "koi8_u", "xmaccyrillic": "mac_cyrillic", "xeucjp": "euc_jp",
}  # fmt: skip
_NAMES = {
    "big5hkscs": "big5", "cp932": "shift_jis", "euc_jp": "euc-jp", "cp949": "euc-kr", "cp866": "ibm866",
    "cp855": "ibm855", "mac_cyrillic": "x-mac-cyrillic", "koi8_r": "koi8-r", "koi8_u": "koi8-u",
}  # fmt: skip

# The languages of the models by the code that a hint uses.
_HINTS = {"th": "tha", "fa": "pes", "ar": "arb", "he": "heb", "ru": "rus", "el": "ell", "tr": "tur", "vi": "vie"}

# Bits per byte that a claim or a hint is worth, and the bits that it is worth once: little text leaves it the say.
_CLAIM = (1.0, 30.0)
_HINT = (0.2, 10.0)
_FITS = 5.0  # bits per byte: a single-byte model below this needs no comparison with multi-byte encodings

_NOTHING = 8.0  # bits per byte: no better than chance


class Decoded(NamedTuple):
    """The text, the encoding it was read with, and what spoke for it."""

    text: str
    charset: str
    evidence: str


def decode(body: bytes, header: str | None = None, hint: str | None = None) -> Decoded:
    """The text of `body`. `header` is the Content-Type value, `hint` a language code. Never raises."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return Decoded(body[len(mark) :].decode(name, "replace"), name, "byte order mark")
    if wide := _wide(body[:_LOOK], len(body)):
        return Decoded(body.decode(wide, "replace"), wide, "pattern of wide characters")
    if body.isascii():
        return _ascii(body)
    try:
        return Decoded(body.decode("utf-8"), "utf-8", "valid utf-8")
    except UnicodeDecodeError as problem:
        # Cut within its last character; but a lone byte at the end of ASCII is no UTF-8.
        cut = problem.reason == "unexpected end of data" and not body[: problem.start].isascii()
        if cut:
            return Decoded(body.decode("utf-8", "replace"), "utf-8", "valid utf-8, cut")
    if _mostly_utf8(body):
        return Decoded(body.decode("utf-8", "replace"), "utf-8", "mostly valid utf-8")
    return _judged(body, _claims(body, header), (hint or "").partition("-")[0].lower())


def declared(body: bytes, header: str | None = None) -> str:
    """The first encoding that header or page claim, as they write it; empty when they are silent."""
    found = _HEADER.search(header or "")
    if found:
        return found[1]
    meta = _META.search(body[:_LOOK])
    return meta[1].decode("ascii", "replace") if meta else ""


def _ascii(body: bytes) -> Decoded:
    if b"\x1b" in body and (b"\x1b$" in body or b"\x1b(" in body):
        name = "iso2022_kr" if b"\x1b$)C" in body else "iso2022_jp"
        text = body.decode(name, "replace")
        if text.count("\ufffd") * 20 < len(text):
            return Decoded(text, "iso-2022-" + name[-2:], "escape sequences")
    return Decoded(body.decode("ascii"), "utf-8", "ascii")


def _wide(sample: bytes, length: int) -> str | None:
    """UTF-16 or UTF-32 without a mark: one byte of each character is a control, zero or the number of a script."""
    if len(sample.translate(None, _CONTROL)) == len(sample):
        return None
    if length % 4 == 0 and len(sample) >= 8:
        if not any(sample[3::4]) and max(sample[2::4]) <= 0x10:
            return "utf-32-le"
        if not any(sample[0::4]) and max(sample[1::4]) <= 0x10:
            return "utf-32-be"
    first, second = (_scripts(side) for side in (sample[0::2], sample[1::2]))
    if max(first, second) > 0.5 and min(first, second) < 0.5 * max(first, second):
        return "utf-16-be" if first > second else "utf-16-le"
    return None


def _scripts(side: bytes) -> float:
    """The share of the two commonest control bytes: near one where bytes are the number of a script."""
    counts = sorted(side.count(byte) for byte in _CONTROL)
    return sum(counts[-2:]) / len(side) if side else 0.0


def _mostly_utf8(body: bytes) -> bool:
    """A UTF-8 page with a few broken characters: far more good sequences than bad ones."""
    text = body[: 16 * 1024].decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = len(text) - len(text.encode("ascii", "ignore")) - bad
    return good > 20 * bad


def _claims(body: bytes, header: str | None) -> dict[str, str]:
    """Encodings that header and page claim and that the bytes have not disproved, with who claims them."""
    claims: dict[str, str] = {}
    found = _HEADER.search(header or "")
    meta = _META.search(body[:_LOOK])
    for label, source in (
        (found[1] if found else "", "header"),
        (meta[1].decode("ascii", "replace") if meta else "", "meta"),
    ):
        name = _codec(label) if label else None
        if name:
            claims[name] = f"{claims[name]}, {source}" if name in claims else source
    return claims


@lru_cache(maxsize=1024)
def _codec(label: str) -> str | None:
    """The codec for a label; None for labels that are unknown, not for text, or already ruled out (Unicode)."""
    key = re.sub("[^a-z0-9]", "", label.lower())
    if key in _SUPERSETS:
        return _SUPERSETS[key]
    try:
        name = codecs.lookup(label).name.replace("-", "_")
    except (LookupError, ValueError):
        return None
    known = name.startswith(("cp", "iso8859", "koi8", "mac_", "euc", "ptcp", "kz1048")) or name in MULTI
    return name if known else None


def _judged(body: bytes, claims: dict[str, str], hint: str) -> Decoded:
    """Claims, hint and statistics weighed in bits per byte."""
    fits, pairs = single_byte_fits(body, None if claims or hint else 1)
    if not fits or fits[0].bits > _FITS or any(name in MULTI for name in claims):
        fits = fits + multi_byte_fits(body)
    known = {fit.charset for fit in fits}
    # A claim that no model covers is believed if it decodes; it costs as much as a model that fits badly.
    fits += [Fit(name, "", 6.0) for name in claims if name not in known and _decodes(body, name)]
    pairs = max(pairs, 1)
    language = _HINTS.get(hint, "")

    def cost(fit: Fit) -> float:
        bits = fit.bits
        if fit.charset in claims:
            bits -= _CLAIM[0] + _CLAIM[1] / pairs
        if language and fit.language == language:
            bits -= _HINT[0] + _HINT[1] / pairs
        return bits

    best = min(fits, key=cost, default=Fit("cp1252", "", 0.0))
    if best.bits > _NOTHING and best.charset not in claims:
        return Decoded(body.decode("cp1252", "replace"), "windows-1252", "nothing fits; the web's default")
    statistics = f"byte statistics: {best.language or best.charset}, {best.bits:.1f} bits per byte"
    evidence = f"{claims[best.charset]}; {statistics}" if best.charset in claims else statistics
    return Decoded(body.decode(best.charset, "replace"), _name(best.charset), evidence)


def _decodes(body: bytes, name: str) -> bool:
    try:
        body.decode(name)
    except (UnicodeDecodeError, LookupError):
        return False
    return True


def _name(codec: str) -> str:
    """The name that the web uses for a codec."""
    if codec in _NAMES:
        return _NAMES[codec]
    if codec.startswith("cp125") or codec == "cp874":
        return "windows-" + codec[2:]
    return codec.replace("iso8859_", "iso-8859-").replace("_", "-")
