"""The pages of the application in the order of the menu."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from phasa.service.section import Section

# Modules of this package with a `section`.
SECTIONS = ("overview", "crawl", "feeds", "browse", "lab", "jobs_page")


@cache
def sections() -> tuple[Section, ...]:
    """Every page."""
    loaded = (import_module(f"phasa.service.{name}").section for name in SECTIONS)
    return tuple(section for section in loaded if isinstance(section, Section))
