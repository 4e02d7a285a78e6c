"""The web as a graph of the lab, for crawls after one language: what the lab replays is what is served."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from bench.debian.answers import prefer
from bench.debian.survey import Row, Survey

from phasa.lab.graph import AddressList, Graph
from phasa.lab.phrases import Phrases
from phasa.language.detectors.dictionary import dictionary
from phasa.language.profile import load_profile


class Recorded(AddressList):
    """Addresses that remember which of them were asked for, in order: the fetches of a replay."""

    def __init__(self, urls: Sequence[str]) -> None:
        super().__init__(urls)
        self.asked: list[str] = []

    def find(self, url: str) -> int:
        self.asked.append(url)
        return super().find(url)


def accept_language(code: str) -> str:
    """What a crawl after a language sends."""
    return f"{code},en;q=0.5,*;q=0.3"


def graph_of(survey: Survey, language: str) -> Graph:
    """The graph of all addresses; an address that stands for several languages is what a crawl after this one gets."""
    profile = load_profile(language)
    gamma = dictionary(profile).gamma if profile.dictionary else lambda text: 0.0
    rows = chosen_rows(survey, language)
    place = {row.url: number for number, row in enumerate(survey.rows)}
    hints = survey.hints
    labels = [row.language for row in rows]
    languages, language_of = np.unique([*labels, *hints, "und"], return_inverse=True)
    codes = {code: number + 1 for number, code in enumerate(languages.tolist()) if code}
    charsets, charset_of = np.unique([row.charset for row in rows], return_inverse=True)
    hint_of = np.array([codes.get(hint, 0) for hint in hints], dtype=np.uint8)
    flat = np.fromiter(chain.from_iterable(row.hints for row in rows), dtype=np.int64)
    return Graph(
        target=language,
        addresses=Recorded([survey.urls[row.url] for row in survey.rows]),
        offsets=np.concatenate([[0], np.cumsum([len(row.links) for row in rows])]).astype(np.int64),
        targets=np.fromiter((place[goal] for row in rows for goal in row.links), dtype=np.int32),
        language=language_of[: len(rows)].astype(np.uint8),
        languages=tuple(languages.tolist()),
        similarity=np.array([float(label == language) for label in labels], dtype=np.float32),
        status=np.array([row.status for row in rows], dtype=np.uint16),
        moved=np.array([place[row.moved] if row.moved >= 0 else -1 for row in rows], dtype=np.int32),
        charset=charset_of.astype(np.uint8),
        charsets=tuple(charsets.tolist()),
        threshold=profile.threshold,
        phrase=np.fromiter(chain.from_iterable(row.anchors for row in rows), dtype=np.uint32),
        phrases=Phrases(tuple(survey.anchors), np.array([gamma(text) if text else 0.0 for text in survey.anchors]), {}),
        hint=hint_of[flat],
    )


def chosen_rows(survey: Survey, language: str) -> list[Row]:
    """The rows as a crawl after a language meets them: where one stands for several, the one that it is given."""
    accept = accept_language(language)
    return [row.variants[prefer(accept, list(row.variants))] if row.variants else row for row in survey.rows]
