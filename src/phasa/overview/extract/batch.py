"""Several pages as arrays: what is known of each block and of each element, page after page in one row.

Indices run over all pages of the batch. An element's blocks and its parent are always of its own page, and the body of
a page is its own parent, so that sums and descents need no borders; what looks sideways is given `start` and `end`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from phasa.overview.extract.blocks import Layout
from phasa.overview.extract.characters import COMMA, EAST, SOUTHEAST, SPACE, STOP
from phasa.overview.extract.vocabulary import BIT, NOT_CONTENT, TAG_KIND

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Bits = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

PARAGRAPH, HEADING = 1, 2
_FAR: Final = 40.0  # blocks; farther away is far away
_PROSE_WORDS: Final = 8
_SENTENCE_ENDS: Final = frozenset(".!?…。！？؟۔।:;”\"»“'’)")
_KEPT_WHEN_WIDE: Final = BIT["article"] | BIT["main"] | BIT["body"] | BIT["content"]


class Batch(NamedTuple):
    """What several groups of features share. Of blocks, unless said otherwise."""

    page: Ints  # the number of its page
    start: Ints  # the first block of its page
    end: Ints  # one past the last
    page_start: Ints  # by page
    page_end: Ints
    body: Ints  # by page: the number of its body element
    home: Ints
    kinds: Ints  # of the home's tag
    words: Floats
    phrases: Floats
    size: Floats  # log(1 + words)
    stops: Floats
    ends: Floats
    link_share: Floats
    prose: Floats  # words that read like sentences
    before: Floats  # words in all blocks before it; one more value for the sum
    total: Floats  # words of its page
    parent: Ints  # of elements, as all below
    depth: Ints
    first: Ints
    last: Ints
    own: Bits
    shape: Ints
    article: Flags


def join_pages(layouts: Sequence[Layout], classes: Floats) -> Batch:
    """The arrays of pages, none of them without text; `classes` counts the characters of each block by class."""
    blocks = np.array([len(layout.texts) for layout in layouts])
    elements = np.array([len(layout.parent) for layout in layouts])
    page_end = np.cumsum(blocks)
    page_start = page_end - blocks
    body = np.cumsum(elements) - elements
    page = np.repeat(np.arange(len(layouts)), blocks)
    of_element = np.repeat(np.arange(len(layouts)), elements)
    length = classes.sum(axis=0)
    words, phrases, ends = _words([text for layout in layouts for text in layout.texts], classes, length)
    link_share = np.minimum(_ints(layout.links for layout in layouts) / length, 1.0)
    # A run of Thai has one sentence per block as far as its marks tell.
    stops = np.minimum(np.maximum(classes[STOP], (classes[SOUTHEAST] > 0.3 * length) & (words > 25)), 20.0)
    before = running(words)
    return Batch(
        page=page,
        start=page_start[page],
        end=page_end[page],
        page_start=page_start,
        page_end=page_end,
        body=body,
        home=_ints(layout.home for layout in layouts) + body[page],
        kinds=np.array([TAG_KIND.get(layout.tag[home], 0) for layout in layouts for home in layout.home]),
        words=words,
        phrases=phrases,
        size=np.log1p(words),
        stops=stops,
        ends=ends,
        link_share=link_share,
        prose=np.where((words >= _PROSE_WORDS) & (link_share < 0.5) & (ends > 0), words * (1.0 - link_share), 0.0),
        before=before,
        total=(before[page_end] - before[page_start])[page],
        parent=_ints(layout.parent for layout in layouts) + body[of_element],
        depth=_ints(layout.depth for layout in layouts),
        first=_ints(layout.first for layout in layouts) + page_start[of_element],
        last=_ints(layout.last for layout in layouts) + page_start[of_element],
        own=_ints(layout.roles for layout in layouts),
        shape=_ints(layout.shape for layout in layouts) + 1,
        article=np.array([tag == "article" for layout in layouts for tag in layout.tag]),
    )


def _ints(lists: Iterable[list[int]]) -> Ints:
    return np.fromiter(chain.from_iterable(lists), dtype=np.intp)


def _words(texts: list[str], classes: Floats, length: Floats) -> tuple[Floats, Floats, Floats]:
    """Words, commas and 'ends a sentence' of each block, guessed alike for every script."""
    words = classes[SPACE] + 1.0
    phrases = classes[COMMA]
    ends = np.array([text[-1] in _SENTENCE_ENDS for text in texts], dtype=np.float64)
    southeast = classes[SOUTHEAST] > 0.3 * length
    if southeast.any():
        # Thai and its neighbours part phrases by spaces and do not mark the end of a sentence.
        guess = length / 4.5 + 0.5
        words = np.where(southeast, guess, words)
        phrases = np.where(southeast, phrases + classes[SPACE], phrases)
        ends = np.where(southeast & (guess > 25), 1.0, ends)
    east = classes[EAST] > 0.3 * length
    if east.any():
        words = np.where(east, length / 1.7 + 0.5, words)
    return words, phrases, ends


def find_main(batch: Batch) -> tuple[Ints, Floats, Floats]:
    """By page the element whose children hold most prose (that no name nearby disclaims) and its share of it; and by
    element the prose of its children."""
    up = batch.parent[batch.home]
    tainted = ((batch.own[batch.home] | batch.own[up]) & NOT_CONTENT) != 0
    elements = len(batch.parent)
    mass: Floats = np.bincount(up, batch.prose, elements).astype(np.float64)
    wanted: Floats = np.bincount(up, np.where(tainted, 0.0, batch.prose), elements).astype(np.float64)
    sums = np.add.reduceat(wanted, batch.body)
    if not sums.all():  # pages without clean prose: whatever is not links
        rest = np.bincount(up, batch.words * (1.0 - batch.link_share), elements)
        lengths = np.diff(np.append(batch.body, elements))
        wanted = np.where(np.repeat(sums == 0, lengths), rest, wanted)
        sums = np.add.reduceat(wanted, batch.body)
    main = np.array(
        [begin + wanted[begin:end].argmax() for begin, end in zip(batch.body, [*batch.body[1:], elements], strict=True)]
    )
    return main, wanted[main] / np.maximum(sums, 1.0), mass


def descend(batch: Batch, main: Ints) -> tuple[Bits, Floats, Floats]:
    """What elements hand down to those below them, level by level from the bodies on.

    Role bits, of which a name that covers nearly all of the page keeps only those of content; the share of the page in
    the nearest <article>; the most copies of one shape (tag and class) among which an element stands, since cards,
    comments and teasers repeat; and how far up from `main` the first element is that holds both. Then by page how deep
    `main` stands.
    """
    parent, before = batch.parent, batch.before
    elements = len(parent)
    lengths = np.diff(np.append(batch.body, elements))
    total = np.repeat(before[batch.page_end] - before[batch.page_start], lengths)
    start = (before[batch.first] - np.repeat(before[batch.page_start], lengths)) / total
    share = (before[batch.last] - before[batch.first]) / total
    # Long discussions may outweigh their article, but they do not come before it.
    wide, widest = (share > 0.6) & (start < 0.25), (share > 0.9) & (start < 0.05)
    kept = np.where(wide, batch.own & (_KEPT_WHEN_WIDE | np.where(widest, 0, BIT["comment"])), batch.own)
    inside = batch.last - batch.first
    keys = parent * (int(batch.shape.max()) + 1) + batch.shape
    unique, counts = np.unique(keys[inside > 1], return_counts=True)  # copies with more than a line in them
    copies = np.zeros(elements, dtype=np.intp)
    if len(unique):
        places = np.minimum(np.searchsorted(unique, keys), len(unique) - 1)
        copies = np.where(unique[places] == keys, counts[places] - 1, 0)
    height, depth = np.full(elements, -1), np.zeros(len(main))
    for page, element in enumerate(main.tolist()):
        steps = 0
        while True:
            height[element] = steps
            if parent[element] == element:
                break
            element = int(parent[element])
            steps += 1
        depth[page] = min(steps + 1, 40)
    article = np.where(batch.article, share, 0.0)
    steps_up = np.maximum(height, 0)
    holding = np.flatnonzero(inside)  # those without text below them hand down nothing
    order = holding[np.argsort(batch.depth[holding], kind="stable")]
    for level in np.split(order, np.cumsum(np.bincount(batch.depth[order]))[:-1])[1:]:
        up = parent[level]
        kept[level] |= kept[up]
        article[level] = np.where(batch.article[level], share[level], article[up])
        copies[level] = np.maximum(copies[level], copies[up])
        steps_up[level] = np.where(height[level] >= 0, height[level], steps_up[up])
    return kept, np.array([article, np.minimum(copies, 20), np.minimum(steps_up, 20)]), depth


def sums_around(batch: Batch) -> Floats:
    """Of every element: size, links, blocks, share of the page, mean size, paragraphs and prose below it."""
    sums = np.zeros((4, len(batch.words) + 1))
    np.cumsum(
        [batch.words, batch.words * batch.link_share, batch.kinds == PARAGRAPH, batch.prose], axis=1, out=sums[:, 1:]
    )
    words, links, paragraphs, prose = sums[:, batch.last] - sums[:, batch.first]
    lengths = np.diff(np.append(batch.body, len(batch.parent)))
    whole = np.repeat(sums[:, batch.page_end] - sums[:, batch.page_start], lengths, axis=1)
    blocks = np.maximum(batch.last - batch.first, 1)
    inside = np.maximum(words, 1.0)
    return np.array(
        [
            np.log1p(inside),
            links / inside,
            np.log1p(blocks),
            inside / whole[0],
            np.log1p(inside / blocks),
            paragraphs / blocks,
            prose / np.maximum(whole[3], 1.0),
        ]
    )


def count_alike(batch: Batch) -> Ints:
    """Per block: how many blocks stand in elements of the same kind below the same element."""
    keys = batch.parent[batch.home] * 16 + batch.kinds
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    alike: Ints = counts[inverse]
    return alike


def running(values: Floats) -> Floats:
    """Sums of all values before each, and at last of all."""
    out = np.zeros(len(values) + 1)
    np.cumsum(values, out=out[1:])
    return out


def blocks_since(marks: Flags, start: Ints) -> Floats:
    """Blocks since the last mark on the same page, at most `_FAR`, and that where there was none."""
    index = np.arange(len(marks))
    latest = np.maximum.accumulate(np.where(marks, index, -1))
    return np.where(latest >= start, np.minimum(index - latest, _FAR), np.minimum(index - start + _FAR, _FAR))
