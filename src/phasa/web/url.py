"""Addresses: parsed, joined and normalised as browsers do it, and the names that a crawl derives from them.

The default form is the WHATWG one without its fragment: lower-case scheme and host, no default port, path at least
`/`, dot segments resolved. Unlike browsers do, the dot at the end of a host (`a.example.`) is dropped: it is the same
server, and would be crawled twice. Everything that is not http or https is no address for us. `thesis_form` is the
other form that a collection may choose, the seven rules of specs/language-specific-crawling.md §4.2.

can_ada parses about four times as fast as ada_url but follows an older text of the standard; the two differ only on
`^` in a path and on punycode hosts, and those go to ada_url.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from ipaddress import ip_address
from typing import NamedTuple, NewType, cast

import ada_url
import can_ada
from publicsuffixlist import PublicSuffixList

Url = NewType("Url", str)

_HTTP = ("http://", "https://")
_DEFAULT_PORT = {"http": 80, "https": 443}


class Parts(NamedTuple):
    """The four parts of an address (specs/language-specific-crawling.md §4.1)."""

    protocol: str
    server: str
    port: int
    path: str


def parse(raw: str) -> Url | None:
    """The normalised address that `raw` spells, or None when it spells no http(s) address."""
    try:
        href = str(can_ada.parse(raw).href)
    except (ValueError, TypeError):  # TypeError: a lone surrogate
        return _newer(raw)
    return _usable(href, raw)


def join(base: Url, raw: str) -> Url | None:
    """The normalised address that `raw` means on the page at `base`, or None when it is not usable."""
    try:
        href = str((_base(base) + raw).href)
    except (ValueError, TypeError):
        return _newer(raw, base)
    return _usable(href, raw, base)


_NUMBER = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_PLAIN_ORIGIN = re.compile(
    rf"https?://(?:(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*|{_NUMBER}(?:\.{_NUMBER}){{3}})"
    r"(?::(?!(?:80|443)$)(?:[1-9]\d{1,3}|[1-5]\d{4}))?"
)
_PLAIN = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&()*+,;=:@%/?\n"


@lru_cache(maxsize=4096)
def _is_plain_origin(origin: str) -> bool:
    """Whether scheme, host and port are spelled already as the standard would. The links of a page lead to few."""
    return _PLAIN_ORIGIN.fullmatch(origin) is not None and "xn--" not in origin


def _is_plain(text: str) -> bool:
    """Whether a path, or lines of them, is spelled already as the standard would: no character that is written in
    another way, no dot segments."""
    return text.isascii() and not text.encode().translate(None, _PLAIN) and "/." not in text and "/%2" not in text


def _are_whole(raws: list[str]) -> bool:
    """Whether all of some plain references are addresses with a plain origin and a path, so that nothing is missing."""
    try:
        origins = {raw[: raw.index("/", 8)] for raw in raws}
    except ValueError:
        return False
    return all(map(_is_plain_origin, origins))


def join_all(base: Url, raws: Iterable[str]) -> list[Url | None]:
    """`join` for many references on one page, in order. What is spelled already as the standard would needs no parser;
    as a rule, that is so of all references of a page, which are looked at together."""
    raws = list(raws)
    page, here = _base(base), base[: base.index("/", 8)]
    lines = "\n".join(raws)
    one_each = lines.count("\n") == len(raws) - 1
    all_plain = one_each and _is_plain(lines)
    if all_plain and _are_whole(raws):
        return cast("list[Url | None]", raws)
    known: dict[str, Url | None] = {}  # menus repeat themselves
    joined: list[Url | None] = []
    for raw in raws:
        if raw in known:
            joined.append(known[raw])
            continue
        target: Url | None
        if all_plain or (one_each and _is_plain(raw)):
            if raw.startswith(_HTTP):
                if (end := raw.find("/", 8)) > 0 and _is_plain_origin(raw[:end]):
                    joined.append(Url(raw))
                    continue
            elif raw[:1] == "/" != raw[1:2]:
                joined.append(Url(here + raw))
                continue
        try:
            href: str = (page + raw).href
        except (ValueError, TypeError):
            target = _newer(raw, base)
        else:
            # What needs no second look is by far the commonest.
            plain = href.startswith(_HTTP) and "#" not in href and "^" not in href and "xn--" not in href
            dotted = "./" in href or ".:" in href
            target = Url(href) if plain and not dotted else _usable(href, raw, base)
        known[raw] = target
        joined.append(target)
    return joined


def _usable(href: str, raw: str, base: Url | None = None) -> Url | None:
    if not href.startswith(_HTTP):
        return None
    if "^" in href or "xn--" in href:
        return _newer(raw, base)
    return _without_dot(href.partition("#")[0] if "#" in href else href)


def _newer(raw: str, base: Url | None = None) -> Url | None:
    """The same with the parser that follows the standard of today."""
    try:
        href = ada_url.URL(raw, base).href
    except ValueError:
        return None
    return _without_dot(str(href).partition("#")[0]) if href.startswith(_HTTP) else None


def _without_dot(href: str) -> Url:
    """The address without the one dot that its host ends in; a host with an empty label (`a..`) is no name of the DNS,
    and stays as it is."""
    if "./" not in href and ".:" not in href:
        return Url(href)
    name = host(Url(href))
    bare = name[:-1]
    if name[-1:] != "." or not bare or bare[-1] == ".":
        return Url(href)
    # Credentials may have the name in them: the host is what stands last in front of the path.
    start = href.index("://") + 3
    place = href.rindex(name, start, href.index("/", start))
    return Url(href[:place] + bare + href[place + len(name) :])


@lru_cache(maxsize=512)
def _base(base: Url) -> can_ada.URL | _Refusing:
    try:
        return can_ada.parse(base)
    except ValueError:
        # A host that only the newer standard accepts: every join on it is answered by `_newer`.
        return _Refusing()


class _Refusing:
    def __add__(self, raw: str) -> can_ada.URL:
        raise ValueError(raw)


def split(u: Url) -> Parts:
    """Protocol, server, port and path (with its query) of an address."""
    return Parts(u.partition(":")[0], host(u), port(u), path(u))


def authority(u: str) -> str:
    """Host and, where it is not the default, port: what one server is called. No credentials; '' without a scheme.

    By slicing: a strategy looks at millions of links and needs no full parser.
    """
    start = u.find("://")
    if start < 0:
        return ""
    end = u.find("/", start + 3)
    name = u[start + 3 :] if end < 0 else u[start + 3 : end]
    return name.rpartition("@")[2] if "@" in name else name


def host(u: Url) -> str:
    """The host name, lower-case, punycode; an IPv6 address keeps its brackets."""
    name = authority(u)
    if name[-1:] == "]":
        return name
    return name.rpartition(":")[0] if ":" in name else name


def port(u: Url) -> int:
    """The port, given or default."""
    name = authority(u)
    digits = name.rpartition(":")[2] if ":" in name and name[-1] != "]" else ""
    return int(digits) if digits else _DEFAULT_PORT[u.partition(":")[0]]


def path(u: Url) -> str:
    """Path and query, as a request line has them."""
    return "/" + u.split("/", 3)[3]


def origin(u: Url) -> str:
    """Scheme, host and port as one string: the border that credentials and robots rules do not cross."""
    return f"{u.partition(':')[0]}://{authority(u)}"


def without_credentials(u: Url) -> Url:
    """The address without `user:password@`."""
    if "@" not in u.split("/", 3)[2]:
        return u
    return Url(origin(u) + path(u))


def registered_domain(u: Url) -> str:
    """The domain that was registered (public suffix and one label); the host itself where there is none."""
    name = host(u)
    return private_suffix(name) or name


@lru_cache(maxsize=16_384)
def private_suffix(name: str) -> str | None:
    """The registered domain of a host name by the public suffix list; None for a suffix itself or an IP address."""
    if _is_address(name):
        return None
    return _suffixes().privatesuffix(name)


def tld_of(server: str) -> str:
    """The top-level domain of a host name, with or without a port: 'th' for 'www.ku.ac.th:8080'; '' for an address."""
    if server[:1] == "[":
        return ""
    label = server.partition(":")[0].rstrip(".").rpartition(".")[2]
    return "" if label.isdigit() else label


def segment_key(u: Url) -> str:
    """The website segment: the longest directory path (specs/segment-focused-crawling.md §4.1)."""
    bare = without_credentials(u).partition("?")[0]
    return bare[: bare.rindex("/") + 1]


_WWW = re.compile(r"\Awww\d*\.")
_SESSION = re.compile(
    r"(?:(?<=^)|(?<=&))(?:jsessionid=[0-9a-z]{32}|phpsessid=[0-9a-z]{32}|sid=[0-9a-z]{32}"
    r"|aspsessionid[a-z]{8}=[a-z]{24}|cfid=[^&]+&cftoken=[^&]+)(?:&|$)"
)
_PATH_SESSION = re.compile(r"/\((?:[a-z]\([0-9a-z]{24}\))+\)/|/\([0-9a-z]{24}\)/")


def surt(u: Url) -> str:
    """The sort-friendly key of the address, as web archives look it up: `th,ac,ku)/help.html?a=1`.

    The usual canonical form: `www.` and session identifiers dropped, all lower-case, query sorted, no slash at the
    end. Two addresses with the same key are taken for the same page by pywb and its kin.
    """
    end = u.index("/", 8)
    name = _surt_server(u[:end])
    where, _, query = u[end:].lower().partition("?")
    where = _plain_escapes(where)
    if "//" in where:
        where = re.sub("/{2,}", "/", where)
    if "/(" in where:
        where = _PATH_SESSION.sub("/", where)
    if len(where) > 1:
        where = where.rstrip("/") or "/"
    if query:
        query = _SESSION.sub("", _plain_escapes(query))
    if "&" in query:
        query = "&".join(sorted(query.split("&"), key=lambda pair: pair.partition("=")[::2]))
    return f"{name}){where}?{query}" if query else f"{name}){where}"


@lru_cache(maxsize=4_096)
def _surt_server(origin: str) -> str:
    """What the keys of a server's addresses begin with: `th,ac,ku`."""
    scheme, server, number, _ = split(Url(f"{origin}/"))
    name = _WWW.sub("", server, count=1) or server  # `www.` alone is a name like any other
    name = name.strip("[]") if name[:1] == "[" else ",".join(reversed(name.strip(".").split(".")))
    return name if number == _DEFAULT_PORT[scheme] else f"{name}:{number}"


def _plain_escapes(text: str) -> str:
    """Percent escapes of printable ASCII undone, the rest left: what the canonical form of archives does."""
    if "%" not in text:
        return text
    while (once := re.sub("%25(?=[0-9a-f]{2})", "%", text)) != text:
        text = once
    return re.sub("%[0-9a-f]{2}", _plain_escape, text)


def _plain_escape(match: re.Match[str]) -> str:
    character = chr(int(match[0][1:], 16))
    return character.lower() if "!" <= character <= "~" and character not in "#%" else match[0]


# RFC 1738 calls these unsafe; the WHATWG form leaves them bare in a path or a query.
_UNSAFE = re.compile(r"[~|\[\]^`{}\"<>\\]")


def thesis_form(u: Url) -> Url:
    """The address by the seven rules of specs/language-specific-crawling.md §4.2; idempotent.

    Rules 1, 2, 4 and 7 (case, fragment, empty path, port 80) are those of the default form. Rule 6 is taken as printed:
    a path segment `...` is deleted (§9.2, A9).
    """
    where, mark, query = path(u).partition("?")
    where, query = (_UNSAFE.sub(lambda m: f"%{ord(m[0]):02X}", text) for text in (where, query))
    segments = where.split("/")
    segments = [segment for segment in segments[:-1] if segment != "..."] + segments[-1:]
    if segments[-1] in ("index.html", "index.htm") and not mark:
        segments[-1] = ""
    return Url(origin(u) + ("/".join(segments) or "/") + mark + query)


def _is_address(name: str) -> bool:
    if name[:1] == "[":
        return True
    if not name[-1:].isdigit():
        return False
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()
