"""Run the demo: `python -m phasa.demo [FOLDER]`."""

from __future__ import annotations

import sys
from pathlib import Path

from phasa.demo.story import tell

if __name__ == "__main__":
    tell(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
