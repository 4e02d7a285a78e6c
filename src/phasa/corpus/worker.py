"""One unit of work from records to rows: all steps that look at one document at a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from heapq import nsmallest
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from phasa.archive.damage import noted
from phasa.corpus.document import Document, Step, run_steps
from phasa.corpus.extraction import extracted
from phasa.corpus.hashing import number_of
from phasa.corpus.languages import Languages, Normalise
from phasa.corpus.options import Options
from phasa.corpus.personal import Mask
from phasa.corpus.quality import Quality
from phasa.corpus.records import read_unit
from phasa.corpus.rights import OptOuts
from phasa.corpus.shingles import Keys, exact_key, keys_of, paragraph_keys, shingles
from phasa.corpus.signals import Measure
from phasa.corpus.sources import Unit
from phasa.corpus.spam import Spam
from phasa.corpus.thresholds import stop_words_for, thresholds_for
from phasa.corpus.words import Words
from phasa.corpus.workspace import UnitCounts, Workspace, write_unit
from phasa.garbage import collected_rarely

SHOWN = 6
"""Documents of a unit whose beginning as it was is kept, to be shown: those with the smallest hash of their address."""
_SAMPLE = 400


@cache
def steps_of(options: Options) -> tuple[Step, ...]:
    """The steps after reading, in order; those switched off that only drop are left out, the others drop nothing."""
    thresholds, _ = thresholds_for(options.profile, options.thresholds)
    steps: list[Step] = []
    if options.has("optout"):
        steps.append(OptOuts())
    steps.append(Languages(options.profile, options.min_score, only=options.has("language")))
    if options.has("normalise"):
        steps.append(Normalise(options.profile))
    steps.append(Words(options.profile))
    steps.append(Measure(stop_words_for(options.profile, thresholds)))
    if options.has("quality"):
        steps.append(Quality(thresholds))
    steps.append(Spam(options.profile, only=options.has("spam")))
    if options.mask:
        steps.append(Mask(options.mask))
    return tuple(steps)


def do_unit(out: Path, unit: Unit, options: Options, wanted: frozenset[str]) -> UnitCounts:
    """Read a unit, send its documents through the steps and write what came of them, whole or not at all."""
    steps = steps_of(options)
    documents: list[Document] = []
    compared, exact, paragraphs = [], [], []
    with collected_rarely(), noted() as damage:
        for batch in extracted(read_unit(unit, wanted)):
            for document in run_steps(batch, steps):
                if document.drop is None:
                    compared.append(shingles(document.words))
                    exact.append(exact_key(document))
                    paragraphs.append(paragraph_keys(document))
                documents.append(_lean(document))
        keys = _with_exact(keys_of(compared), exact)
        workspace = Workspace(out)
        with workspace.new_unit(unit.number) as folder:
            return write_unit(folder, _only_shown(documents), compared, keys, paragraphs, damage)


def _with_exact(keys: Keys, exact: Sequence[int]) -> Keys:
    return np.column_stack([keys, np.array(exact, np.uint64)])


def _lean(document: Document) -> Document:
    """The document without what is not needed any more; of a dropped one the beginning of its text is kept."""
    if document.drop is None:
        return replace(document, words=())
    kept, size = [], 0
    for paragraph in document.paragraphs:
        kept.append(replace(paragraph, text=paragraph.text[: _SAMPLE - size]))
        size += len(paragraph.text)
        if size >= _SAMPLE:
            break
    return replace(document, words=(), paragraphs=tuple(kept))


def _only_shown(documents: Sequence[Document]) -> list[Document]:
    with_text = [one for one in documents if one.before and (one.drop is None or one.drop.step != "extract")]
    shown = {id(one) for one in nsmallest(SHOWN, with_text, key=lambda one: number_of(one.url))}
    return [one if id(one) in shown else replace(one, before="") for one in documents]
