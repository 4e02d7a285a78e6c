"""Documents as they are replayed: every address in HTML and CSS becomes one under a prefix, nothing else changes.

Called in the sandbox, whose processor time bounds what a hostile document costs. Left out is what a document would do
to others, and what was meant for the live page: hints to connect somewhere, refreshes, policies, checksums.
"""

from __future__ import annotations

import re
from html import escape, unescape

from phasa.web import charset, url
from phasa.web.limits import Limits
from phasa.web.requisites import srcset
from phasa.web.url import Url

_PIECE = re.compile(r"<!--[\s\S]*?(?:-->|\Z)|<([a-zA-Z][^\s/>]*+)((?:[^>\"']|\"[^\"]*\"|'[^']*')*+)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([^\s\"'<>/=]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'<>`]++)))?")
_CSS = re.compile(
    r"""(url\(\s*+)(?:"([^"\n]*+)"|'([^'\n]*+)'|([^)\s"']*+))(\s*+\))|(@import\s++)(?:"([^"\n]*+)"|'([^'\n]*+)')""",
    re.IGNORECASE,
)
_RAW = frozenset(("script", "style", "textarea", "title", "xmp"))
_ADDRESSES = frozenset(("href", "src", "poster", "data", "background", "action", "formaction", "xlink:href"))
_LISTS = frozenset(("srcset", "imagesrcset"))
_LEFT_OUT = frozenset(("integrity", "crossorigin", "nonce", "ping"))
_HINTS = frozenset(("preconnect", "dns-prefetch", "prefetch", "prerender", "manifest"))
_SPEAKS_HTTP = frozenset(("refresh", "content-security-policy", "set-cookie"))
_OTHER_SCHEMES = ("#", "data:", "javascript:", "mailto:", "about:", "blob:", "tel:")


def rewrite_html(body: bytes, address: Url, header: str, prefix: str, limits: Limits) -> str:
    """An HTML document fetched from `address`, its addresses under the prefix. `header` is its Content-Type."""
    return _Document(address, prefix).rewritten(charset.decode(body[: limits.decoded_bytes], header or None).text)


def rewrite_css(body: bytes, address: Url, header: str, prefix: str, limits: Limits) -> str:
    """A style sheet fetched from `address`, its addresses under the prefix."""
    return _Document(address, prefix).css(charset.decode(body[: limits.decoded_bytes], header or None).text)


class _Document:
    def __init__(self, base: Url, prefix: str) -> None:
        self._base, self._prefix, self._based = base, prefix, False

    def rewritten(self, text: str) -> str:
        out: list[str] = []
        at = 0
        while (found := _PIECE.search(text, at)) is not None:
            out.append(text[at : found.start()])
            at = found.end()
            if found[1] is None:
                out.append(found[0])
                continue
            name = found[1].lower()
            out.append(self._tag(found[1], name, found[2]))
            if name in _RAW:
                end = re.compile(rf"</{name}", re.IGNORECASE).search(text, at)
                stop = end.start() if end is not None else len(text)
                out.append(self.css(text[at:stop]) if name == "style" else text[at:stop])
                at = stop
        return "".join([*out, text[at:]])

    def css(self, text: str) -> str:
        def moved(found: re.Match[str]) -> str:
            if found[6]:
                return f'{found[6]}"{self._moved(found[7] or found[8] or "")}"'
            raw = found[2] or found[3] or found[4] or ""
            return f'{found[1]}"{self._moved(raw)}"{found[5]}'

        return _CSS.sub(moved, text)

    def _tag(self, written: str, name: str, rest: str) -> str:
        attributes = [
            (found[1], unescape(next((group for group in found.groups()[1:] if group is not None), "")))
            for found in _ATTRIBUTE.finditer(rest)
        ]
        known = {key.lower(): value for key, value in reversed(attributes)}
        if name == "base":
            if "href" in known and not self._based:
                self._based, self._base = True, url.join(self._base, known["href"].strip()) or self._base
            return ""
        if name == "meta" and known.get("http-equiv", "").strip().lower() in _SPEAKS_HTTP:
            return ""
        if name == "link" and not _HINTS.isdisjoint(known.get("rel", "").lower().split()):
            return ""
        kept = "".join(self._attribute(key, value) for key, value in attributes if key.lower() not in _LEFT_OUT)
        return f"<{written}{kept}{' /' if rest.rstrip().endswith('/') else ''}>"

    def _attribute(self, key: str, value: str) -> str:
        lower = key.lower()
        if lower in _ADDRESSES:
            value = self._moved(value)
        elif lower in _LISTS:
            sizes = [part.split(None, 1)[1:] for part in re.split(r",\s", value.strip() + ", ") if part.split()]
            value = ", ".join(
                " ".join([self._moved(one), *size]) for one, size in zip(srcset(value), sizes, strict=True)
            )
        elif lower == "style":
            value = self.css(value)
        elif lower == "srcdoc":
            value = _Document(self._base, self._prefix).rewritten(value)
        return f' {key}="{escape(value)}"'

    def _moved(self, raw: str) -> str:
        plain = raw.strip()
        if not plain or plain.lower().startswith(_OTHER_SCHEMES):
            return raw
        target = url.join(self._base, plain)
        _, mark, fragment = plain.partition("#")
        return f"{self._prefix}{target}{mark}{fragment}" if target is not None else raw
