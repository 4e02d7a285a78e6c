"""One walk over the tree of a page: its blocks of text and the elements they stand in, as flat lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from resiliparse.parse.html import DOMNode, HTMLTree

from phasa.overview.extract.page import MOST_NODES
from phasa.overview.extract.vocabulary import (
    BIT,
    BLOCK,
    BREAK,
    EVERYTHING,
    GAP,
    INLINE,
    LINK,
    TAG_ROLE,
    TREATMENT,
    Names,
)

_HIDDEN: Final = BIT["hidden"]
_SHORT_LINK: Final = 80  # characters; longer ones may be sentences
_LONG_RUN: Final = 4000  # characters of links in one block
_SOFT_HYPHEN: Final = "\xad"  # where a word may be broken: not part of the word
_LINE: Final = "\x00"  # stands for <br> while a block is gathered; a parsed page cannot contain it
_MOST_SHAPES: Final = 20_000
_names = Names()
_shapes: dict[tuple[str, str], tuple[int, int]] = {}  # of tag and class: a number, and the role bits of both


@dataclass(slots=True)
class Layout:
    """The visible text of a page cut into blocks (runs of text without a block-level element between them).

    Blocks, in document order: `texts`, `links` (characters inside links), `anchors` (number of links, negative
    where there is nothing else), `home` (index of the element they stand in). Elements, in document order: `parent`
    (index; the body, element 0, is its own), `depth`, `first` and `last` (the blocks below the element are
    first <= i < last), `tag`, `shape` (a number for its name and class), `roles` (own bits).
    """

    texts: list[str] = field(default_factory=list)
    links: list[int] = field(default_factory=list)
    anchors: list[int] = field(default_factory=list)
    home: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    tag: list[str] = field(default_factory=list)
    shape: list[int] = field(default_factory=list)
    roles: list[int] = field(default_factory=list)
    rows: dict[int, int] = field(default_factory=dict)
    """Of cells of tables, by their index: the number of their line among all lines of the page."""


def lay_out(tree: HTMLTree) -> Layout:
    """The blocks of a parsed page. Linear in its nodes, without recursion.

    A run of short links in neighbouring elements, such as a menu, is one block. Navigation and footers marked as such
    are left out, unless there is no text elsewhere.
    """
    out = _walk(tree, TREATMENT)
    return out if out.texts else _walk(tree, EVERYTHING)


def _walk(tree: HTMLTree, treatments: dict[str, int]) -> Layout:
    out = Layout()
    body = tree.body
    if body is None:
        return out
    texts, links, anchors, home = out.texts, out.links, out.anchors, out.home
    parent, depth, first, last = out.parent, out.depth, out.first, out.last
    tags, shapes, roles = out.tag, out.shape, out.roles
    parent.append(0)
    depth.append(0)
    first.append(0)
    last.append(0)
    tags.append("body")
    shapes.append(0)
    roles.append(0)
    treatment, tag_role, read_names, seen = treatments.get, TAG_ROLE.get, _names.roles, _shapes.get
    if len(_shapes) > _MOST_SHAPES:
        _shapes.clear()  # numbers are compared within a page only

    parts: list[str] = []
    link_length = link_count = in_link = 0
    # Whether the text before is parted from the next by what is seen and is no text. A single letter is an initial.
    gap = False
    line = 0  # lines of tables so far
    here = 0  # the element whose direct text is being gathered
    path = []  # open elements: (node, how it was treated)

    def close_block() -> None:
        nonlocal link_length, link_count
        text = _join(parts)
        if text:
            is_link = link_length >= len(text) and len(text) < _SHORT_LINK
            if (
                is_link
                and texts
                and anchors[-1] < 0
                and parent[home[-1]] == parent[here]
                and len(texts[-1]) < _LONG_RUN
            ):
                texts[-1] += "\n" + text
                links[-1] += link_length + 1
                anchors[-1] -= link_count
            else:
                texts.append(text)
                links.append(link_length)
                anchors.append(-link_count if is_link else link_count)
                home.append(here)
        link_length = link_count = 0

    # This loop runs once per node of every page: it keeps to local names and asks a node no more than it must.
    node = body.first_child
    for _ in range(MOST_NODES):
        if node is None:
            break
        child = None
        text = node.value
        if text is not None:  # text or a comment: what a node is costs more to ask than what it says
            if text.isspace():
                if parts and parts[-1] is not _LINE and node.tag == "#text":
                    parts.append(" ")
            elif node.tag == "#text":
                if gap:
                    if text[0].isalnum():
                        parts.append(" ")
                    gap = False
                parts.append(text)
                if in_link:
                    link_length += len(text)
        elif (how := treatment(name := node.tag, BLOCK)) == BLOCK:
            gap = False
            if parts:
                close_block()
            names = node.class_name
            known = seen((name, names))
            if known is None:
                known = _shapes[name, names] = (len(_shapes), tag_role(name, 0) | read_names(names))
            shape, own = known
            identity = node.id
            if identity:
                own |= read_names(identity)
            style = node.getattr("style")
            if style and "none" in style and "display:none" in style.replace(" ", "").lower():
                own |= _HIDDEN
            parent.append(here)
            depth.append(depth[here] + 1)
            tags.append(name)
            shapes.append(shape)
            roles.append(own)
            first.append(len(texts))
            if name == "td" or name == "th":
                out.rows[len(last)] = line
            child = node.first_child
            if child is None:
                last.append(len(texts))
            else:
                here = len(last)
                last.append(0)
        elif how == INLINE:
            child = node.first_child
            if name == "tr":
                line += 1
            elif name == "span" and parts and not gap and len(parts[-1]) > 1:
                gap = _parts_from(node)
        elif how == LINK:
            child = node.first_child
            if child is not None:
                in_link += 1
                link_count += 1
                if parts and not gap:
                    beside = node.prev
                    gap = beside is not None and beside.tag == "a"
        elif how == GAP:
            gap = bool(parts)
        elif how == BREAK and parts:
            if parts[-1] is _LINE or name == "hr":  # an empty line parts two paragraphs
                close_block()
            else:
                parts.append(_LINE)
        if child is not None:
            path.append((node, how))
            node = child
            continue
        node = node.next
        while node is None and path:
            node, how = path.pop()
            if how == BLOCK:
                if parts:
                    close_block()
                last[here] = len(texts)
                here = parent[here]
            elif how == LINK:
                in_link -= 1
            node = node.next
    if parts:
        close_block()
    while here:
        last[here] = len(texts)
        here = parent[here]
    last[0] = len(texts)
    return out


def _parts_from(node: DOMNode) -> bool:
    """Whether a <span> begins something else than the <span> right before it: both are named, and differently."""
    beside = node.prev
    if beside is None or beside.tag != "span":
        return False
    names = node.class_name
    return bool(names) and bool(before := beside.class_name) and names != before


def _join(parts: list[str]) -> str:
    """The gathered text with single blanks and its line breaks; `parts` is emptied."""
    text = "".join(parts).strip()
    parts.clear()
    if text.isprintable() and "  " not in text:  # blanks of other kinds and line ends are not printable
        return text
    if _SOFT_HYPHEN in text:
        text = text.replace(_SOFT_HYPHEN, "")
    if _LINE in text:
        lines = [" ".join(line.split()) for line in text.split(_LINE)]
        return "\n".join(line for line in lines if line)
    return " ".join(text.split())
