"""How much of a text is in a language that has no dictionary: what stands in for Γ then.

The share of its letters that are in the language's scripts, times the general model's chance for the language among
those that share the script. A script that one language alone uses needs no model; Latin letters alone say nothing,
since they stand in texts of every language.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from phasa.language.census import take_census
from phasa.language.detectors.auto import ONE_LANGUAGE
from phasa.language.detectors.detector import sample
from phasa.language.detectors.model import FOR_SCRIPTS, GeneralModel
from phasa.language.profile import Profile
from phasa.language.scripts import SCRIPT_ID, SCRIPTS

_AT_ONCE = 2000


class Chance:
    """The stand-in for Γ, 0 to 1, for one language."""

    def __init__(self, profile: Profile, model: GeneralModel | None = None) -> None:
        self._profile = profile
        self._model = model or GeneralModel()
        self._known = profile.code in self._model.codes or profile.code in ONE_LANGUAGE.values()
        self._scripts = [SCRIPT_ID[script] for script in profile.scripts]
        self._telling = [SCRIPT_ID[script] for script in profile.scripts if script != "Latn"]

    def of_each(self, texts: Sequence[str]) -> list[float]:
        """The value of each text; many short ones cost little more than one."""
        found: list[float] = []
        for start in range(0, len(texts), _AT_ONCE):
            found += self._batch(texts[start : start + _AT_ONCE]).tolist()
        return found

    def _batch(self, texts: Sequence[str]) -> NDArray[np.float64]:
        census = take_census([sample(text, FOR_SCRIPTS) for text in texts])
        letters = np.maximum(census.counts.sum(axis=1), 1)
        values = census.counts[:, self._telling].sum(axis=1) / letters
        for script_id in set(census.leading.tolist()) & set(self._scripts):
            script = SCRIPTS[script_id]
            if script in ONE_LANGUAGE:
                continue
            rows = np.flatnonzero(census.leading == script_id)
            chances = self._model.chances(script, [texts[row] for row in rows.tolist()], self._profile.code)
            if chances is not None:
                values[rows] = chances * census.counts[rows][:, self._scripts].sum(axis=1) / letters[rows]
            elif self._known:
                values[rows] = 0.0  # another language's text: Han without Hangul is not Korean
        return np.asarray(values, np.float64)


@cache
def chance(profile: Profile) -> Chance:
    """The stand-in for Γ of a profile, made once."""
    return Chance(profile)
