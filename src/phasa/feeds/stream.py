"""Well-formed feeds read in one pass, piece by piece: no tree, no copy, no entity, so memory and time have a bound.

expat hands over one element after the other; only the texts of posts and of the head are kept. What a document may
have is counted (levels, elements, names, bytes of one tag, text): where it has more, reading ends there with a note,
and what was read until then is the feed.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import NamedTuple
from xml.parsers import expat

DEEPEST = 200
MOST_ELEMENTS = 200_000
MOST_ITEMS = 20_000
MOST_NAMES = 2_000
MOST_NAMESPACES = 20_000
LONGEST_TAG = 1_000_000
LONGEST_TEXT = 500_000
MOST_TEXT = 24_000_000
PIECE = 65_536
# What is said of a document whose root is none of a feed; Microsoft's CDF is for the forgiving reader.
NO_FEED = "no feed"

_KINDS = {"rss": "rss", "feed": "atom", "rdf": "rdf", "channel": "cdf"}
# Names of the formats themselves, and what they are to us.
_CORE = {
    "channel": "channel", "item": "item", "entry": "item", "title": "title", "link": "link", "guid": "id", "id": "id",
    "description": "summary", "summary": "summary", "content": "content", "fullitem": "content",
    "pubdate": "published",
    "published": "published", "issued": "issued", "created": "issued", "date": "date", "updated": "updated",
    "modified": "updated", "language": "language",
}  # fmt: skip
# Names of other vocabularies (Dublin Core, content:encoded, podcasts) that stand in where the format has none.
_MODULES = {
    "date": "date", "created": "issued", "issued": "issued", "modified": "updated", "encoded": "content",
    "language": "language", "title": "dc:title", "description": "dc:summary", "summary": "dc:summary",
    "identifier": "dc:id",
}  # fmt: skip
_FORMATS = ("http://www.w3.org/2005/atom", "http://purl.org/atom/", "http://purl.org/rss/")
_VOCABULARIES = ("purl.org/dc/", "/modules/content", "/modules/dc", "podcast-1.0.dtd")
_MARKED = frozenset(("summary", "content"))
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_XML = "http://www.w3.org/XML/1998/namespace\x1f"

Fields = dict[str, str]


class Read(NamedTuple):
    """How reading went. `kind` is "" for what is no feed; `fault` says why reading ended early, `broken` that the
    document is ill-formed at byte `at`."""

    kind: str
    head: Fields
    fault: str = ""
    broken: bool = False
    at: int = 0


class _LimitError(Exception):
    """The document has more of something than we take."""


def read_stream(data: bytes, keep: Callable[[Fields], None]) -> Read:
    """Read a document in UTF-8 without a document type; `keep` is given each post. Never raises."""
    document = _Document(keep)
    parser = document.parser
    view = memoryview(data)
    try:
        for start in range(0, len(view), PIECE):
            parser.Parse(view[start : start + PIECE], False)
            if start + PIECE - parser.CurrentByteIndex > LONGEST_TAG:
                raise _LimitError(f"a tag or comment longer than {LONGEST_TAG} bytes")
            document.relieve()
        parser.Parse(b"", True)
    except expat.ExpatError as trouble:
        fault = f"not well-formed: {trouble}"
        return Read(document.kind, document.head, fault, True, parser.ErrorByteIndex)
    except _LimitError as reached:
        return Read(document.kind, document.head, str(reached), False, parser.CurrentByteIndex)
    return Read(document.kind, document.head)


class _Document:
    """One document under way."""

    def __init__(self, keep: Callable[[Fields], None]) -> None:
        self.kind = ""
        self.head: Fields = {}
        self.texts: list[str] = []
        self.keep = keep
        self.namespaces = {""}
        self.declared = 0
        self.parser = expat.ParserCreate("utf-8", "\x1f")
        self.parser.ordered_attributes = True
        self.parser.buffer_text = True
        self.parser.buffer_size = PIECE
        self._listen()

    def _listen(self) -> None:
        """Set the handlers. They run for every element, so they are closures: names of their own are found fastest."""
        depth = elements = items = kept = held = opened = 0
        level = 1  # the depth at which the innermost of root, channel and item has its children
        field = ""
        marked = False
        fields = head = self.head
        roles: dict[str, str] = {}
        texts, parser = self.texts, self.parser
        # Text of a field goes straight into the list; other text is not even made.
        collect = texts.append

        def start(name: str, attributes: list[str]) -> None:
            nonlocal depth, level, elements, field, marked, held, opened, fields
            depth += 1
            elements += 1
            if elements > MOST_ELEMENTS:
                raise _LimitError(f"more than {MOST_ELEMENTS} elements, the rest was left out")
            if depth > level:
                if depth > DEEPEST:
                    raise _LimitError(f"nested deeper than {DEEPEST} elements")
                if field in _MARKED:
                    if not marked:
                        mark()
                    if held < LONGEST_TEXT:
                        tag = _opening(name, attributes)
                        collect(tag)
                        held += len(tag)
                        opened = len(texts)
                return
            try:
                role = roles[name]
            except KeyError:
                if len(roles) >= MOST_NAMES:
                    raise _LimitError(f"more than {MOST_NAMES} names of elements, the rest was left out") from None
                role = roles[name] = self._role(name, depth)
            if not role:
                return
            if role == "item":
                if fields is head:
                    fields = _of_container(attributes) if attributes else {}
                    level += 1
            elif role == "channel" or role == "root":
                if depth <= 2 and fields is head:
                    head.update(_of_container(attributes))
                    level += 1
            else:
                if attributes:
                    if role == "link" and not _take_link(fields, attributes):
                        return
                    if role == "id" and "false" in attributes:
                        fields["opaque"] = "false"
                if role not in fields and (role != "content" or "summary" not in fields):
                    field = role
                    parser.CharacterDataHandler = collect
                    if role in _MARKED and "xhtml" in attributes:
                        mark()

        def end(name: str) -> None:
            nonlocal depth, level, items, field, marked, fields, kept, held
            if depth == level:
                if field:
                    parser.CharacterDataHandler = None
                    value = "".join(texts).strip()
                    if value:
                        # Python needs up to four bytes for a character where any is beyond ASCII.
                        kept += len(value) if value.isascii() else 4 * len(value)
                        if kept > MOST_TEXT:
                            raise _LimitError(f"more than {MOST_TEXT} bytes of text, the rest was left out")
                        fields[field] = value
                    field = ""
                    marked = False
                    texts.clear()
            elif depth < level:
                level -= 1
                if fields is not head:
                    self.keep(fields)
                    fields = head
                    items += 1
                    if items >= MOST_ITEMS:
                        raise _LimitError(f"more than {MOST_ITEMS} posts, the rest was left out")
            elif marked and held < LONGEST_TEXT:
                local = name.rpartition("\x1f")[2]
                if opened == len(texts) and local in _VOID:
                    texts[-1] = texts[-1][:-1] + " />"
                else:
                    collect(f"</{local}>")
            depth -= 1

        def mark() -> None:
            """From here on the text is markup, and so is what came of it before."""
            nonlocal marked, held
            marked = True
            texts[:] = [escape(text, quote=False) for text in texts]
            held = sum(map(len, texts))
            parser.CharacterDataHandler = escaped

        def escaped(text: str) -> None:
            nonlocal held
            if held < LONGEST_TEXT:
                held += len(text)
                collect(escape(text, quote=False))

        self.parser.StartElementHandler, self.parser.EndElementHandler = start, end
        self.parser.StartNamespaceDeclHandler = self._declared

    def relieve(self) -> None:
        """Between pieces: a text that has grown too long grows no more."""
        if len(self.texts) > 1 and sum(map(len, self.texts)) > LONGEST_TEXT:
            self.parser.CharacterDataHandler = None

    def _declared(self, _: str | None, __: str | None) -> None:
        self.declared += 1
        if self.declared > MOST_NAMESPACES:
            raise _LimitError(f"more than {MOST_NAMESPACES} namespaces, the rest was left out")

    def _role(self, name: str, depth: int) -> str:
        """What an element is to us, by its namespace and name; "" when nothing."""
        space, _, local = name.rpartition("\x1f")
        local = local.lower()
        if depth == 1:
            self.kind = _KINDS.get(local, "")
            if self.kind in ("", "cdf"):
                raise _LimitError(NO_FEED)
            self.namespaces.add(space)
            return "root"
        space_name = space.lower()
        if local in ("item", "channel", "entry") and not space_name.endswith("feedburner/ext/1.0"):
            self.namespaces.add(space)
        if space in self.namespaces or (space_name.startswith(_FORMATS) and "module" not in space_name):
            return _CORE.get(local, "")
        return _MODULES.get(local, "") if any(known in space_name for known in _VOCABULARIES) else ""


def _of_container(attributes: list[str]) -> Fields:
    """What root, channel and item say in attributes: the base of links, the language, and RDF's name of an item."""
    fields: Fields = {}
    for name, value in zip(attributes[::2], attributes[1::2], strict=True):
        if name == _XML + "base":
            fields["base"] = value
        elif name == _XML + "lang":
            fields["lang"] = value
        elif name.endswith("\x1fabout"):
            fields["about"] = value
    return fields


def _take_link(fields: Fields, attributes: list[str]) -> bool:
    """Take the address of the page itself from a link's attributes; whether its text may be that address too."""
    if "link" in fields:
        return False
    given = dict(zip(attributes[::2], attributes[1::2], strict=True))
    address = given.get("href", "").strip()
    relation = given.get("rel", "alternate").strip().lower()
    if address and relation == "alternate":
        fields.setdefault("link", address)
    return relation == "alternate"


def _opening(name: str, attributes: list[str]) -> str:
    """A start tag inside a text, as markup again."""
    local = name.rpartition("\x1f")[2]
    if not attributes:
        return f"<{local}>"
    parts = [local]
    for key, value in zip(attributes[::2], attributes[1::2], strict=True):
        parts.append(f'{key.rpartition(chr(31))[2]}="{escape(value)}"')
    return f"<{' '.join(parts)}>"
