"""docs/settings.md, made from the code: `python -m phasa.reference > docs/settings.md`."""

from __future__ import annotations

from itertools import groupby

from phasa.collection import CollectionSettings
from phasa.settings import describe

_TOP = """# Settings

Every collection has a file `collection.toml`; `phasa init` writes it with a comment on each line. A key that is left
out has the value below. A key that does not exist is refused, and the nearest one that does is named. This page is made
from the code by `python -m phasa.reference > docs/settings.md`.
"""


def settings_page() -> str:
    """The page as Markdown: one table for the top of the file, one for each section."""
    parts = [_TOP]
    for section, rows in groupby(describe(CollectionSettings), key=lambda row: row[0].rpartition(".")[0]):
        parts.append(f"## `[{section}]`\n" if section else "## Top of the file\n")
        parts.append("| Key | Kind | Unless you say otherwise | What it does |\n|---|---|---|---|")
        for key, kind, default, description in rows:
            shown = f"`{default}`" if default else "not set"
            parts.append(f"| `{key.rpartition('.')[2]}` | {_plain(kind)} | {shown} | {_plain(description)} |")
        parts.append("")
    return "\n".join(parts)


def _plain(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    import sys

    sys.stdout.write(settings_page())
