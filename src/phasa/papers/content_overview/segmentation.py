"""Thai words on the BEST corpus, E6 to E10 of the overview specification: the thesis' tables next to ours."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from phasa.errors import InputError
from phasa.lab.result import Cell, Result, Section, table_section
from phasa.language.lexicon import (
    Inconsistency,
    Lexicon,
    Line,
    Word,
    build_lexicon,
    find_inconsistencies,
    longest_first,
    lots_of_five,
    read_corpus,
    refine,
)
from phasa.language.segmenters.cuts import pieces
from phasa.language.segmenters.longest_first import LongestFirst
from phasa.language.segmenters.parallel import separate_all
from phasa.language.segmenters.score import Score, compare, gold_of
from phasa.language.wordlists import word_list
from phasa.papers.options import Options

GENRES = ("article", "encyclopedia", "news", "novel")
WORKERS = 15  # the threads of the thesis

# Published figures: E6 (split form, its count, count of the joined form), then P, R, F by genre in the order of GENRES.
TABLE_4_2 = (
    (("ไม่", "ได้"), 6875, 3),
    (("จะ", "มี"), 4016, 4),
    (("จะ", "เป็น"), 3258, 4),
    (("ดัง", "กล่าว"), 3085, 1),
    (("ชาว", "บ้าน"), 1719, 12),
)
PAIRS = 7697
BEFORE = ((87.28, 82.43, 84.78), (88.59, 84.99, 86.75), (76.85, 80.90, 78.82), (81.86, 81.91, 81.89))
AFTER = ((95.33, 97.34, 96.32), (95.61, 97.69, 96.64), (84.14, 94.54, 89.04), (87.97, 93.59, 90.69))
WITH_NAMES = ((97.51, 97.91, 97.71), (97.15, 97.50, 97.32), (94.20, 96.47, 95.32), (94.62, 95.84, 95.23))
DICTIONARY = ((71.25, 64.36, 67.63), (74.44, 67.10, 70.58), (68.76, 67.26, 68.00), (68.73, 67.72, 68.22))

_TITLES = ("นาย", "นาง", "น.ส.", "ด.ช.", "ด.ญ.", "พล.", "พ.ต.", "พ.ท.", "ร.ต.", "ร.อ.", "ส.ต.", "ดร.", "ม.ร.ว.", "ม.ล.")


class Part(NamedTuple):
    """One half of the corpus, by genre."""

    lines: dict[str, list[Line]]

    def all(self) -> Iterable[Line]:
        return chain.from_iterable(self.lines.values())

    def map(self, change: Callable[[list[Line]], list[Line]]) -> Part:
        return Part({genre: change(lines) for genre, lines in self.lines.items()})


def run(options: Options) -> Result:
    """The tables of E6 to E10 on the BEST files of the real data."""
    folder = options.real_data() / "thai-seg-best"
    train, test, split = _parts(folder)
    common = frozenset(word_list("th"))
    train = train.map(lambda lines: [[_with_likely_tag(word, common) for word in line] for line in lines])
    title = "Thai words on BEST: refinement, names, dictionary (E6–E10)"
    return Result("segmentation", title, split, tables(train, test))


def tables(train: Part, test: Part) -> list[Section]:
    """E6 to E10 for a corpus in two parts: lists are built from `train`, scores are on `test`."""
    both = find_inconsistencies(chain(train.all(), test.all()))
    leak_free = find_inconsistencies(train.all())
    before = build_lexicon(train.all())
    refined = train.map(lambda lines: refine(lines, both))
    refined_test = test.map(lambda lines: refine(lines, both))
    after = build_lexicon(refined.all())
    honest = build_lexicon(train.map(lambda lines: refine(lines, leak_free)).all())
    names = {word.text for line in test.all() for word in line if word.tag}
    with_test_names = Lexicon(longest_first({*after.cname, *names}), after.reference, after.counts)
    dictionary = Lexicon((), longest_first(word_list("th")), {})
    return [
        _e6(both, leak_free),
        _scores(
            "E7. Effect of refinement, Reference Corpus only (Table 4.3)",
            [
                ("before", BEFORE, _no_names(before), test),
                ("after, as published", AFTER, _no_names(after), refined_test),
                ("after, leak-free", None, _no_names(honest), test),
            ],
            (
                "as published: counts are taken on train and test, and the gold of the test part is rewritten too",
                "leak-free: counts on train only, the gold left as it is; no published figure",
                *_DATA_NOTES,
            ),
        ),
        _scores(
            "E8. With CName (Tables 4.4-4.7, row Proposed)",
            [
                ("CName of train", WITH_NAMES, after, refined_test),
                ("CName of train and test", WITH_NAMES, with_test_names, refined_test),
                ("leak-free, CName of train", None, honest, test),
            ],
            (
                "the contest's own lists of names and titles, which the thesis added to CName, are not public; "
                "'CName of train and test' shows what a list that covers the test names gives",
                *_DATA_NOTES,
            ),
        ),
        _scores(
            "E9. Dictionary instead of corpus (Appendix C)",
            [("dictionary", DICTIONARY, dictionary, test)],
            ("LEXiTRON (35,933 words) is not free; the shipped list of 62,177 words stands in, with more compounds",),
        ),
        _e10(after, test),
    ]


_DATA_NOTES = (
    "the split is by whole files, 8 parts train to 1 part test, not lots of five: the files come joined by genre",
    "the train files come without tags; words with a blank, Thai abbreviations with a full stop and unknown words that "
    "begin with a personal title are taken for tagged ones, so some names stay in the Reference Corpus",
)


def _parts(folder: Path) -> tuple[Part, Part, str]:
    """Train, test and how they were parted: the files of each genre by lots of five where they come as published, a
    folder of numbered files for each genre; else the joined files."""
    if not all((folder / genre).is_dir() for genre in GENRES):
        return _read(folder, "train.seg"), _read(folder, "dev.tagged"), "Parted as the joined files come."
    lots = {
        genre: lots_of_five(sorted(path for path in (folder / genre).iterdir() if path.is_file())) for genre in GENRES
    }
    parts = [
        Part({genre: [line for file in lots[genre][half] for line in read_corpus(file)] for genre in GENRES})
        for half in (0, 1)
    ]
    numbers = [sum(len(lots[genre][half]) for genre in GENRES) for half in (0, 1)]
    return parts[0], parts[1], f"One file of five of each genre is for testing: {numbers[0]} train, {numbers[1]} test."


def _read(folder: Path, kind: str) -> Part:
    files = {genre: folder / f"best-{genre}.{kind}.gz" for genre in GENRES}
    if absent := [path for path in files.values() if not path.exists()]:
        raise InputError(f"{absent[0]}: the BEST corpus is not there; put its files into the folder or give --data")
    return Part({genre: list(read_corpus(path)) for genre, path in files.items()})


def _with_likely_tag(word: Word, common: frozenset[str]) -> Word:
    text = word.text
    if word.tag or text.isspace() or len(text) < 2 or not any("\u0e01" <= sign <= "\u0e4e" for sign in text):
        return word
    if "." in text:
        return Word(text, "AB")
    if " " in text or (text not in common and len(text) > 5 and text.startswith(_TITLES)):
        return Word(text, "NE")
    return word


def _no_names(lexicon: Lexicon) -> Lexicon:
    return Lexicon((), lexicon.reference, lexicon.counts)


def _e6(both: list[Inconsistency], leak_free: list[Inconsistency]) -> Section:
    found = {case.split: case for case in both}
    rows: list[list[Cell]] = []
    for split, count, joined in TABLE_4_2:
        case = found.get(split)
        ours = (case.split_count, case.joined_count) if case else (None, None)
        rows.append(["|".join(split), count, joined, *ours])
    rows.append(["pairs, train and test", PAIRS, None, len(both), None])
    rows.append(["pairs, train only", None, None, len(leak_free), None])
    return table_section(
        "E6. The same string cut in two ways (Table 4.2)",
        ("split form", "published split", "published joined", "our split", "our joined"),
        rows,
        "the corpus here is a later public release of BEST: some joined forms of the table are gone ('-')",
    )


def _scores(
    title: str,
    conditions: list[tuple[str, tuple[tuple[float, float, float], ...] | None, Lexicon, Part]],
    notes: tuple[str, ...],
) -> Section:
    rows: list[list[Cell]] = []
    for name, published, lexicon, part in conditions:
        engine = LongestFirst(lexicon)
        found = []
        for number, genre in enumerate(GENRES):
            gold = gold_of([word.text for word in line] for line in part.lines[genre])
            ours = _percent(compare(gold, engine.starts(gold.text)))
            found.append(ours)
            rows.append([name, genre, *(published[number] if published else (None,) * 3), *ours])
        means = (tuple(sum(column) / 4 for column in zip(*table, strict=True)) for table in (published, found) if table)
        cells = [cell for mean in means for cell in mean]
        rows.append([name, "mean", *((None,) * (6 - len(cells))), *cells])
    columns = ("lexicon", "genre", "published P", "R", "F", "our P", "R", "F")
    return table_section(title, columns, rows, *notes)


def _percent(score: Score) -> tuple[float, float, float]:
    return 100 * score.precision, 100 * score.recall, 100 * score.f1


def _e10(lexicon: Lexicon, test: Part) -> Section:
    engine = LongestFirst(lexicon)
    text = gold_of([word.text for word in line] for line in test.all()).text
    outputs: list[str] = []
    rows: list[list[Cell]] = []
    for workers in (1, WORKERS):
        begun = time.perf_counter()
        outputs.append("".join(separate_all(engine, pieces(text, 200_000), workers)))
        rows.append([f"{workers} workers", None, time.perf_counter() - begun])
    same = "equal" if outputs[0] == outputs[1] else "DIFFERENT"
    return table_section(
        "E10. One worker and fifteen (no figures published)",
        ("workers", "published s", "our s, wall clock"),
        rows,
        f"the two outputs are {same}, byte for byte",
    )
