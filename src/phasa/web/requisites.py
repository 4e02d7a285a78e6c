"""What a document needs to be seen: pictures, styles, scripts, fonts and frames, as HTML and CSS name them.

Called in the sandbox, like everything that reads what strangers wrote. Expressions are linear in the text: what was
matched once is not tried again (possessive repetition).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from turbohtml import Element

from phasa.web import charset, url
from phasa.web.limits import Limits
from phasa.web.url import Url

WANTED = (
    "img,source,input[src],script[src],iframe[src],frame[src],embed[src],object[data],video[poster],link[href],"
    "image,use,style,[style],[background]"
)
"""The elements that name requisites, as a selector."""

_ADDRESSES = {
    "img": ("src",),
    "source": (),  # its src is film or sound
    "input": ("src",),
    "script": ("src",),
    "iframe": ("src",),
    "frame": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "video": ("poster",),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
}
_RELATIONS = frozenset(("stylesheet", "icon", "apple-touch-icon", "mask-icon", "modulepreload"))
_PRELOADED = frozenset(("style", "script", "image", "font"))
_CSS = re.compile(
    r"""(?:url\(\s*+(?:"([^"\n]*+)"|'([^'\n]*+)'|([^)\s"']*+))|@import\s++(?:"([^"\n]*+)"|'([^'\n]*+)'))""",
    re.IGNORECASE,
)


def named_in_tree(elements: Iterable[Element], base: Url, limits: Limits) -> list[Url]:
    """The requisites that the elements of a document (`WANTED`) name, each once, in their order."""
    return _bounded((raw for element in elements for raw in _of(element)), base, limits)


def named_in_css(body: bytes | str, base: Url, limits: Limits) -> list[Url]:
    """The further sheets, pictures and fonts that a style sheet at `base` names, each once."""
    text = charset.decode(body[: limits.page_characters]).text if isinstance(body, bytes) else body
    return _bounded(_in_css(text[: limits.page_characters]), base, limits)


def srcset(value: str) -> list[str]:
    """The addresses of a srcset attribute, without their widths. A comma inside of an address needs no escape there:
    what follows a comma and a blank is another one."""
    return [words[0] for part in re.split(r",\s", f"{value.strip()}, ") if (words := part.split())]


def _of(element: Element) -> Iterator[str]:
    tag = element.tag
    for name in _ADDRESSES.get(tag, ()):
        yield element.attr(name) or ""
    if tag in ("img", "source"):
        yield from srcset(element.attr("srcset") or "")
    elif tag == "link":
        relations = (element.attr("rel") or "").lower().split()
        preloads = "preload" in relations and (element.attr("as") or "").lower() in _PRELOADED
        if preloads or not _RELATIONS.isdisjoint(relations):
            yield element.attr("href") or ""
    elif tag == "style":
        yield from _in_css(element.text)
    yield element.attr("background") or ""
    if style := element.attr("style"):
        yield from _in_css(style)


def _in_css(text: str) -> Iterator[str]:
    for found in _CSS.finditer(_without_comments(text)):
        yield next((group for group in found.groups() if group), "")


def _without_comments(text: str) -> str:
    parts, at = [], 0
    while (start := text.find("/*", at)) >= 0:
        parts.append(text[at:start])
        end = text.find("*/", start + 2)
        if end < 0:
            return "".join(parts)
        at = end + 2
    return "".join([*parts, text[at:]])


def _bounded(raws: Iterable[str], base: Url, limits: Limits) -> list[Url]:
    found: dict[Url, None] = {}
    room = limits.link_bytes
    for raw in raws:
        raw = raw.strip()
        if not raw or raw[0] == "#" or raw[:5].lower() == "data:" or len(raw) > 8 * limits.url_length:
            continue
        target = url.join(base, raw)
        if target is None or target in found or len(target) > limits.url_length:
            continue
        room -= len(target)
        if room < 0 or len(found) >= limits.links_per_page:
            break
        found[target] = None
    return list(found)
