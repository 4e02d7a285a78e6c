"""Single Page Extraction as published: Rules 1 and 2, block detection, selection (specs/content-overview.md §4.2-4.4).

Positions replace the published comparison of XPath strings: the leaves below an element are neighbours in document
order, so the four counts of every block are differences of running sums and the whole is linear in the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, NamedTuple

from resiliparse.parse.html import HTMLTree

from phasa.overview.extract.content import Element
from phasa.overview.extract.page import MOST_NODES
from phasa.overview_choices import FormPolicy, Logic

_DROPPED: Final = frozenset({"script", "noscript", "embed", "object", "img", "style", "#comment"})
_HIDDEN = re.compile(r"display\s*:\s*none", re.I)
_FOOTER: Final = ("copyright", "©", "powered by")
_LONGEST_FOOTER: Final = 16  # characters that must be read to know one


@dataclass(frozen=True, slots=True)
class Rules:
    """Every constant of the published extraction (§3.4)."""

    alpha: float = 0.75
    beta: float = 0.25
    block_min_elements: int = 2
    min_text_length_exclusive: int = 2
    max_anchor_ratio: float = 0.60
    max_href_exclusive: int = 3
    min_elements_exclusive: int = 2
    logic: Logic = Logic.OR
    form_policy: FormPolicy = FormPolicy.SUBTREE


class Leaf(NamedTuple):
    """A text node with what Rule 2 records. `home` is the index of the element it stands in, `place` its `#text[n]`."""

    text: str
    is_anchor: bool
    is_footer: bool
    home: int
    place: int


class Block(NamedTuple):
    """An element with the counts of the leaves below it (§4.3)."""

    element: int
    all_elements: int
    all_href: int
    all_tlen: int
    all_href_tlen: int
    rules: Rules

    @property
    def anr(self) -> float:
        """Anchor Node Ratio."""
        return self.all_href / self.all_elements if self.all_elements else 0.0

    @property
    def atr(self) -> float:
        """Anchor Text Ratio."""
        return self.all_href_tlen / self.all_tlen if self.all_tlen else 0.0

    @property
    def ar(self) -> float:
        """Anchor Ratio: alpha * ATR + beta * ANR."""
        return self.rules.alpha * self.atr + self.rules.beta * self.anr


class _Opened(NamedTuple):
    """An element: its name and place among those of that name, the element it stands in, its first leaf."""

    step: str
    parent: int
    first: int


@dataclass(slots=True)
class Blocks:
    """The leaves of a page in document order, its blocks, and the lowest block of each leaf (None without one)."""

    leaves: list[Leaf]
    blocks: list[Block]
    group: list[Block | None]
    _elements: list[_Opened]
    _known: dict[int, str] = field(default_factory=lambda: {0: "/html[1]/body[1]"})

    def xpath(self, element: int) -> str:
        """The address of an element, by its index. Made when asked for: most are not."""
        chain = []
        while element not in self._known:
            chain.append(element)
            element = self._elements[element].parent
        path = self._known[element]
        for below in reversed(chain):
            path = self._known[below] = f"{path}/{self._elements[below].step}"
        return path

    def leaf_xpath(self, leaf: Leaf) -> str:
        """The address of a leaf."""
        return f"{self.xpath(leaf.home)}/#text[{leaf.place}]"


def detect_blocks(tree: HTMLTree, rules: Rules = Rules()) -> Blocks:  # noqa: B008 - frozen
    """Steps A and B: the leaves left by Rule 1 with the features of Rule 2, and the blocks above them."""
    leaves, opened, last = _read_leaves(tree, rules)
    hrefs = list(accumulate((leaf.is_anchor for leaf in leaves), initial=0))
    lengths = list(accumulate((len(leaf.text) for leaf in leaves), initial=0))
    href_lengths = list(accumulate((len(leaf.text) * leaf.is_anchor for leaf in leaves), initial=0))
    blocks: list[Block] = []
    lowest: list[Block | None] = []
    for element, ((_, parent, a), b) in enumerate(zip(opened, last, strict=True)):
        block = Block(
            element, b - a, hrefs[b] - hrefs[a], lengths[b] - lengths[a], href_lengths[b] - href_lengths[a], rules
        )
        above = lowest[parent] if lowest else None
        lowest.append(block if block.all_elements >= rules.block_min_elements else above)
        if block.all_elements:
            blocks.append(block)
    return Blocks(leaves, blocks, [lowest[leaf.home] for leaf in leaves], opened)


def select(found: Blocks, rules: Rules = Rules()) -> list[Element]:  # noqa: B008 - frozen
    """Step C: the leaves that are key content, in document order (§4.4)."""
    out = []
    for order, (leaf, block) in enumerate(zip(found.leaves, found.group, strict=True)):
        if leaf.is_footer or len(leaf.text) <= rules.min_text_length_exclusive:
            continue
        if block is None or _is_content(block, rules):  # a page with one leaf has no block to ask
            out.append(Element(found.leaf_xpath(leaf), leaf.text, order))
    return out


def extract_elements(tree: HTMLTree, rules: Rules = Rules()) -> list[Element]:  # noqa: B008 - frozen
    """Single Page Extraction: the key content elements of a parsed page."""
    return select(detect_blocks(tree, rules), rules)


def _is_content(block: Block, rules: Rules) -> bool:
    few_links = block.ar < rules.max_anchor_ratio
    title_like = block.all_href < rules.max_href_exclusive and block.all_elements > rules.min_elements_exclusive
    return (few_links or title_like) if rules.logic is Logic.OR else (few_links and title_like)


def _read_leaves(tree: HTMLTree, rules: Rules) -> tuple[list[Leaf], list[_Opened], list[int]]:
    """Leaves, elements in document order (each with its parent and first leaf) and the leaf after each one's last."""
    leaves: list[Leaf] = []
    opened: list[_Opened] = []
    last: list[int] = []
    body = tree.body
    if body is None:
        return leaves, opened, last
    opened.append(_Opened("body[1]", 0, 0))
    last.append(0)
    here = anchors = 0
    counts: dict[str, int] = {}
    path = []  # open elements: (node, its parent's counts, is it an anchor, is it an element of ours)
    drop_forms = rules.form_policy is FormPolicy.SUBTREE
    node = body.first_child
    for _ in range(MOST_NODES):
        if node is None:
            break
        name = node.tag
        counts[name] = counts.get(name, 0) + 1
        child = None
        if name == "#text":
            if text := " ".join(node.value.split()):
                is_footer = text[:_LONGEST_FOOTER].lower().startswith(_FOOTER)
                leaves.append(Leaf(text, anchors > 0, is_footer, here, counts[name]))
        elif name not in _DROPPED and not (drop_forms and name == "form"):
            style = node.getattr("style")
            if not (style and _HIDDEN.search(style)):
                child = node.first_child
        if child is not None:
            keeps = name != "form"  # under TAG_ONLY a form's fields become children of what it stands in
            path.append((node, counts, name == "a", keeps))
            anchors += name == "a"
            if keeps:
                opened.append(_Opened(f"{name}[{counts[name]}]", here, len(leaves)))
                last.append(0)
                here = len(opened) - 1
                counts = {}
            node = child
            continue
        node = node.next
        while node is None and path:
            node, outer, was_anchor, kept = path.pop()
            anchors -= was_anchor
            if kept:
                last[here] = len(leaves)
                here = opened[here].parent
                counts = outer
            node = node.next
    while here:
        last[here] = len(leaves)
        here = opened[here].parent
    last[0] = len(leaves)
    return leaves, opened, last
