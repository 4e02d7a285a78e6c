"""Word lists learned from segmented corpora: read, build, refine, keep."""

from phasa.language.lexicon.corpus import Line, Word, lots_of_five, raw_text, read_corpus, read_line, write_line
from phasa.language.lexicon.lexicon import Lexicon, build_lexicon, load_lexicon, longest_first, plain_names
from phasa.language.lexicon.refine import Inconsistency, find_inconsistencies, refine, settle

__all__ = [
    "Inconsistency",
    "Lexicon",
    "Line",
    "Word",
    "build_lexicon",
    "find_inconsistencies",
    "load_lexicon",
    "longest_first",
    "lots_of_five",
    "plain_names",
    "raw_text",
    "read_corpus",
    "read_line",
    "refine",
    "settle",
    "write_line",
]
