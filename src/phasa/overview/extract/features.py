"""The block features that the default extractor judges by: text density, links, position, tag and name semantics,
repeated structure, neighbours and the elements around (specs/content-overview.md §4.3, carried further).

Everything is measured for all blocks of several pages at once, so that the cost per page is a few array operations;
rows are features, columns are blocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from phasa.overview.extract.batch import (
    HEADING,
    Batch,
    Flags,
    blocks_since,
    count_alike,
    descend,
    find_main,
    join_pages,
    running,
    sums_around,
)
from phasa.overview.extract.blocks import Layout
from phasa.overview.extract.characters import CAPITAL, DIGIT, count_classes
from phasa.overview.extract.evidence import Evidence
from phasa.overview.extract.vocabulary import BIT, FOOTERS, INVITATIONS, NOT_CONTENT, NOTICES, ROLES, TAGS

Matrix = npt.NDArray[np.float32]
Rows = npt.NDArray[Any] | Sequence[npt.ArrayLike]

_ROLE_BITS = np.array([[BIT[role]] for role in ROLES], dtype=np.int64)
_LEVELS: Final = {f"h{level}": level for level in range(1, 7)}
_INVITING: Final = frozenset(invitation[:3] for invitation in INVITATIONS)  # a look-up before the long comparison
_NOTICED: Final = 120  # characters: a notice begins as one
_ENDING: Final = frozenset(footer[0] for footer in FOOTERS)

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


class Draft(NamedTuple):
    """A page to be measured: its blocks, and what its head says about its content."""

    layout: Layout
    evidence: Evidence


def measure_pages(drafts: Sequence[Draft]) -> Matrix:
    """One column of `FEATURES` for every block of the pages, page after page."""
    filled = [draft for draft in drafts if draft.layout.texts]
    return _measure(filled) if filled else np.zeros((len(FEATURES), 0), dtype=np.float32)


def _measure(drafts: Sequence[Draft]) -> Matrix:
    classes = count_classes([text for layout, _ in drafts for text in layout.texts]).T
    length = classes.sum(axis=0)
    batch = join_pages([layout for layout, _ in drafts], classes)
    texts = _read_texts(drafts)
    main, main_share, mass = find_main(batch)
    roles, lineage, main_depth = descend(batch, main)
    under = roles[batch.home]
    marks = (under & _ROLE_BITS) != 0
    tainted = ((under & NOT_CONTENT) != 0) * marks.sum(axis=0)
    heading = batch.kinds == HEADING
    up = batch.parent[batch.home]
    page, start = batch.page, batch.start
    index = np.arange(len(page))
    prose = running(batch.prose)
    page_prose = prose[batch.page_end] - prose[batch.page_start]
    all_prose = np.maximum(page_prose, 1.0)[page]
    groups: list[Rows] = [
        [
            batch.size,
            batch.words / (batch.words + 20.0),
            batch.stops,
            np.minimum(batch.phrases / batch.words, 1.0),
            batch.ends,
            classes[DIGIT] / length,
            classes[CAPITAL] / length,
            batch.link_share,
            np.minimum(np.abs([number for layout, _ in drafts for number in layout.anchors]), 10),
            texts.lines,
            texts.foot,
            texts.action,
            texts.notice,
            texts.repeated,
            texts.is_title,
            texts.in_description,
            texts.in_record,
            (batch.before[:-1] - batch.before[start]) / batch.total,
            blocks_since(texts.is_title, start),
            blocks_since(texts.action & heading, start),
            blocks_since(marks[ROLES.index("comment")], start),
            [_LEVELS.get(layout.tag[home], 0) for layout, _ in drafts for home in layout.home],
        ],
        lineage[:, batch.home],
        [tainted],
        batch.kinds == np.arange(len(TAGS))[:, None],
        ((batch.own[batch.home] | batch.own[up]) & _ROLE_BITS) != 0,
        marks,
        *_around(batch),
        *_beside(batch, index),
        _neighbours(batch, heading, index),
        [
            (prose[:-1] - prose[start]) / all_prose,
            1.0 - (prose[1:] - prose[start]) / all_prose,
            np.log1p(count_alike(batch)),
            mass[up] / np.maximum(np.maximum.reduceat(mass, batch.body), 1.0)[page],
            np.log1p(np.maximum(batch.first[main][page] - index, 0)),
            np.log1p(np.maximum(index - batch.last[main][page] + 1, 0)),
            np.log1p(batch.total),
            np.log1p(batch.end - start),
            np.log1p(page_prose)[page],
            np.log1p(np.add.reduceat(np.where(tainted == 0, batch.prose, 0.0), batch.page_start))[page],
            np.array([len(evidence.record) > 200 for _, evidence in drafts])[page],
            main_depth[page],
            main_share[page],
        ],
    ]
    X = np.empty((len(FEATURES), len(page)), dtype=np.float32)
    at = 0
    for group in groups:
        size = len(group)
        X[at : at + size] = np.asarray(group, dtype=np.float32)
        at += size
    return X


class _Texts(NamedTuple):
    """What the words of each block say."""

    lines: list[int]
    foot: list[bool]
    action: Flags
    notice: list[int]
    repeated: list[int]
    is_title: Flags
    in_description: list[bool]
    in_record: list[bool]


def _read_texts(drafts: Sequence[Draft]) -> _Texts:
    lines: list[int] = []
    notice: list[int] = []
    repeated: list[int] = []
    foot: list[bool] = []
    action: list[bool] = []
    title: list[bool] = []
    description: list[bool] = []
    record: list[bool] = []
    for layout, evidence in drafts:
        openings = [text[:300].lower() for text in layout.texts]
        lines += [text.count("\n") for text in layout.texts]
        foot += [opening[0] in _ENDING and opening.startswith(FOOTERS) for opening in openings]
        action += [opening[:3] in _INVITING and opening.startswith(INVITATIONS) for opening in openings]
        notice += [_notices(opening[:_NOTICED].split()) for opening in openings]
        copies = Counter(layout.texts)
        repeated += [min(copies[text] - 1, 3) for text in layout.texts]
        is_title, in_description, in_record = evidence.match(openings)
        title += is_title
        description += in_description
        record += in_record
    return _Texts(lines, foot, np.array(action), notice, repeated, np.array(title), description, record)


def _notices(words: list[str]) -> int:
    return 0 if NOTICES.isdisjoint(words) else len(NOTICES.intersection(words))


def _around(batch: Batch) -> list[Rows]:
    """The sums around each block's home, its parent and so on."""
    sums = sums_around(batch)
    out: list[Rows] = []
    element = batch.home
    for _ in range(4):
        out.append(sums[:, element])
        element = batch.parent[element]
    return out


def _beside(batch: Batch, index: npt.NDArray[np.intp]) -> list[Rows]:
    """The same few measures of the blocks before and after; 0 beyond the ends of the page."""
    count = len(index)
    edge = np.zeros((4, count + 4))
    edge[:, 2:-2] = batch.size, batch.link_share, batch.ends, batch.stops
    out: list[Rows] = []
    for offset in _OFFSETS:
        beside = index + offset
        out.append(edge[:, 2 + offset : 2 + offset + count] * ((beside >= batch.start) & (beside < batch.end)))
    return out


def _neighbours(batch: Batch, heading: Flags, index: npt.NDArray[np.intp]) -> list[npt.ArrayLike]:
    """Whether a block shares its element with those beside it, headings beside it, and windows around it."""
    same = batch.home[1:] == batch.home[:-1]  # blocks of two pages never do
    out: list[npt.ArrayLike] = [
        np.append(False, same),
        np.append(same, False),
        np.append(False, heading[:-1]) & (index > batch.start),
        np.append(heading[1:], False) & (index + 1 < batch.end),
    ]
    prose, links = running(batch.prose), running(batch.words * batch.link_share)
    for window in _WINDOWS:
        a, b = np.maximum(index - window, batch.start), np.minimum(index + window + 1, batch.end)
        out += [np.log1p(prose[b] - prose[a]), (links[b] - links[a]) / (batch.before[b] - batch.before[a])]
    return out
