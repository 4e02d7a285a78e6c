"""Run every benchmark of this folder, one process each, so that none warms up another. `make bench` calls it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def main() -> None:
    scripts = sorted(set(Path(__file__).parent.glob("*.py")) - {Path(__file__)})
    for script in scripts:
        print(f"== {script.name}", flush=True)
        subprocess.run([sys.executable, str(script)], check=False)


if __name__ == "__main__":
    main()
