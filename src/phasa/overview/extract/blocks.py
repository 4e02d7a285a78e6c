"""One walk over the tree of a page: its blocks of text and the elements they stand in, as flat lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from resiliparse.parse.html import HTMLTree

from phasa.overview.extract.vocabulary import (
    BIT,
    BLOCK,
    BREAK,
    INLINE,
    LINK,
    TAG_ROLE,
    TEXT,
    TREATMENT,
    Names,
)

_HIDDEN: Final = BIT["hidden"]
_LINE: Final = "\x00"  # stands for <br> while a block is gathered; a parsed page cannot contain it
_names = Names()


@dataclass(slots=True)
class Layout:
    """The visible text of a page cut into blocks (runs of text without a block-level element between them).

    Blocks, in document order: `texts`, `links` (characters inside links), `anchors` (number of links), `home`
    (index of the element they stand in). Elements, in document order: `parent` (index; the body, element 0, is
    its own), `first` and `last` (the blocks below the element are first <= i < last), `tag`, `names` (its class
    attribute), `roles` (own bits).
    """

    texts: list[str] = field(default_factory=list)
    links: list[int] = field(default_factory=list)
    anchors: list[int] = field(default_factory=list)
    home: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    tag: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    roles: list[int] = field(default_factory=list)


def lay_out(tree: HTMLTree) -> Layout:
    """The blocks of a parsed page. Linear in its nodes, without recursion."""
    out = Layout()
    body = tree.body
    if body is None:
        return out
    texts, links, anchors, home = out.texts, out.links, out.anchors, out.home
    parent, first, last, tags, classes, roles = out.parent, out.first, out.last, out.tag, out.names, out.roles
    parent.append(0)
    first.append(0)
    last.append(0)
    tags.append("body")
    classes.append("")
    roles.append(0)
    treatment, tag_role, read_names = TREATMENT.get, TAG_ROLE.get, _names.roles

    parts: list[str] = []
    link_length = link_count = in_link = 0
    here = 0  # the element whose direct text is being gathered
    path = []  # open elements: (node, how it was treated)

    def close_block() -> None:
        nonlocal link_length, link_count
        text = "".join(parts)
        parts.clear()
        if _LINE in text:
            lines = [" ".join(line.split()) for line in text.split(_LINE)]
            text = "\n".join(line for line in lines if line)
        else:
            text = " ".join(text.split())
        if text:
            texts.append(text)
            links.append(link_length)
            anchors.append(link_count)
            home.append(here)
        link_length = link_count = 0

    node = body.first_child
    while node is not None:
        name = node.tag
        how = treatment(name, BLOCK)
        child = None
        if how == TEXT:
            text = node.value
            if text.isspace():
                if parts and parts[-1] is not _LINE:
                    parts.append(" ")
            else:
                parts.append(text)
                if in_link:
                    link_length += len(text)
        elif how == BLOCK:
            if parts:
                close_block()
            own = tag_role(name, 0)
            names = node.class_name
            if names:
                own |= read_names(names)
            identity = node.id
            if identity:
                own |= read_names(identity)
            style = node.getattr("style")
            if style and "none" in style and "display:none" in style.replace(" ", "").lower():
                own |= _HIDDEN
            parent.append(here)
            here = len(tags)
            tags.append(name)
            classes.append(names)
            roles.append(own)
            first.append(len(texts))
            last.append(0)
            child = node.first_child
            if child is None:
                last[here] = len(texts)
                here = parent[here]
        elif how == INLINE:
            child = node.first_child
        elif how == LINK:
            child = node.first_child
            if child is not None:
                in_link += 1
                link_count += 1
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
    last[0] = len(texts)
    return out
