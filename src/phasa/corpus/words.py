"""The words of a document, found once for all that counts them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from phasa.corpus.document import Document
from phasa.language.profile import Profile
from phasa.language.segmenters import FREE, CutSegmenter, load_segmenter, segmenter_of


class Words:
    """The step that finds words. One style for all texts: what a paragraph is cut into must not depend on what stands
    around it, or two near duplicates would have different words."""

    name = "words"

    def __init__(self, profile: Profile) -> None:
        self._engine = engine_of(profile)

    def __call__(self, documents: Sequence[Document]) -> list[Document]:
        found = words_of_each([one.text for one in documents], self._engine)
        return [replace(one, words=words) for one, words in zip(documents, found, strict=True)]


def engine_of(profile: Profile) -> CutSegmenter:
    """The engine of a profile; for Thai the word model that everybody may use."""
    if profile.segmenter == "phasa":
        return load_segmenter("phasa", profile.code.partition("-")[0], "general", None, FREE)
    return segmenter_of(profile)


def words_of(text: str, engine: CutSegmenter) -> tuple[str, ...]:
    """The words in lower case; blanks and punctuation are none."""
    return words_of_each([text], engine)[0]


def words_of_each(texts: Sequence[str], engine: CutSegmenter) -> list[tuple[str, ...]]:
    """`words_of` each of several texts."""
    found = engine.words_of_each([text.lower() for text in texts])
    is_word = {word: word[0].isalnum() for word in set().union(*found)}
    return [tuple(filter(is_word.__getitem__, words)) for words in found]
