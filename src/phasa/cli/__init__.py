"""The `phasa` command: parse arguments, call one function, print.

Each command is one module of this package with a `app: typer.Typer`; it is imported only when it is called, so
`phasa --help` stays fast. To add a command, write the module and add one line to `COMMANDS`.
"""

from __future__ import annotations

import errno
import os
import sys
from io import TextIOWrapper
from typing import NoReturn

from phasa.cli.filters import run_filter
from phasa.errors import PhasaError

# name -> (module with `app`, the one line that `phasa --help` shows), in the order of the manual
COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("phasa.cli.init", "Make a collection: a folder with its settings and seeds."),
    "crawl": ("phasa.cli.crawl", "Run or resume a crawl."),
    "settings": ("phasa.cli.settings", "Every setting of a collection: its default and what it does."),
    "learn": ("phasa.cli.learn", "Build and check the knowledge base from what was crawled."),
    "status": ("phasa.cli.status", "Where a collection stands."),
    "why": ("phasa.cli.why", "The whole story of one URL."),
    "detect": ("phasa.cli.detect", "Say in which language texts, pages or lines are."),
    "languages": ("phasa.cli.languages", "List the languages that phasa knows, or make its model anew."),
    "segment": ("phasa.cli.segment", "Cut text into words; score and train engines."),
    "lexicon": ("phasa.cli.lexicon", "Word lists learned from segmented corpora."),
    "extract": ("phasa.cli.extract", "Print the key content of pages."),
    "keywords": ("phasa.cli.keywords", "Print the words that say what pages are about."),
    "overview": ("phasa.cli.overview", "Write the variable tag cloud of a page, a site or a collection."),
    "export": ("phasa.cli.export", "Write a collection as WACZ, text or a page repository."),
    "feeds": ("phasa.cli.feeds", "Poll feeds at the right moments: plan, watch, report, evaluate."),
    "lab": ("phasa.cli.lab", "Make a web, replay one, run experiments."),
    "serve": ("phasa.cli.serve", "The web application of a collection on this machine."),
}


def main() -> None:
    """Run the command line. Exit code 0: done; 1: it could not be done, one line says why; 2: wrong usage."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no Thai letters shows ? and goes on
    try:
        try:
            code = run_filter(sys.argv[1:])
            if code is None:
                from phasa.cli.group import app  # loads the command-line library

                app(prog_name="phasa")
            elif code:
                sys.exit(code)
        finally:
            sys.stdout.flush()  # here, where it is still known what to do when nobody reads it
    except KeyboardInterrupt:
        sys.exit(130)  # as the shell has it: ended by Ctrl-C
    except (PhasaError, OSError) as problem:
        if isinstance(problem, BrokenPipeError):
            end_unread()
        if os.environ.get("PHASA_DEBUG"):
            raise
        print(f"phasa: {_one_line(problem)}", file=sys.stderr)
        sys.exit(1)


def end_unread() -> NoReturn:
    """End well when the reader of our output went away (`phasa … | head`): nothing more can be written to it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)


def _one_line(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.strerror is not None:
        what = problem.strerror.lower()
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            what += "; make room, then give the same command again"
        return what if problem.filename is None else f"{problem.filename}: {what}"
    return " ".join(str(problem).split())
