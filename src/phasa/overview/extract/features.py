"""The block features that the default extractor judges by: text density, links, position, tag and name semantics,
repeated structure, neighbours and the elements around (specs/content-overview.md §4.3, carried further).

Everything is measured for all blocks of a page at once; rows are features, columns are blocks.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from phasa.overview.extract.blocks import Layout
from phasa.overview.extract.characters import CAPITAL, COMMA, DIGIT, EAST, SOUTHEAST, SPACE, STOP, count_classes
from phasa.overview.extract.evidence import Evidence
from phasa.overview.extract.vocabulary import BIT, FOOTERS, INVITATIONS, NOTICES, ROLES, TAG_KIND, TAGS

Matrix = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]

_FAR: Final = 40.0  # blocks; farther away is far away
_PROSE_WORDS: Final = 8
_SENTENCE_ENDS: Final = frozenset(".!?…。！？؟۔।:;”\"»“'’)")
_NOT_CONTENT: Final = sum(
    BIT[role]
    for role in ("footer", "nav", "aside", "comment", "related", "share", "side", "advert", "offer", "hidden", "card")
)
_ROLE_BITS = np.array([[BIT[role]] for role in ROLES], dtype=np.int64)
_KEPT_WHEN_WIDE: Final = BIT["article"] | BIT["main"] | BIT["body"] | BIT["content"]

_OWN: Final = (
    "size words stops commas ends_sentence digits capitals link_share anchors lines foot action notice repeated "
    "is_title in_description in_record position after_title after_action_heading after_comments heading_level"
)
_LINEAGE: Final = "article_share copies_above steps_to_main tainted"
_AROUND: Final = "size link_share blocks share mean_size paragraphs prose"
_NEIGHBOURS: Final = "size link_share ends_sentence stops"
_OFFSETS: Final = (-2, -1, 1, 2)
_WINDOWS: Final = (2, 6)
FEATURES: Final[tuple[str, ...]] = (
    *_OWN.split(),
    *_LINEAGE.split(),
    *(f"tag_{tag}" for tag in TAGS),
    *(f"near_{role}" for role in ROLES),
    *(f"under_{role}" for role in ROLES),
    *(f"{what}_of_{which}" for which in ("home", "parent", "grandparent", "great") for what in _AROUND.split()),
    *(f"{what}_{offset:+d}" for offset in _OFFSETS for what in _NEIGHBOURS.split()),
    *("same_home_-1", "same_home_+1", "heading_-1", "heading_+1"),
    *(f"{what}_within_{window}" for window in _WINDOWS for what in ("prose", "link_share")),
    *("prose_before", "prose_after", "siblings_alike", "best_container_share", "before_main", "after_main"),
    *("page_size", "page_blocks", "page_prose", "page_clean", "page_record", "main_depth", "main_share"),
)


SIZE: Final = FEATURES.index("size")  # log(1 + words)


class _Page(NamedTuple):
    """The arrays that several groups of features share."""

    layout: Layout
    heads: list[str]
    kinds: Ints
    home: Ints
    parent: Ints
    first: Ints
    last: Ints
    words: Floats
    size: Floats
    stops: Floats
    ends: Floats
    link_share: Floats
    prose: Floats
    before: Floats  # words before each block, and at last all words


def measure_blocks(layout: Layout, evidence: Evidence) -> Matrix:
    """One column of `FEATURES` for every block of the page."""
    count = len(layout.texts)
    X = np.zeros((len(FEATURES), count), dtype=np.float32)
    if not count:
        return X
    texts = layout.texts
    classes = count_classes(texts).T
    length = classes.sum(axis=0)
    words, phrases, ends = _words(texts, classes, length)
    page = _share(layout, words, classes, ends, length)
    own = np.array(layout.roles, dtype=np.int64)
    main, main_mass, mass = _find_main(page, own)
    roles, lineage, main_depth = _descend(page, own, main)
    under = roles[page.home]
    marks = (under & _ROLE_BITS) != 0
    tainted = ((under & _NOT_CONTENT) != 0) * marks.sum(axis=0)
    clean = float(page.prose[tainted == 0].sum())
    index = np.arange(count)
    heading = page.kinds == 2
    openings = [text[:300].lower() for text in texts]
    action = np.array([opening.startswith(INVITATIONS) for opening in openings])
    is_title, in_description, in_record = evidence.match(openings)
    in_comments = marks[ROLES.index("comment")]
    seen: dict[str, int] = {}
    for text in texts:
        seen[text] = seen.get(text, -1) + 1
    total = page.before[-1]

    at = 0

    def put(*rows: npt.ArrayLike) -> None:
        nonlocal at
        for row in rows:
            X[at] = row
            at += 1

    put(
        page.size,
        words / (words + 20.0),
        page.stops,
        np.minimum(phrases / words, 1.0),
        ends,
        classes[DIGIT] / length,
        classes[CAPITAL] / length,
        page.link_share,
        np.minimum(np.abs(layout.anchors), 10),
        [text.count("\n") if "\n" in text else 0 for text in texts],
        [opening.startswith(FOOTERS) for opening in openings],
        action,
        [len(NOTICES.intersection(opening.split())) for opening in openings],
        np.minimum([seen[text] for text in texts], 3),
        is_title,
        in_description,
        in_record,
        page.before[:-1] / total,
        _since(np.array(is_title)),
        _since(action & heading),
        _since(in_comments),
        [int(head[1]) if kind == 2 else 0 for head, kind in zip(page.heads, page.kinds.tolist(), strict=True)],
    )
    X[at : at + 3] = lineage[:, page.home]
    at += 3
    put(tainted)
    X[at + page.kinds, index] = 1.0
    at += len(TAGS)
    up = page.parent[page.home]
    X[at : at + len(ROLES)] = ((own[page.home] | own[up]) & _ROLE_BITS) != 0
    at += len(ROLES)
    X[at : at + len(ROLES)] = marks
    at += len(ROLES)
    width = len(_AROUND.split())
    sums = _around(page)
    element = page.home
    for _ in range(4):
        X[at : at + width] = sums[:, element]
        at += width
        element = page.parent[element]
    edge = np.zeros((4, count + 4))
    edge[:, 2:-2] = page.size, page.link_share, ends, page.stops
    for offset in _OFFSETS:
        X[at : at + 4] = edge[:, 2 + offset : 2 + offset + count]
        at += 4
    put(*_neighbours(page, heading))
    prose_sum = _running(page.prose)
    all_prose = max(float(prose_sum[-1]), 1.0)
    start, end = layout.first[main], layout.last[main]
    put(
        prose_sum[:-1] / all_prose,
        1.0 - prose_sum[1:] / all_prose,
        np.log1p(_alike(page)),
        mass[up] / max(float(mass.max()), 1.0),
        np.log1p(np.maximum(start - index, 0)),
        np.log1p(np.maximum(index - end + 1, 0)),
        np.log1p(total),
        np.log1p(count),
        np.log1p(prose_sum[-1]),
        np.log1p(clean),
        float(len(evidence.record) > 200),
        main_depth,
        main_mass,
    )
    return X


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


def _share(layout: Layout, words: Floats, classes: Floats, ends: Floats, length: Floats) -> _Page:
    heads = [layout.tag[element] for element in layout.home]
    link_share = np.minimum(np.array(layout.links) / length, 1.0)
    prose = np.where((words >= _PROSE_WORDS) & (link_share < 0.5) & (ends > 0), words * (1.0 - link_share), 0.0)
    # A run of Thai has one sentence per block as far as its marks tell.
    stops = np.minimum(np.maximum(classes[STOP], (classes[SOUTHEAST] > 0.3 * length) & (words > 25)), 20.0)
    return _Page(
        layout=layout,
        heads=heads,
        kinds=np.array([TAG_KIND.get(head, 0) for head in heads]),
        home=np.array(layout.home),
        parent=np.array(layout.parent),
        first=np.array(layout.first),
        last=np.array(layout.last),
        words=words,
        size=np.log1p(words),
        stops=stops,
        ends=ends,
        link_share=link_share,
        prose=prose,
        before=_running(words),
    )


def _find_main(page: _Page, own: npt.NDArray[np.int64]) -> tuple[int, float, Floats]:
    """The element whose children hold most prose (that no name nearby disclaims), its share of it, and all masses."""
    up = page.parent[page.home]
    tainted = ((own[page.home] | own[up]) & _NOT_CONTENT) != 0
    clean = np.where(tainted, 0.0, page.prose)
    elements = len(page.parent)
    mass: Floats = np.bincount(up, page.prose, elements).astype(np.float64)
    wanted = np.bincount(up, clean, elements)
    if not wanted.any():
        wanted = np.bincount(up, page.words * (1.0 - page.link_share), elements)
    main = int(wanted.argmax())
    return main, float(wanted[main]) / max(float(wanted.sum()), 1.0), mass


def _descend(page: _Page, own: npt.NDArray[np.int64], main: int) -> tuple[npt.NDArray[np.int64], Floats, int]:
    """What elements hand down to those below them, in one pass from the body on.

    Role bits, of which a name that covers nearly all of the page keeps only those of content; the share of the page in
    the nearest <article>; the most copies of one shape (tag and class) among which an element stands, since cards,
    comments and teasers repeat; and how far up from `main` the first element is that holds both.
    """
    layout, before = page.layout, page.before
    start = before[page.first] / before[-1]
    share = before[page.last] / before[-1] - start
    # Long discussions may outweigh their article, but they do not come before it.
    wide, widest = (share > 0.6) & (start < 0.25), (share > 0.9) & (start < 0.05)
    kept = np.where(wide, own & (_KEPT_WHEN_WIDE | np.where(widest, 0, BIT["comment"])), own).tolist()
    shares = share.tolist()
    parent, tags, names = layout.parent, layout.tag, layout.names
    inside = page.last - page.first
    shapes: dict[tuple[int, str, str], int] = {}
    for element in np.flatnonzero(inside > 1).tolist():
        key = (parent[element], tags[element], names[element])
        shapes[key] = shapes.get(key, -1) + 1
    above = [main]
    while above[-1]:
        above.append(parent[above[-1]])
    height = {element: steps for steps, element in enumerate(above)}
    article, copies, steps = [0.0] * len(parent), [0] * len(parent), [height[0]] * len(parent)
    for element in np.flatnonzero(inside).tolist():  # those without text below them hand down nothing
        up = parent[element]
        kept[element] |= kept[up]
        tag = tags[element]
        article[element] = shares[element] if tag == "article" else article[up]
        copies[element] = max(copies[up], shapes.get((up, tag, names[element]), 0))
        steps[element] = height[element] if element in height else steps[up]
    lineage = np.array([article, np.minimum(copies, 20), np.minimum(steps, 20)])
    return np.array(kept, dtype=np.int64), lineage, min(len(above), 40)


def _around(page: _Page) -> Floats:
    """Sums over the blocks below each element, as rows of `_AROUND`."""
    sums = np.zeros((4, len(page.words) + 1))
    np.cumsum([page.words, page.words * page.link_share, page.kinds == 1, page.prose], axis=1, out=sums[:, 1:])
    words, links, paragraphs, prose = sums[:, page.last] - sums[:, page.first]
    blocks = np.maximum(page.last - page.first, 1)
    inside = np.maximum(words, 1.0)
    return np.array(
        [
            np.log1p(inside),
            links / inside,
            np.log1p(blocks),
            inside / page.before[-1],
            np.log1p(inside / blocks),
            paragraphs / blocks,
            prose / max(float(sums[3, -1]), 1.0),
        ]
    )


def _neighbours(page: _Page, heading: npt.NDArray[np.bool_]) -> list[npt.ArrayLike]:
    """Whether a block shares its element with those beside it, headings beside it, and windows around it."""
    count = len(page.words)
    same = page.home[1:] == page.home[:-1]
    out: list[npt.ArrayLike] = [
        np.append(False, same),
        np.append(same, False),
        np.append(False, heading[:-1]),
        np.append(heading[1:], False),
    ]
    prose, links = _running(page.prose), _running(page.words * page.link_share)
    index = np.arange(count)
    for window in _WINDOWS:
        a, b = np.maximum(index - window, 0), np.minimum(index + window + 1, count)
        out += [np.log1p(prose[b] - prose[a]), (links[b] - links[a]) / (page.before[b] - page.before[a])]
    return out


def _alike(page: _Page) -> list[int]:
    """Per block: how many blocks stand in elements of the same name below the same element."""
    layout = page.layout
    keys = [(layout.parent[home], head) for home, head in zip(layout.home, page.heads, strict=True)]
    counts: dict[tuple[int, str], int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    return [counts[key] for key in keys]


def _running(values: Floats) -> Floats:
    """Sums of all values before each, and at last of all."""
    out = np.zeros(len(values) + 1)
    np.cumsum(values, out=out[1:])
    return out


def _since(marks: npt.NDArray[np.bool_]) -> Floats:
    """Blocks since the last mark, at most `_FAR`, and that where there was none."""
    index = np.arange(len(marks), dtype=np.float64)
    return np.minimum(index - np.maximum.accumulate(np.where(marks, index, -_FAR)), _FAR)
