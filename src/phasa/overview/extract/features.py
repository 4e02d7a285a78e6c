"""The block features that the default extractor judges by: text density, links, position, tag and name semantics,
repeated structure, neighbours and the elements around (specs/content-overview.md §4.3, carried further).
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import numpy.typing as npt

from phasa.overview.extract.blocks import Layout
from phasa.overview.extract.evidence import Evidence
from phasa.overview.extract.vocabulary import BIT, ROLES, TAG_KIND, TAGS

Matrix = npt.NDArray[np.float32]

# Scripts written without spaces between words: their length in words must be guessed from characters.
_SOUTHEAST = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_EAST = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_SENTENCE_ENDS: Final = frozenset(".!?…。！？؟۔।:;”\"»“'’)")
_STOPS = re.compile(r"[.!?…。！？؟۔।]+(?=\s|$)|[。！？]").findall
_COMMAS = re.compile("[,،、，;؛]").findall
_DIGITS = re.compile(r"\d").findall
_FOOT = re.compile(r"\s*(?:©|\(c\)|copyright|powered by|all rights|สงวนลิขสิทธิ์|کلیه حقوق|تمامی حقوق)", re.I).match
_ACTION = re.compile(
    r"read (?:more|also|next)|see also|related|share|sign up|subscribe|newsletter|follow (?:us|me)|log ?in|click here|"
    r"comments?\b|cookies?|advert|sponsored|more (?:on|from|news|stories)|lesen sie|mehr zum|weiterlesen|anzeige|"
    r"teilen|abonnieren|kommentar|werbung|partager|lire aussi|à lire|abonnez|publicité|leer más|te puede|compartir|"
    r"suscr|leggi anche|condividi|iscriviti|leia (?:mais|também)|compartilh|czytaj|zobacz|udostępnij|"
    r"อ่านเพิ่ม|อ่านต่อ|ข่าวที่เกี่ยวข้อง|เรื่องที่เกี่ยวข้อง|แชร์|ติดตาม|สมัครสมาชิก|"
    r"بیشتر بخوانید|مطالب مرتبط|اخبار مرتبط|اشتراک|عضویت|نظر|ادامه مطلب",
    re.I,
).match

_NOTICE = re.compile(
    r"cookie|privacy|datenschutz|subscri|abonn|newsletter|sign up|log in|password|javascript|browser|advertis|"
    r"terms of|all rights|rights reserved|copyright|e-mail|email|click|facebook|twitter|whatsapp|instagram|"
    r"คุกกี้|ลิขสิทธิ์|ความเป็นส่วนตัว|สมัคร|کوکی|حریم خصوصی|کلیک|خبرنامه|رمز عبور",
    re.I,
).findall

_OWN: Final = [
    "size",
    "words",
    "stops",
    "commas",
    "ends_sentence",
    "digits",
    "upper",
    "link_share",
    "anchors",
    "lines",
    "foot",
    "action",
    "notice",
    "repeated",
    "is_title",
    "in_description",
    "in_record",
    "position",
    "after_title",
    "depth",
    "article_share",
    "articles_above",
    "copies_above",
    "after_action_heading",
    "after_comments",
]
_AROUND: Final = ["size", "link_share", "blocks", "share", "mean_size", "paragraphs", "prose"]
_NEAR: Final = ("size", "link_share", "ends_sentence", "stops")
_WINDOWS: Final = (2, 6)
FEATURES: Final[tuple[str, ...]] = (
    *_OWN,
    *(f"tag_{tag}" for tag in TAGS),
    "heading_level",
    *(f"near_{role}" for role in ROLES),
    *(f"under_{role}" for role in ROLES),
    *(f"{what}_of_{which}" for which in ("home", "parent", "grandparent", "great") for what in _AROUND),
    *(f"{what}_{offset:+d}" for offset in (-2, -1, 1, 2) for what in _NEAR),
    *(f"same_home_{offset:+d}" for offset in (-1, 1)),
    *(f"heading_{offset:+d}" for offset in (-1, 1)),
    *(f"prose_within_{window}" for window in _WINDOWS),
    *(f"link_share_within_{window}" for window in _WINDOWS),
    "prose_before",
    "prose_after",
    "siblings_alike",
    "best_container_share",
    "page_size",
    "page_blocks",
    "page_prose",
    "page_record",
)
_ROLE_BITS = np.array([BIT[role] for role in ROLES], dtype=np.int64)


def _measure(text: str) -> tuple[float, int, int, int, int]:
    """(words, sentence stops, commas, ends a sentence, characters) of a block, guessed alike for every script."""
    length = len(text)
    commas = len(_COMMAS(text))
    stops = len(_STOPS(text))
    ends = text[-1] in _SENTENCE_ENDS
    if not text.isascii():
        if _SOUTHEAST.search(text):
            spaces = text.count(" ")
            words = max(length / 4.5, 1.0)
            # Thai and its neighbours part phrases by spaces, not by commas or stops
            return words, stops + int(words > 25), commas + spaces, int(ends or words > 25), length
        if _EAST.search(text):
            return max(length / 1.7, 1.0), stops, commas, int(ends), length
    return text.count(" ") + 1.0, stops, commas, int(ends), length


def measure_blocks(page: Layout, evidence: Evidence) -> Matrix:
    """One row of `FEATURES` for every block of the page."""
    count = len(page.texts)
    X = np.zeros((count, len(FEATURES)), dtype=np.float32)
    if not count:
        return X
    texts = page.texts
    measured = np.array([_measure(text) for text in texts], dtype=np.float64)
    words, stops, commas, ends, length = measured.T
    link_share = np.minimum(np.array(page.links) / length, 1.0)
    home = np.array(page.home)
    parent = np.array(page.parent)
    first, last = np.array(page.first), np.array(page.last)
    tags = page.tag
    roles = _effective_roles(page, words)

    heads = [tags[element] for element in page.home]
    kinds = np.array([TAG_KIND.get(head, 0) for head in heads])
    seen: dict[str, int] = {}
    for text in texts:
        seen[text] = seen.get(text, 0) + 1
    matched = evidence.match(texts)
    plain = words * (1.0 - link_share)
    prose = np.where((words >= 8) & (link_share < 0.5) & (ends > 0), plain, 0.0)
    before = np.concatenate(([0.0], np.cumsum(words)))
    total = before[-1]
    size = np.log1p(words)

    column = 0

    def put(*values: npt.ArrayLike) -> None:
        nonlocal column
        for value in values:
            X[:, column] = value
            column += 1

    title_at = matched[:, 0]
    action = np.array([_ACTION(text) is not None for text in texts])
    depth, article_share, articles_above, copies_above = _lineage(page, before)
    in_comments = (roles[home] & BIT["comment"]) != 0
    comments_begin = in_comments & (_shift(in_comments, -1) == 0)
    put(
        size,
        words / (words + 20.0),
        np.minimum(stops, 20),
        np.minimum(commas / words, 1.0),
        ends,
        [len(_DIGITS(text[:200])) / min(len(text), 200) for text in texts],
        [text[:100].isupper() for text in texts],
        link_share,
        np.minimum(page.anchors, 10),
        np.minimum([text.count("\n") for text in texts], 10),
        [_FOOT(text) is not None for text in texts],
        action,
        [min(len(_NOTICE(text[:400])), 4) for text in texts],
        np.minimum([seen[text] - 1 for text in texts], 3),
        matched.T[0],
        matched.T[1],
        matched.T[2],
        before[:-1] / total,
        np.minimum(_since(title_at > 0), 40),
        depth[home],
        article_share[home],
        articles_above[home],
        copies_above[home],
        np.minimum(_since(action & (kinds == 2)), 40),
        np.minimum(_since(comments_begin), 40),
    )
    X[np.arange(count), column + kinds] = 1.0
    column += len(TAGS)
    put([int(head[1]) if kind == 2 else 0 for head, kind in zip(heads, kinds, strict=True)])

    own = np.array(page.roles, dtype=np.int64)
    up = parent[home]
    near = own[home] | own[up]
    X[:, column : column + len(ROLES)] = (near[:, None] & _ROLE_BITS) != 0
    column += len(ROLES)
    X[:, column : column + len(ROLES)] = (roles[home][:, None] & _ROLE_BITS) != 0
    column += len(ROLES)

    links_sum = np.concatenate(([0.0], np.cumsum(words * link_share)))
    paragraphs_sum = np.concatenate(([0.0], np.cumsum(kinds == 1)))
    prose_sum = np.concatenate(([0.0], np.cumsum(prose)))
    all_prose = max(float(prose_sum[-1]), 1.0)
    element = home
    for _ in range(4):
        a, b = first[element], last[element]
        inside = np.maximum(before[b] - before[a], 1.0)
        blocks = b - a
        put(
            np.log1p(inside),
            (links_sum[b] - links_sum[a]) / inside,
            np.log1p(blocks),
            inside / total,
            np.log1p(inside / blocks),
            (paragraphs_sum[b] - paragraphs_sum[a]) / blocks,
            (prose_sum[b] - prose_sum[a]) / all_prose,
        )
        element = parent[element]

    for offset in (-2, -1, 1, 2):
        put(*(_shift(values, offset) for values in (size, link_share, ends, np.minimum(stops, 20))))
    for offset in (-1, 1):
        put(_shift(home, offset, -1) == home)
    for offset in (-1, 1):
        put(_shift(kinds, offset) == 2)
    index = np.arange(count)
    for window in _WINDOWS:
        a, b = np.maximum(index - window, 0), np.minimum(index + window + 1, count)
        put(np.log1p(prose_sum[b] - prose_sum[a]))
    for window in _WINDOWS:
        a, b = np.maximum(index - window, 0), np.minimum(index + window + 1, count)
        put((links_sum[b] - links_sum[a]) / (before[b] - before[a]))
    put(prose_sum[:-1] / all_prose, 1.0 - prose_sum[1:] / all_prose)

    signature = [(page.parent[at], head) for at, head in zip(page.home, heads, strict=True)]
    alike: dict[tuple[int, str], int] = {}
    for key in signature:
        alike[key] = alike.get(key, 0) + 1
    put(np.log1p([alike[key] for key in signature]))
    mass = np.zeros(len(tags))
    np.add.at(mass, up, prose)
    put(mass[up] / max(float(mass.max()), 1.0))
    put(np.log1p(total), np.log1p(count), np.log1p(prose_sum[-1]), evidence.record_share)
    assert column == len(FEATURES)
    return X


def _effective_roles(page: Layout, words: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Role bits of every element and all above it; a name that covers nearly all of the page says nothing."""
    before = np.concatenate(([0.0], np.cumsum(words)))
    inside = before[np.array(page.last)] - before[np.array(page.first)]
    wide = (inside > 0.6 * before[-1]).tolist()
    widest = (inside > 0.9 * before[-1]).tolist()
    keep = BIT["article"] | BIT["main"] | BIT["body"] | BIT["content"]
    keep_wide = keep | BIT["comment"]
    out: list[int] = []
    for own, up, covers, all_of_it in zip(page.roles, page.parent, wide, widest, strict=True):
        inherited = out[up] if out else 0
        out.append(inherited | (own & keep if all_of_it else own & keep_wide if covers else own))
    return np.array(out, dtype=np.int64)


def _lineage(page: Layout, before: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Per element: depth, share of the page in its nearest <article>, number of <article> above it, and the most
    copies of one shape (tag and class) among which it or an ancestor stands: cards, comments and teasers repeat."""
    first, last, tags = page.first, page.last, page.tag
    total = float(before[-1])
    sums = before.tolist()
    shapes: dict[tuple[int, str, str], int] = {}
    keys = list(zip(page.parent, tags, page.names, strict=True))
    for key, a, b in zip(keys, first, last, strict=True):
        if b - a > 1:
            shapes[key] = shapes.get(key, 0) + 1
    rows: list[tuple[float, float, float, float]] = [(0.0, 0.0, 0.0, 0.0)]
    for number in range(1, len(tags)):
        depth, share, articles, copies = rows[page.parent[number]]
        a, b = first[number], last[number]
        if tags[number] == "article":
            share, articles = (sums[b] - sums[a]) / total, articles + 1.0
        if b - a > 1:
            copies = max(copies, min(shapes[keys[number]] - 1.0, 20.0))
        rows.append((min(depth + 1.0, 40.0), share, articles, copies))
    return np.array(rows).T


def _shift(values: npt.NDArray[np.generic], offset: int, empty: float = 0.0) -> npt.NDArray[np.generic]:
    """`values` of the block `offset` places on; `empty` beyond the ends of the page."""
    out = np.full(len(values), empty, dtype=values.dtype)
    if offset > 0:
        out[:-offset] = values[offset:]
    else:
        out[-offset:] = values[:offset]
    return out


def _since(marks: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Blocks since the last mark, 40 where there was none."""
    index = np.arange(len(marks))
    last = np.maximum.accumulate(np.where(marks, index, -1))
    return np.where(last >= 0, index - last, 40)
