"""What starting a command costs before it does anything: CPU seconds, least and median of several processes.

python bench/start.py [--rounds N]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys

STARTS = {
    "python, empty": ["-c", "pass"],
    "python, import typer": ["-c", "import typer, typer.rich_utils"],
    "python, import phasa": ["-c", "import phasa"],
    "phasa --version": ["-m", "phasa", "--version"],
    "phasa --help": ["-m", "phasa", "--help"],
    "phasa crawl --help": ["-m", "phasa", "crawl", "--help"],
    "phasa detect, one line": ["-m", "phasa", "detect"],
    "phasa segment, one line": ["-m", "phasa", "segment"],
    "phasa extract, one line": ["-m", "phasa", "extract", "-"],
}


def cost(arguments: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], input=b"<p>one line</p>\n", stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=7)
    rounds = options.parse_args().rounds
    print(f"{'CPU seconds':<28}{'least':>8}{'median':>8}")
    for name, arguments in STARTS.items():
        spent = [cost(arguments) for _ in range(rounds)]
        print(f"{name:<28}{min(spent):>8.2f}{statistics.median(spent):>8.2f}", flush=True)


if __name__ == "__main__":
    main()
