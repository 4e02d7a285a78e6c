"""Crawler traps: addresses that a server makes up without end. They are quarantined with evidence, never just lost.

Two signs. *Repeating path*: the same run of path segments again and again (`/a/b/a/b/a/b`), as broken relative links
make. *Barren template*: many pages of one URL template (digits and query values left out) with hardly any content
that was not seen under it before; the digest of a page leaves digits out, so a calendar is the same page every day.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Annotated

from msgspec import Meta

from phasa.settings import Settings
from phasa.web.url import Url, authority, path


class TrapSettings(Settings, frozen=True, kw_only=True):
    """When addresses look made up."""

    repeats: Annotated[
        int, Meta(ge=0, description="A run of path segments this often in a row is a trap; 0 = never.")
    ] = 3
    template_pages: Annotated[
        int, Meta(ge=0, description="Pages of one URL template before it is judged by its content; 0 = never.")
    ] = 50
    fresh_share: Annotated[
        float, Meta(ge=0, le=1, description="Least share of them with new content; below it the template is a trap.")
    ] = 0.1


_DIGITS = re.compile(r"[0-9]+")
_VALUES = re.compile(r"=[^&;]*")


def repeating_path(url: Url, repeats: int) -> str:
    """The run of segments that stands at least `repeats` times in a row in the path; '' for none or `repeats` = 0."""
    way = path(url).partition("?")[0]
    if not repeats or way.count("/") < repeats:
        return ""
    segments = [segment for segment in way.split("/") if segment]
    for width in range(1, len(segments) // repeats + 1):
        same = 0
        for here in range(len(segments) - width):
            same = same + 1 if segments[here] == segments[here + width] else 0
            if same >= width * (repeats - 1):
                return "/".join(segments[here + 1 : here + 1 + width])
    return ""


def template(url: Url) -> str:
    """The URL with its numbers and query values left out: `h/day/#/?page=`."""
    way, mark, query = path(url).partition("?")
    return f"{authority(url)}{_DIGITS.sub('#', way)}{mark}{_VALUES.sub('=', _DIGITS.sub('#', query))}"


class Evidence:
    """What was fetched under one template."""

    __slots__ = ("digests", "fresh", "pages")

    KEPT = 64

    def __init__(self) -> None:
        self.pages = 0
        self.fresh = 0
        self.digests: list[int] = []
        """The last one seen at the end. A list: most templates have a page or two, and there are many of them."""

    def add(self, digest: int) -> None:
        self.pages += 1
        if digest in self.digests:
            self.digests.remove(digest)
        else:
            self.fresh += 1
        self.digests.append(digest)
        if len(self.digests) > self.KEPT:
            del self.digests[0]


class Traps:
    """Watches what templates bring. Memory is bounded: the templates touched last are remembered."""

    KEPT = 20_000

    def __init__(self, settings: TrapSettings | None = None) -> None:
        self.settings = settings or TrapSettings()
        self.barren: dict[str, str] = {}
        self._watched: OrderedDict[int, Evidence | int] = OrderedDict()
        """By the hash of the template: templates may be long, and nobody asks for these. Of a template with one page,
        as most are, its digest."""

    def suspects(self, url: Url) -> str:
        """The evidence that this URL is part of a trap; '' when it looks sound."""
        if run := repeating_path(url, self.settings.repeats):
            return f"path repeats '{run}' {self.settings.repeats} times in a row"
        return self.found_barren(url)

    def found_barren(self, url: Url) -> str:
        """The evidence that the template of this URL is barren, found perhaps after the URL was taken in; else ''."""
        return self.barren.get(template(url), "") if self.barren else ""

    def saw(self, url: Url, digest: int) -> str:
        """Count a fetched page; the evidence when this page shows its template to be barren, else ''."""
        if not self.settings.template_pages or not digest:
            return ""
        key = template(url)
        if key in self.barren:
            return ""
        place = hash(key)
        before = self._watched.pop(place, None)
        evidence = before if isinstance(before, Evidence) else Evidence()
        if isinstance(before, int):
            evidence.add(before)
        evidence.add(digest)
        self._watched[place] = digest if before is None and self.settings.template_pages > 1 else evidence
        if len(self._watched) > self.KEPT:
            self._watched.popitem(last=False)
        if evidence.pages < self.settings.template_pages:
            return ""
        if evidence.fresh >= evidence.pages * self.settings.fresh_share:
            # Sound so far: judge the next as many pages by themselves, so that a template may turn barren later.
            evidence.pages = evidence.fresh = 0
            return ""
        self.barren[key] = f"{evidence.pages} pages of {key} brought {evidence.fresh} new contents"
        return self.barren[key]

    def release(self, key: str) -> bool:
        """Trust a template again. False when it was not quarantined."""
        self._watched.pop(hash(key), None)
        return self.barren.pop(key, None) is not None
