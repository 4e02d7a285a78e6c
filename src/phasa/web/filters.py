"""Which addresses are worth asking for, judged by their spelling alone."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from msgspec import Meta

from phasa.settings import Settings
from phasa.web import url
from phasa.web.url import Url

# What is never a page: pictures, sound, film, archives, programs, fonts, style.
_NOT_PAGES = (
    "7z aac apk avi avif bin bmp bz2 cab css csv dat deb dmg doc docx eot epub exe flac flv gif gz ico ics iso jar "
    "jpeg jpg js json m4a m4v mid mkv mov mp3 mp4 mpeg mpg msi odp ods odt ogg ogv otf pdf png ppt pptx ps psd rar "
    "rm rpm rtf svg swf tar tgz tif tiff torrent ttf wasm wav webm webp wma wmv woff woff2 xls xlsx xz zip"
)
NOT_PAGES = tuple(_NOT_PAGES.split())
# The page types of specs/language-specific-crawling.md §4.3 "and so on".
_PAGES = "html htm xhtml shtml shtm asp aspx php php3 php4 php5 phtml jsp jspx cgi pl cfm do mv"
PAGES = tuple(_PAGES.split())

_EXTENSION = re.compile(r"\.([a-z0-9]{1,5})$")
_REPEATED = re.compile(r"(/[^/]+)\1{2,}(?=/|$)|(/[^/]+/[^/]+)\2{2,}(?=/|$)")

Refusal = Literal["", "length", "scheme", "extension", "query", "repeated path", "depth"]


class UrlFilter(Settings, frozen=True, kw_only=True):
    """Rules on the spelling of an address."""

    length: Annotated[int, Meta(gt=0, description="Longest address, in characters.")] = 2048
    schemes: Annotated[tuple[str, ...], Meta(description="Protocols that are followed.")] = ("http", "https")
    refuse: Annotated[tuple[str, ...], Meta(description="File extensions that are not asked for.")] = NOT_PAGES
    accept: Annotated[
        tuple[str, ...],
        Meta(description="File extensions that are asked for; addresses without one always are. Empty = all."),
    ] = ()
    query: Annotated[
        Literal["keep", "strip", "refuse"], Meta(description="What to do with the part after '?': keep, strip, refuse.")
    ] = "keep"
    depth: Annotated[int, Meta(gt=0, description="Most directories in a path.")] = 20
    repeated: Annotated[bool, Meta(description="Refuse paths that repeat a directory three times: traps.")] = True

    def refusal(self, u: Url) -> Refusal:
        """Why an address is not worth asking for; empty when it is."""
        if len(u) > self.length:
            return "length"
        if u.partition(":")[0] not in self.schemes:
            return "scheme"
        where, mark, _ = url.path(u).lower().partition("?")
        if mark and self.query == "refuse":
            return "query"
        found = _EXTENSION.search(where)
        if found and (found[1] in self.refuse or (self.accept and found[1] not in self.accept)):
            return "extension"
        if where.count("/") > self.depth:
            return "depth"
        return "repeated path" if self.repeated and _REPEATED.search(where) else ""

    def admit(self, u: Url) -> Url | None:
        """The address as it is to be asked for, or None."""
        if self.query == "strip":
            u = Url(u.partition("?")[0])
        return None if self.refusal(u) else u


def thesis_filter() -> UrlFilter:
    """The settings of specs/language-specific-crawling.md §4.3: 200 characters, page extensions only."""
    return UrlFilter(length=200, accept=PAGES)
