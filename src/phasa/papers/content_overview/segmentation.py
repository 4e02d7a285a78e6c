"""Thai words on the BEST corpus, E6 to E10 of the overview specification: the thesis' tables next to ours.

The rules as written give less than the published figures; §4.7.4 names what the source seems to have had besides. Each
such rule is a switch (`STEPS`), and every figure is there with and without them, as published and leak-free.
"""

from __future__ import annotations

import time
from itertools import chain
from typing import NamedTuple

from phasa.lab.result import Cell, Claim, Result, Section, table_section
from phasa.language.lexicon import (
    Inconsistency,
    Lexicon,
    Line,
    build_lexicon,
    longest_first,
    plain_names,
    refine,
    settle,
)
from phasa.language.segmenters.cuts import pieces
from phasa.language.segmenters.longest_first import MENDED, PUBLISHED, LongestFirst, Rules
from phasa.language.segmenters.parallel import separate_all
from phasa.language.segmenters.score import Score, compare, gold_of
from phasa.language.wordlists import word_list
from phasa.papers.content_overview.corpora import GENRES, Corpus, Part, read_best, read_small
from phasa.papers.options import Options

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
PUBLISHED_MEANS = (93.17, 96.40)  # F of E7 and E8

Figures = tuple[tuple[float, float, float], ...]


class Step(NamedTuple):
    """A set of switches."""

    name: str
    repeat: bool = False
    """Refine until a run finds nothing, instead of once."""
    rules: Rules = PUBLISHED
    plain: bool = False
    """Names without blanks at their ends and of three characters or more."""


STEPS = (
    Step("the rules as written"),
    Step("+ refined until nothing changes", repeat=True),
    Step("+ no entry cuts a character cluster", repeat=True, rules=Rules(clusters=True)),
    Step("+ residue cut by class of character", repeat=True, rules=MENDED),
    Step("+ no names with blanks at an end or of two characters", repeat=True, rules=MENDED, plain=True),
)
WRITTEN, SWITCHED = STEPS[0], STEPS[-1]


class Condition(NamedTuple):
    """What is scored: a lexicon with the rules of an engine on a gold standard, beside published figures."""

    name: str
    published: Figures | None
    lexicon: Lexicon
    rules: Rules
    gold: Part


class Refined(NamedTuple):
    """A corpus after refinement: the lists of its train part, and the gold that goes with them."""

    runs: list[list[Inconsistency]]
    once: Lexicon
    settled: Lexicon
    gold_once: Part
    gold_settled: Part

    def lists(self, step: Step) -> tuple[Lexicon, Part]:
        lexicon, gold = (self.settled, self.gold_settled) if step.repeat else (self.once, self.gold_once)
        return plain_names(lexicon) if step.plain else lexicon, gold


def run(options: Options) -> Result:
    """The tables of E6 to E10: on BEST in the folder of real data, on the package's small corpus without one."""
    corpus = read_small() if options.data is None else read_best(options.real_data())
    if options.quick:
        corpus = corpus._replace(train=corpus.train.map(_some), test=corpus.test.map(_some))
    where = "BEST" if corpus.is_best else "a small free corpus"
    title = f"Thai words on {where}: refinement, names, dictionary (E6–E10)"
    sections = tables(corpus)
    return Result("segmentation", title, "" if corpus.is_best else corpus.notes[0], sections, _claims(sections))


def _some(lines: list[Line]) -> list[Line]:
    return lines[:4000]


def tables(corpus: Corpus) -> list[Section]:
    """E6 to E10: lists are built from the train part, scores are on the test part."""
    train, test = corpus.train, corpus.test
    leaky, honest = _refined(train, test, leak=True), _refined(train, test, leak=False)
    names = {word.text for line in test.all() for word in line if word.tag}
    dictionary = Lexicon((), longest_first(word_list("th")), {})
    before = build_lexicon(train.all())
    return [
        _e6(leaky.runs, honest.runs, corpus.is_best),
        _scores(
            "E7. Effect of refinement, Reference Corpus only (Table 4.3)",
            [
                Condition("before", BEFORE, _no_names(before), PUBLISHED, test),
                _e7("after, as published", AFTER, leaky, WRITTEN),
                _e7("after, leak-free", None, honest, WRITTEN),
                _e7("after, as published, switches", AFTER, leaky, SWITCHED),
                _e7("after, leak-free, switches", None, honest, SWITCHED),
            ],
            (
                "as published: counts are taken on train and test, and the gold of the test part is rewritten too",
                "leak-free: counts on train only, the gold left as it is; no published figure",
                "switches: all of the table on switches below",
                *corpus.notes,
            ),
        ),
        _scores(
            "E8. With CName (Tables 4.4-4.7, row Proposed)",
            [
                _e8("CName of train", WITH_NAMES, leaky, WRITTEN),
                _e8("CName of train and test", WITH_NAMES, leaky, WRITTEN, names),
                _e8("leak-free, CName of train", None, honest, WRITTEN),
                _e8("CName of train, switches", WITH_NAMES, leaky, SWITCHED),
                _e8("CName of train and test, switches", WITH_NAMES, leaky, SWITCHED, names),
                _e8("leak-free, CName of train, switches", None, honest, SWITCHED),
            ],
            (
                "the contest's own lists of names and titles, which the thesis added to CName, are not public; "
                "'CName of train and test' shows what a list that covers the test names gives",
                *corpus.notes,
            ),
        ),
        _switches(leaky, honest),
        _scores(
            "E9. Dictionary instead of corpus (Appendix C)",
            [Condition("dictionary", DICTIONARY, dictionary, PUBLISHED, test)],
            ("LEXiTRON (35,933 words) is not free; the shipped list of 62,177 words stands in, with more compounds",),
        ),
        _e10(leaky.once, test),
    ]


def _refined(train: Part, test: Part, leak: bool) -> Refined:
    """The corpus refined with counts of both parts and a rewritten gold, or (leak-free) of the train part alone."""
    runs = settle(chain(train.all(), test.all()) if leak else train.all())
    trains, golds = [train], [test]
    for cases in runs:
        trains.append(trains[-1].map(lambda lines, cases=cases: refine(lines, cases)))  # type: ignore[misc]
        golds.append(golds[-1].map(lambda lines, cases=cases: refine(lines, cases)) if leak else test)  # type: ignore[misc]
    first = min(1, len(runs))
    return Refined(runs, build_lexicon(trains[first].all()), build_lexicon(trains[-1].all()), golds[first], golds[-1])


def _e7(name: str, published: Figures | None, refined: Refined, step: Step) -> Condition:
    lexicon, gold = refined.lists(step)
    return Condition(name, published, _no_names(lexicon), step.rules, gold)


def _e8(
    name: str, published: Figures | None, refined: Refined, step: Step, names: frozenset[str] | set[str] = frozenset()
) -> Condition:
    lexicon, gold = refined.lists(step)
    if names:
        more = Lexicon(longest_first({*lexicon.cname, *names}), lexicon.reference, lexicon.counts)
        lexicon = plain_names(more) if step.plain else more
    return Condition(name, published, lexicon, step.rules, gold)


def _switches(leaky: Refined, honest: Refined) -> Section:
    """Mean F of E7 and E8, one switch more a row."""
    rows: list[list[Cell]] = []
    for step in STEPS:
        means: list[Cell] = []
        for make in (_e7, _e8):
            if make is _e7 and step.plain:
                means += rows[-1][1:3]  # E7 has no names
                continue
            means += [_mean(_by_genre(make("", None, refined, step)))[2] for refined in (leaky, honest)]
        rows.append([step.name, *means])
    rows.append(["published", PUBLISHED_MEANS[0], None, PUBLISHED_MEANS[1], None])
    return table_section(
        "Switches: what the rules as written lack (§4.7.4), mean F",
        ("switches", "E7 as published", "E7 leak-free", "E8 as published", "E8 leak-free"),
        rows,
        "only the first row is in the source; that the program had the others is a guess that its figures support",
        "`phasa segment --engine longest-first --style mended` has the two switches that are rules of the engine, "
        "`phasa lexicon build --mend` those of the lists",
    )


def _claims(sections: list[Section]) -> list[Claim]:
    means = {row[0]: row[-1] for row in sections[1].tables[0].rows if row[1] == "mean"}
    before, after = means["before"], means["after, as published"]
    assert isinstance(before, float)
    assert isinstance(after, float)
    detail = f"mean F {before:.2f} before, {after:.2f} after"
    return [Claim("E7", "refinement raises F", after > before, detail)]


def _no_names(lexicon: Lexicon) -> Lexicon:
    return Lexicon((), lexicon.reference, lexicon.counts)


def _e6(both: list[list[Inconsistency]], leak_free: list[list[Inconsistency]], is_best: bool) -> Section:
    found = {case.split: case for case in both[0]} if both else {}
    rows: list[list[Cell]] = []
    for split, count, joined in TABLE_4_2:
        case = found.get(split)
        ours = (case.split_count, case.joined_count) if case else (None, None)
        rows.append(["|".join(split), count, joined, *ours])
    for name, published, runs in (("train and test", PAIRS, both), ("train only", None, leak_free)):
        sizes = [len(cases) for cases in runs] or [0]
        rows.append([f"pairs, {name}", published, None, sizes[0], None])
        rows.append([f"pairs of further runs, {name}", None, None, ", ".join(map(str, [*sizes[1:], 0])), None])
    return table_section(
        "E6. The same string cut in two ways (Table 4.2)",
        ("split form", "published split", "published joined", "our split", "our joined"),
        rows,
        "the corpus here is a later public release of BEST: some joined forms of the table are gone ('-')"
        if is_best
        else "the published counts are those of BEST; the corpus here is another and small",
    )


def _scores(title: str, conditions: list[Condition], notes: tuple[str, ...]) -> Section:
    rows: list[list[Cell]] = []
    for condition in conditions:
        name, found = condition.name, _by_genre(condition)
        published = condition.published
        by_genre = dict(zip(GENRES, published, strict=True)) if published else {}
        for genre, ours in found.items():
            rows.append([name, genre, *by_genre.get(genre, (None,) * 3), *ours])
        means = _mean(by_genre) if by_genre else (None,) * 3
        rows.append([name, "mean", *means, *_mean(found)])
    columns = ("lexicon", "genre", "published P", "R", "F", "our P", "R", "F")
    return table_section(title, columns, rows, *notes)


def _by_genre(condition: Condition) -> dict[str, tuple[float, float, float]]:
    engine = LongestFirst(condition.lexicon, condition.rules)
    found = {}
    for genre, lines in condition.gold.lines.items():
        gold = gold_of([word.text for word in line] for line in lines)
        found[genre] = _percent(compare(gold, engine.starts(gold.text)))
    return found


def _mean(figures: dict[str, tuple[float, float, float]]) -> tuple[float, float, float]:
    precision, recall, f = (sum(column) / len(figures) for column in zip(*figures.values(), strict=True))
    return precision, recall, f


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
