"""How an overview is made: what settings and options say, put together into the steps from pages to a cloud."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from phasa.collection import Collection
from phasa.errors import InputError
from phasa.language.segmenters import DEFAULT
from phasa.overview.extract.method import Method
from phasa.overview.extract.thesis import Rules
from phasa.overview.overview import Overview, overview_of
from phasa.overview.reading import Reading, Recipe
from phasa.overview_choices import Scope, Style, Weigh
from phasa.overview_settings import OverviewSettings
from phasa.plugins import absolute

PUBLISHED_SEGMENTER = "longest-first"


class Making(NamedTuple):
    """From pages to readings (`recipe`), from readings to weights, from weights to a cloud.

    `segmenter` '' is the language's own, with the word `model`; `target` None is what the cloud opens with by itself,
    `pages` 0 as many as the caller reads by itself.
    """

    recipe: Recipe = Recipe()
    weigh: str = Weigh.PHASA
    segmenter: str = ""
    model: str = DEFAULT
    theme: str = Style.CALM
    target: int | None = None
    pages: int = 0

    def overview(self, readings: Sequence[Reading], title: str = "") -> Overview:
        """What these pages are about. Raises InputError for an engine that there is not."""
        return overview_of(
            readings, title=title, weigh=self.weigh, segmenter=self.segmenter, model=self.model, theme=self.theme
        )


def making(
    settings: OverviewSettings = OverviewSettings(),  # noqa: B008 - immutable
    *,
    language: str | None = None,
    model: str = DEFAULT,
) -> Making:
    """What the settings say together; `as_published` is the thesis from end to end, but for a segmenter that is named.

    `language` is that of the pages where it is known. Raises InputError for a scope with a weight that has none.
    """
    published = settings.as_published
    weigh = Weigh.AMTF if published else settings.weigh
    if settings.scope == Scope.PAGE:
        if weigh not in (Weigh.AMTF, Weigh.AMTF_PAGE):
            raise InputError(f"scope page: the weight {weigh} knows no scope; choose the weight amtf")
        weigh = Weigh.AMTF_PAGE
    method = Method.THESIS if published else settings.extract
    rules = Rules(logic=settings.logic, form_policy=settings.form)
    segmenter = settings.segmenter or (PUBLISHED_SEGMENTER if published else "")
    theme = Style.PUBLISHED if published else settings.style
    return Making(
        Recipe(method, language, rules), weigh, segmenter, model, theme, settings.target or None, settings.pages
    )


def making_of(collection: Collection) -> Making:
    """How overviews of a collection are made: its section [overview], and its word model."""
    return making(settings_of(collection), model=collection.word_model)


def settings_of(collection: Collection) -> OverviewSettings:
    """The section [overview] of a collection; a plug-in's file is named relative to the collection."""
    settings = collection.settings.overview
    base = collection.path
    return msgspec.structs.replace(
        settings, extract=absolute(settings.extract, base), segmenter=absolute(settings.segmenter, base)
    )
