"""In which language is a text: `detect` for the default, `detector` for a method by name.

Each method is a file here, behind the protocol of `detector.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import cast

from phasa.errors import InputError
from phasa.language.detectors.detector import Detector, OneByOne
from phasa.language.profile import Profile, load_profile
from phasa.language.verdict import Verdict
from phasa.plugins import Kind, make_plugin, plugin_names

__all__ = ["METHODS", "Detector", "OneByOne", "detect", "detector"]

# method -> (module, function that makes it from the profile of the wanted language or None, one line about it)
METHODS: dict[str, tuple[str, str, str]] = {
    "auto": ("phasa.language.detectors.auto", "auto", "script first, then what tells its languages apart: the default"),
    "model": ("phasa.language.detectors.model", "model", "the general model alone, whatever the script"),
    "script": ("phasa.language.detectors.script", "script_ratio", "share of letters in the language's scripts"),
    "charset": ("phasa.language.detectors.charset", "charset_only", "the declared charset alone"),
    "dictionary": ("phasa.language.detectors.dictionary", "dictionary", "Γ, known words among all words"),
    "ngram": ("phasa.language.detectors.ngram", "ngram", "n-gram ranks after Cavnar and Trenkle"),
    "kernel": ("phasa.language.detectors.kernel", "kernel", "byte string kernel, whatever the encoding"),
    "persian": ("phasa.language.detectors.persian", "persian", "Persian cascade: tag, charset, letters, stop words"),
    "persian-meta": ("phasa.language.detectors.persian", "persian_meta", "Persian cascade, language tag alone"),
    "persian-content": ("phasa.language.detectors.persian", "persian_content", "Persian cascade, content alone"),
}


def detect(text: str) -> Verdict:
    """The language of a text by the default method; `und` when there is too little to tell."""
    return detector().detect(text)


@cache
def detector(method: str = "auto", language: str | Profile | None = None) -> Detector:
    """The detector of that name, or a plug-in, loaded once. `language`: the one that yes/no methods ask for (code,
    profile file, or the profile itself).

    Raises InputError for a method there is not, SettingsError for a language there is not.
    """
    profile = load_profile(language) if isinstance(language, str) else language
    if method not in METHODS:
        mine = make_plugin(Kind.DETECTOR, method, [profile], ("detect", "detect_many", "judge", "judge_many"))
        if mine is not None:
            return cast(Detector, mine)
        known = ", ".join([*METHODS, *plugin_names(Kind.DETECTOR)])
        raise InputError(f"method {method!r}: there is none of that name; the methods are {known}")
    module, function, _ = METHODS[method]
    make: Callable[[Profile | None], Detector] = getattr(import_module(module), function)
    return make(profile)
