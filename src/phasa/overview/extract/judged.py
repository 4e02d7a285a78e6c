"""The default extractor: every block of the page judged by its features and those of the blocks around it."""

from __future__ import annotations

from typing import Final

from resiliparse.parse.html import HTMLTree

from phasa.overview.extract.blocks import Layout, lay_out
from phasa.overview.extract.content import Element
from phasa.overview.extract.evidence import Evidence, plain
from phasa.overview.extract.features import measure_blocks
from phasa.overview.extract.scorer import load_trees

WEIGHTS: Final = "blocks.npy"
THRESHOLD: Final = 0.55
_WORTH_COMPARING: Final = 30  # characters; shorter texts may stand twice in an article


def extract_elements(tree: HTMLTree, evidence: Evidence) -> list[Element]:
    """The blocks of key content of a parsed page, in document order, each text once."""
    page = lay_out(tree)
    if not page.texts:
        return []
    judged = load_trees(WEIGHTS).judge(measure_blocks(page, evidence)).tolist()
    # A page without an article still has something that is most like one.
    bar = min(THRESHOLD, 0.6 * max(judged))
    chosen = [number for number, chance in enumerate(judged) if chance > bar]
    addresses = _addresses(page, {page.home[number] for number in chosen})
    out: list[Element] = []
    seen: set[str] = set()
    for number in chosen:
        text = page.texts[number]
        if len(text) > _WORTH_COMPARING:
            key = plain(text)
            if key in seen:  # copies for another screen size, quotations pulled out of the text
                continue
            seen.add(key)
        out.append(Element(addresses[page.home[number]], text, number))
    return out


def _addresses(page: Layout, wanted: set[int]) -> dict[int, str]:
    """The paths of the wanted elements among the block-level elements of the page."""
    counts: dict[tuple[int, str], int] = {}
    steps: list[str] = []
    for key in zip(page.parent, page.tag, strict=True):
        counts[key] = place = counts.get(key, 0) + 1
        steps.append(f"/{key[1]}[{place}]")
    known = {0: "/html[1]/body[1]"}
    for element in sorted(wanted):
        chain = []
        while element not in known:
            chain.append(element)
            element = page.parent[element]
        for below in reversed(chain):
            known[below] = known[page.parent[below]] + steps[below]
    return known
