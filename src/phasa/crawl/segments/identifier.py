"""The Segment Identifier: the links of a source grouped by the segment they lead to (segment-focused-crawling §4.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from phasa.crawl.contexts import Contexts
from phasa.crawl.segments.features import Citation
from phasa.crawl.strategy import OutLinks
from phasa.web.html import CONTEXT
from phasa.web.url import Url, authority, parse, registered_domain, segment_key


def key_of(url: str) -> str:
    """The segment of an address as pages and links have it. '' for what is no http(s) address."""
    if not url.startswith(("http://", "https://")) or url.count("/") < 3 or "#" in url:
        parsed = parse(url)
        return segment_key(parsed) if parsed is not None else ""
    return segment_key(Url(url))


def bare_key_of(url: str) -> str:
    """The same where '/thailand', a last part without an extension, is a directory as '/thailand/' is (A1)."""
    key = key_of(url)
    last = url.partition("#")[0].partition("?")[0][len(key) :]
    return f"{key}{last}/" if last and "." not in last else key


def key_by(directories: str) -> Callable[[str], str]:
    """What says the segment of an address, by the setting of that name."""
    return bare_key_of if directories == "bare" else key_of


def website(url: str, by_domain: bool = False) -> str:
    """The website of an address or a segment: its host, or its registered domain (A2)."""
    return registered_domain(Url(url)) if by_domain else authority(url)


def surrounding(links: OutLinks, surroundings: str) -> Sequence[str]:
    """The words around the links of a page; "total": no more than 100 characters around an anchor in all (A16)."""
    contexts = links.contexts
    if surroundings == "total" and isinstance(contexts, Contexts):
        return contexts.within(CONTEXT // 2)
    return contexts


class Gathering:
    """What one destination was said to be, while its source is still being read."""

    __slots__ = ("texts", "urls")

    MOST = 200
    """Links of one pair whose words are kept: a menu repeats itself on every page."""

    def __init__(self) -> None:
        self.urls: dict[str, None] = {}
        self.texts: list[str] = []

    def add(self, url: str, text: str) -> None:
        """One more link."""
        self.urls[url] = None
        if text and len(self.texts) < self.MOST:
            self.texts.append(text)

    @property
    def citation(self) -> Citation:
        return Citation(list(self.urls), self.texts)


def identify(
    source: str, pages: Iterable[OutLinks], key: Callable[[str], str] = key_of, surroundings: str = "each"
) -> dict[str, Citation]:
    """The destination segments of a source with all that is said of them, in the order of discovery; not itself."""
    found: dict[str, Gathering] = {}
    for links in pages:
        gather(found, source, links, key, surroundings)
    return {name: gathering.citation for name, gathering in found.items()}


def gather(
    found: dict[str, Gathering],
    source: str,
    links: OutLinks,
    key_of: Callable[[str], str] = key_of,
    surroundings: str = "each",
) -> list[str]:
    """Add the links of one more page; the segment of every link, '' for no usable address. `surroundings` "total": no
    more than 100 characters around an anchor in all (A16)."""
    keys = []
    contexts = surrounding(links, surroundings)
    for place, url in enumerate(links.urls):
        key = key_of(url)
        keys.append(key)
        if key and key != source:
            gathering = found.get(key)
            if gathering is None:
                gathering = found[key] = Gathering()
            anchor = links.anchors[place] if len(links.anchors) else ""
            context = contexts[place] if len(contexts) else ""
            gathering.add(url, f"{anchor} {context}".strip())
    return keys
