"""Filters that scripts call for batch after batch of files start without the command-line library.

Loading that library takes as long as extracting fifty pages. So the plain form of such a call, with options that hold
no surprise, is understood here; everything else (help, other options, mistakes) is left to the command itself, which
takes these options in the same way.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence

from phasa.garbage import collected_rarely


def run_filter(arguments: Sequence[str]) -> int | None:
    """The exit code when `arguments` were the plain form of a filter, None when they must be read in full."""
    if not arguments or arguments[0] != "extract":
        return None
    as_json = "--json" in arguments
    pages = [argument for argument in arguments[1:] if argument != "--json"]
    if not pages or any(page.startswith("-") and page != "-" for page in pages):
        return None
    from phasa.cli.extraction import print_contents

    gc.freeze()  # what was loaded stays; looking for garbage in it again and again takes a tenth of the time
    with collected_rarely():
        return 0 if print_contents(pages, as_json=as_json) else 1
