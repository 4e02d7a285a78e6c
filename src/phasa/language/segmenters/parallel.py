"""Cut a long text with several processes. The result is that of one process, byte for byte.

Lines are independent of each other, so the text is dealt out at line ends and put together in order. What an engine
decides once for a whole text (its style) is decided before dealing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor

from phasa.language.segmenters.cuts import CutSegmenter, pieces
from phasa.language.segmenters.pointwise import Pointwise

_engine: CutSegmenter | None = None


def separate_all(engine: CutSegmenter, texts: Iterable[str], workers: int = 1) -> Iterator[str]:
    """Each text with bars between its words; the texts are parts of one text, each ending with a line end."""
    settled = _settled(engine, texts)
    if workers <= 1:
        for fixed, text in settled:
            yield fixed.separated(text)
        return
    first = next(settled, None)
    if first is None:
        return
    with ProcessPoolExecutor(workers, initializer=_start, initargs=(first[0],)) as pool:
        parts = (part for text in _chain(first[1], settled) for part in pieces(text))
        yield from pool.map(_separate, parts)


def _settled(engine: CutSegmenter, texts: Iterable[str]) -> Iterator[tuple[CutSegmenter, str]]:
    fixed: CutSegmenter | None = None
    for text in texts:
        if fixed is None:
            fixed = engine.with_style(engine.style_for(text)) if isinstance(engine, Pointwise) else engine
        yield fixed, text


def _chain(first: str, rest: Iterable[tuple[CutSegmenter, str]]) -> Iterator[str]:
    yield first
    yield from (text for _, text in rest)


def _start(engine: CutSegmenter) -> None:
    global _engine
    _engine = engine


def _separate(text: str) -> str:
    assert _engine is not None
    return _engine.separated(text)
