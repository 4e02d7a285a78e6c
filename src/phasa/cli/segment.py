"""`phasa segment`: cut text into words; score engines on gold text; train the default engine."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phasa.cli.group import group_with_default
from phasa.cli.inputs import read_lines, write_text
from phasa.cli.outputs import print_json, print_table
from phasa.errors import InputError

if TYPE_CHECKING:
    from phasa.language.segmenters.cuts import CutSegmenter

app = typer.Typer(
    cls=group_with_default("words"),
    help="Cut text into words.",
    epilog="Example:  phasa segment page.txt   ·   phasa segment page.txt --model free   ·   phasa segment --version",
)

_PART = 1_000_000  # characters read at a time

EngineOption = Annotated[
    str | None,
    typer.Option(help="One of: phasa, lexto, longest-first, maximal, unigram, spaced, syllables."),
]
LanguageOption = Annotated[
    str, typer.Option("--lang", help="Language of the text: a BCP 47 code, or your own profile (.toml).")
]
StyleOption = Annotated[
    str,
    typer.Option(help="Annotation style: auto, general, ud, social, best (model free: plain; longest-first: mended)."),
]
LexiconOption = Annotated[Path | None, typer.Option(help="A lexicon file or a plain word list, for matching engines.")]
ModelOption = Annotated[
    str,
    typer.Option(
        help="The model of engine phasa: default (not for commercial use), free, or a file of `phasa segment train`."
    ),
]


@app.command(
    "words",
    epilog="Example:  echo ภาษาไทยง่ายมาก | phasa segment -   ·   phasa segment page.txt --model free   ·   "
    "phasa segment --version",
)
def words(
    file: Annotated[str, typer.Argument(help="A UTF-8 text file, or - for standard input.")] = "-",
    engine: EngineOption = None,
    language: LanguageOption = "th",
    style: StyleOption = "auto",
    lexicon: LexiconOption = None,
    model: ModelOption = "default",
    collection: Annotated[
        Path | None, typer.Option(help="Cut as this collection does: its language and its word model (words.model).")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes; the output is the same for any number.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help='One {"words": […]} a line.')] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Say which model or list would be used, and under which licence it is.")
    ] = False,
) -> None:
    """Print the words of each line with | between them; the text is otherwise unchanged.

    `phasa segment evaluate GOLD` scores engines, `phasa segment train` makes a model for the default engine.
    """
    from phasa.language.segmenters.parallel import separate_all

    if collection is not None:
        language, model = _words_of(collection)
    if version:
        _print_version(engine, language, lexicon, model)
        return
    cutter = _engine(engine, language, style, lexicon, model)
    if as_json:
        for line in read_lines(file):
            write_text(json.dumps({"words": cutter.words(line)}, ensure_ascii=False) + "\n")
        return
    for text in separate_all(cutter, _parts(file), workers):
        write_text(text)


@app.command("evaluate", epilog="Example:  phasa segment evaluate gold.seg --engines phasa,lexto,maximal")
def evaluate(
    gold: Annotated[list[Path], typer.Argument(help="Gold files: one line a line, words joined by |, plain or .gz.")],
    engines: Annotated[str, typer.Option(help="Engines to score, joined by commas.")] = "phasa,lexto,maximal,unigram",
    language: LanguageOption = "th",
    style: StyleOption = "auto",
    lexicon: LexiconOption = None,
    model: ModelOption = "default",
    as_json: Annotated[bool, typer.Option("--json", help="A JSON list, one object an engine and gold file.")] = False,
) -> None:
    """Score engines on gold text: word precision, recall and F1, boundary F1, MB per second of processor time."""
    from phasa.language.lexicon import read_corpus
    from phasa.language.segmenters.score import evaluate as score_engine
    from phasa.language.segmenters.score import gold_of

    results = []
    for path in gold:
        standard = gold_of([word.text for word in line] for line in read_corpus(path))
        if not standard.text:
            raise InputError(f"{path}: no segmented line in it; write one line a line, words joined by '|'")
        for name in engines.split(","):
            cutter = _engine(name.strip(), language, style, lexicon, model)
            results.append(score_engine(name.strip(), cutter, path.name, standard))
    rows = [
        {
            "engine": result.engine,
            "gold": result.gold,
            "precision": round(result.score.precision, 4),
            "recall": round(result.score.recall, 4),
            "f1": round(result.score.f1, 4),
            "boundary_f1": round(result.score.boundary_f1, 4),
            "mb_per_cpu_s": round(result.megabytes_per_second, 2),
        }
        for result in results
    ]
    if as_json:
        print_json(rows)
    else:
        print_table(list(rows[0]), [list(row.values()) for row in rows])


@app.command(
    "train", epilog="Example:  phasa segment train -o my.zst best=a.seg,b.seg ud=treebank.seg --without test.seg"
)
def train(
    corpora: Annotated[list[str], typer.Argument(help="STYLE=FILE,FILE… ; the first style is for unknown text.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write; its card goes beside it.")],
    without: Annotated[
        list[Path] | None, typer.Option(help="A segmented file kept for testing: lines with its texts are not learned.")
    ] = None,
    licence: Annotated[
        list[str] | None, typer.Option(help="STYLE=TEXT: the licence of a corpus, for the card.")
    ] = None,
    word_list: Annotated[
        Path | None, typer.Option(help="Further known words, one a line; default: those shipped.")
    ] = None,
    language: LanguageOption = "th",
    frequencies: Annotated[
        Path | None,
        typer.Option(help="Words with their counts in other text: a lexicon file. Frequent ones are known."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Same files and seed, same model.")] = 4,
    repeats: Annotated[int, typer.Option(min=1, help="How often the lines of later styles are seen in a pass.")] = 8,
    note: Annotated[str, typer.Option(help="What else the model card should say.")] = "",
) -> None:
    """Learn a model for the default engine from segmented text. Two passes; minutes for millions of words."""
    from phasa.cli.progress import bar
    from phasa.language.lexicon import load_lexicon
    from phasa.language.segmenters.card import WordLists, card_of, card_page, read_corpora
    from phasa.language.segmenters.train import Recipe
    from phasa.language.segmenters.train import train as learn
    from phasa.language.wordlists import word_list as shipped

    named: dict[str, list[Path]] = {}
    for style, files in _pairs(corpora, "best=news.seg"):
        named.setdefault(style, []).extend(Path(file) for file in files.split(","))
    kept_back = without or []
    read = read_corpora(named, kept_back, dict(_pairs(licence or [], "best=CC0-1.0")))
    recipe = Recipe(seed=seed, repeats=repeats)
    known = shipped(language) if word_list is None else load_lexicon(word_list).reference
    counts = load_lexicon(frequencies).counts if frequencies else {}
    with bar("training", 1.0) as show:
        lines = {corpus.style: corpus.lines for corpus in read}
        model = learn(lines, known, recipe, lambda done: show(done, 1.0), frequencies=counts)
    lists = WordLists(word_list.name if word_list else f"words-{language}", frequencies.name if frequencies else "")
    card = card_of(read, recipe, kept_back, lists, note)
    model._replace(card=card).save(output)
    output.with_suffix(".md").write_text(card_page(output.name, card), encoding="utf-8")
    print(f"{output}: {output.stat().st_size / 1e6:.2f} MB", file=sys.stderr)


def _pairs(arguments: list[str], example: str) -> Iterator[tuple[str, str]]:
    for argument in arguments:
        style, equals, value = argument.partition("=")
        if not (style and equals and value):
            raise InputError(f"{argument!r}: write STYLE=…, for example {example}")
        yield style, value


def _engine(name: str | None, language: str, style: str, lexicon: Path | None, model: str) -> CutSegmenter:
    from phasa.language.profile import load_profile
    from phasa.language.segmenters import load_segmenter, segmenter_for, segmenter_of

    if language.endswith(".toml"):
        profile = load_profile(language)
        if name is None and style == "auto" and lexicon is None:
            return segmenter_of(profile, model)
        language = profile.code
    if name is None and style == "auto" and lexicon is None:
        return segmenter_for(language, model)
    return load_segmenter(name or ("lexto" if lexicon else "phasa"), language, style, lexicon, model)


def _words_of(folder: Path) -> tuple[str, str]:
    """The language of a collection and the word model that its settings choose."""
    from phasa.collection import Collection

    collection = Collection.open(folder)
    language = collection.settings.language
    return str(collection.path / language) if language.endswith(".toml") else language, collection.word_model


def _print_version(name: str | None, language: str, lexicon: Path | None, model: str) -> None:
    """The version, and the file that the engine would go by with its licence and sources."""
    from phasa import __version__
    from phasa.language.profile import load_profile
    from phasa.language.segmenters import data_file, engine_for

    if language.endswith(".toml"):
        profile = load_profile(language)
        language = profile.code
        if profile.segmenter != "spaced":
            name = name or profile.segmenter
            lexicon = lexicon or (Path(profile.dictionary) if "." in profile.dictionary else None)
    name = name or ("lexto" if lexicon else engine_for(language))
    rows = [("phasa", __version__), ("engine", name)]
    if path := data_file(name, language, lexicon, model):
        rows += [("file", path.name), *_origin(path)]
    for key, value in rows:
        print(f"{key:<8} {value}")


def _origin(path: Path) -> list[tuple[str, str]]:
    """The licence of a model or list and what it was made from: of our own as NOTICE has it, else as its card says."""
    from phasa.language.segmenters import DATA
    from phasa.language.segmenters.model import read_model
    from phasa.licences import licence_of

    if path.parent == DATA and (entry := licence_of(path)):
        return [("licence", entry.terms), *(("from", source) for source in entry.sources)]
    try:
        corpora = read_model(path).card["corpora"]
    except (InputError, KeyError):
        return [("licence", "not stated in the file")]
    return [("from", f"{', '.join(corpus['files'])}: {corpus['licence']}") for corpus in corpora.values()]


def _parts(file: str) -> Iterator[str]:
    """The text in parts that end with line ends, so that memory does not grow with the input."""
    with open(0 if file == "-" else file, encoding="utf-8", errors="surrogateescape", newline="\n") as stream:
        while text := stream.read(_PART):
            yield text + (stream.readline() if not text.endswith("\n") else "")
