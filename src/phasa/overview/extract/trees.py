"""Pages to trees to metadata and elements: the part of extraction that runs in the sandbox (phasa.sandbox)."""

from __future__ import annotations

from collections.abc import Sequence

from phasa.garbage import never_collected
from phasa.overview.extract.content import Element
from phasa.overview.extract.metadata import Metadata, read_metadata
from phasa.overview.extract.page import read_tree
from phasa.overview.extract.thesis import Rules
from phasa.overview.extract.thesis import extract_elements as thesis_elements


def by_features(pages: Sequence[tuple[str, str]]) -> list[tuple[Metadata, list[Element]]]:
    """Pages, each its text and its URL, by phasa's own method: all together, which is quicker."""
    from phasa.overview.extract.blocks import lay_out
    from phasa.overview.extract.features import Draft  # loads numpy, which the published method does without
    from phasa.overview.extract.judged import extract_elements

    declared: list[Metadata] = []
    drafts: list[Draft] = []
    # The collector would look through the growing lists of a large page again and again.
    with never_collected():
        for text, url in pages:  # one tree at a time: it is large, and read while the processor still has it at hand
            tree = read_tree(text)
            declared.append(read_metadata(tree, url))
            drafts.append(Draft(lay_out(tree), declared[-1].evidence))
        return list(zip(declared, extract_elements(drafts), strict=True))


def by_thesis(pages: Sequence[tuple[str, str]], rules: Rules | None) -> list[tuple[Metadata, list[Element]]]:
    """The same by the published method."""
    found = []
    with never_collected():
        for text, url in pages:
            tree = read_tree(text)
            found.append((read_metadata(tree, url), thesis_elements(tree, rules or Rules())))
    return found


def metadata_of(pages: Sequence[tuple[str, str]]) -> list[Metadata]:
    """What pages say of themselves, for elements that somebody else found."""
    return [read_metadata(read_tree(text), url) for text, url in pages]
