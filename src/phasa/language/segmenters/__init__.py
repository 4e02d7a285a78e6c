"""Where are the words: engines that cut text, each one file, all behind one protocol."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from phasa.errors import InputError
from phasa.language.segmenters.cuts import CutSegmenter, Segmenter, Span, WordList
from phasa.plugins import Kind, make_plugin, plugin_names

if TYPE_CHECKING:
    from phasa.language.lexicon import Lexicon
    from phasa.language.profile import Profile

__all__ = [
    "DEFAULT",
    "ENGINES",
    "CutSegmenter",
    "Segmenter",
    "Span",
    "data_file",
    "engine_for",
    "engine_names",
    "load_segmenter",
    "model_file",
    "segmenter_for",
    "segmenter_of",
]

DATA = Path(__file__).parents[1] / "data"
DEFAULT, FREE = "default", "free"
_SHIPPED = {DEFAULT: "model-{}.zst", FREE: "model-{}-free.zst"}
_WORDS = "words-{}.txt.zst"
_LISTS = {"lexto": _WORDS, "longest-first": _WORDS, "maximal": _WORDS, "unigram": "frequencies-{}.zst"}
_OWN_SYLLABLES = ("lo", "km", "my")


class Choice(NamedTuple):
    """What an engine is asked to be; each engine takes what it needs of it."""

    language: str
    style: str
    lexicon: Path | None
    model: str

    def words(self) -> tuple[str, ...]:
        """The words of the lexicon asked for, or else of the list shipped for the language."""
        if self.lexicon is None:
            from phasa.language.wordlists import word_list

            return word_list(self.language)
        lexicon = self.lists()
        return (*lexicon.cname, *lexicon.reference)

    def lists(self) -> Lexicon:
        from phasa.language.lexicon import Lexicon, load_lexicon, longest_first

        if self.lexicon is None:
            return Lexicon((), longest_first(self.words()), {})
        return load_lexicon(self.lexicon)


def _phasa(choice: Choice) -> CutSegmenter:
    from phasa.language.segmenters.model import read_model
    from phasa.language.segmenters.pointwise import Pointwise

    return Pointwise(read_model(model_file(choice.language, choice.model)), choice.style)


def _lexto(choice: Choice) -> CutSegmenter:
    from phasa.language.segmenters.lexto import Lexto
    from phasa.language.segmenters.packed import read_packed

    if choice.lexicon is None and (packed := read_packed("lexto", choice.language, Lexto.from_bytes)):
        return packed
    return Lexto(choice.words())


def _longest_first(choice: Choice) -> CutSegmenter:
    from phasa.language.segmenters.longest_first import MENDED, PUBLISHED, LongestFirst
    from phasa.language.segmenters.packed import read_packed
    from phasa.language.segmenters.trie import Trie

    styles = {"auto": PUBLISHED, "published": PUBLISHED, "mended": MENDED}
    if (rules := styles.get(choice.style)) is None:
        raise InputError(f"style {choice.style!r}: engine longest-first has published and mended")
    if choice.lexicon is None and (packed := read_packed("longest-first", choice.language, Trie.from_bytes)):
        return LongestFirst.of_trie(packed, rules)
    return LongestFirst(choice.lists(), rules)


def _maximal(choice: Choice) -> CutSegmenter:
    from phasa.language.segmenters.lattice import Maximal

    return Maximal(choice.words())


def _unigram(choice: Choice) -> CutSegmenter:
    from phasa.language.segmenters.lattice import Unigram

    if choice.lexicon is not None:
        return Unigram(choice.lists().counts)
    counts = frequencies_of(choice.language)
    if counts is None:
        raise InputError(f"engine unigram: no frequencies are shipped for {choice.language!r}; give --lexicon")
    return Unigram(counts)


def frequencies_of(language: str) -> dict[str, int] | None:
    """How often each word of a language stands in a large corpus, where such a list is shipped."""
    from phasa.language.lexicon import load_lexicon

    path = DATA / _LISTS["unigram"].format(_primary(language))
    return load_lexicon(path).counts if path.exists() else None


def _spaced(choice: Choice) -> CutSegmenter:
    from phasa.language.segmenters.spaced import Spaced

    return Spaced()


def _syllables(choice: Choice) -> CutSegmenter:
    from phasa.language.segmenters.syllables import Syllables

    # One style for all lines: what a line is cut into must not depend on the lines around it.
    return Syllables(partial(load_segmenter, "phasa", "th", "general", None, choice.model))


ENGINES: dict[str, Callable[[Choice], CutSegmenter]] = {
    "phasa": _phasa,
    "lexto": _lexto,
    "longest-first": _longest_first,
    "maximal": _maximal,
    "unigram": _unigram,
    "spaced": _spaced,
    "syllables": _syllables,
}


def model_file(language: str = "th", model: str = DEFAULT) -> Path:
    """The file of a word model: "default", "free" (which may be used commercially), or else the path of a file.

    Raises InputError when no model of that name is shipped for the language.
    """
    if model not in _SHIPPED:
        return Path(model)
    path = DATA / _SHIPPED[model].format(language)
    if not path.exists():
        raise InputError(
            f"engine phasa: no model {model!r} is shipped for {language!r}; give --model FILE or another --engine"
        )
    return path


def data_file(name: str, language: str = "th", lexicon: Path | None = None, model: str = DEFAULT) -> Path | None:
    """The file that an engine goes by: its model, lexicon or shipped list; None for one that goes by rules alone.

    Raises InputError as `model_file` does.
    """
    if name == "phasa":
        return model_file(language, model)
    if name in _LISTS:
        return lexicon or DATA / _LISTS[name].format(language)
    return None


@cache
def load_segmenter(
    name: str = "phasa",
    language: str = "th",
    style: str = "auto",
    lexicon: Path | None = None,
    model: str = DEFAULT,
) -> CutSegmenter:
    """The engine of that name, or a plug-in, loaded once.

    `style` and `model` (see `model_file`) concern the engine "phasa", `style` also "longest-first" (published, mended),
    `lexicon` (a lexicon file or a plain word list) those that match words.
    Raises InputError for a name, style, language or file that it cannot use.
    """
    try:
        make = ENGINES[name]
    except KeyError:
        if (mine := make_plugin(Kind.SEGMENTER, name, [language], ["words"])) is not None:
            return WordList(mine.words)
        known = ", ".join([*ENGINES, *plugin_names(Kind.SEGMENTER)])
        raise InputError(f"engine {name!r}: there is none of that name; the engines are {known}") from None
    return make(Choice(language, style, lexicon, model))


def engine_for(language: str) -> str:
    """The name of the right engine for a BCP 47 code."""
    primary = _primary(language)
    if primary == "th":
        return "phasa"
    return "syllables" if primary in _OWN_SYLLABLES else "spaced"


def segmenter_for(language: str, model: str = DEFAULT) -> CutSegmenter:
    """The right engine for a BCP 47 code: its own for scripts without blanks, Unicode words for all others.

    `model` is the word model of the languages whose engine has one (Thai).
    """
    return load_segmenter(engine_for(language), _primary(language), model=model)


def segmenter_of(profile: Profile, model: str = DEFAULT) -> CutSegmenter:
    """The engine that a profile names, with its dictionary where it matches words; else the right one for its code.

    Raises InputError for an engine that there is not, or that lacks what it goes by.
    """
    if profile.segmenter == "spaced":
        return segmenter_for(profile.code, model)
    lexicon = Path(profile.dictionary) if "." in profile.dictionary else None
    return load_segmenter(profile.segmenter, _primary(profile.code), lexicon=lexicon, model=model)


def _primary(language: str) -> str:
    return language.lower().split("-")[0]
