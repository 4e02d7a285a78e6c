"""What the commands print for other programs."""

from __future__ import annotations

import sys

from phasa.cli.inputs import write_text


def print_json(value: object) -> None:
    """Print a value as one line of JSON: UTF-8 whatever the terminal is set to, and in turn with what `print` wrote."""
    import msgspec

    sys.stdout.flush()
    write_text(msgspec.json.encode(value).decode() + "\n")
