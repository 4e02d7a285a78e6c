"""phasa collects, keeps fresh and reads the web of one language.

`import phasa` loads nothing else; what it offers (docs/api.md) is loaded when it is used first.
"""

from __future__ import annotations

import logging
import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from phasa.api import (
        compare,
        create_collection,
        detect,
        extract,
        keywords,
        open_collection,
        overview,
        plan_feed,
        segment,
    )

__version__ = "0.1.0"
__all__ = [
    "compare",
    "create_collection",
    "detect",
    "extract",
    "keywords",
    "open_collection",
    "overview",
    "plan_feed",
    "segment",
]

logging.getLogger("phasa").addHandler(logging.NullHandler())  # silent unless the program that imports us wants to know


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'phasa' has no attribute '{name}'")
    from phasa import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


class _OverviewPackage(ModuleType):
    """`phasa.overview` is a package, and `phasa.overview(pages)` is the function of the same name."""

    def __call__(self, *pages: Any, **options: Any) -> Any:
        from phasa import api

        return api.overview(*pages, **options)


class _Phasa(ModuleType):
    @property
    def overview(self) -> ModuleType:
        package = import_module("phasa.overview")
        package.__class__ = _OverviewPackage
        return package

    @overview.setter
    def overview(self, package: ModuleType) -> None:
        """The import system puts the package here once it is loaded; the property finds it anyway."""


sys.modules[__name__].__class__ = _Phasa
