"""What `phasa export` can leave out and clean on the way, short of a corpus: language, wanted pages, main content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from phasa import sandbox
from phasa.archive.text import Text
from phasa.corpus.page import RawPage, read_pages
from phasa.errors import ParserCrashedError
from phasa.language.detectors import detect
from phasa.web.charset import decode


def clean_text(body: bytes, address: str, content_type: str) -> Text | None:
    """A page as its main content; None for one that has none or cannot be read."""
    try:
        (reading,) = sandbox.run(read_pages, [RawPage(body, address, content_type)])
    except ParserCrashedError:
        return None
    if reading.problem or not reading.paragraphs:
        return None
    text = "\n".join(paragraph.text for paragraph in reading.paragraphs)
    verdict = detect(text)
    charset = decode(body[:65_536], content_type or None).charset
    return Text(address, "", verdict.language, verdict.score, charset, reading.title, text)


def only(
    texts: Iterable[Text], language: str, min_score: float, wanted: Callable[[str], bool] | None
) -> Iterator[Text]:
    """The texts that are in the language ('' for any) with at least that score, and whose address is wanted."""
    for text in texts:
        same = not language or text.language == language or text.language.startswith(f"{language}-")
        if same and text.score >= min_score and (wanted is None or wanted(text.url)):
            yield text
