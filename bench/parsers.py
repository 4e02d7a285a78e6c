"""HTML parsers on mutated pages, each in a process of its own: who survives, and how fast each is.

    python bench/parsers.py [--pages 20000] [--seed 1]
    python bench/parsers.py --agreement [DIR]      trees beside those of html5lib-tests (see bench/parser_trees.py)

Prints parsed pages a CPU second and deaths (signal, and the page that did it, in hex, when it is short). `CRASH` is the
smallest page known that ends turbohtml 1.15.4: a report to its authors needs no more than

    import turbohtml
    turbohtml.parse("<a>" + "<x>" * 506 + "<table><td></table><x><p><a>", positions=False)   # SIGSEGV

The number of <x> matters: see `python bench/parsers.py --depths`, which tries each from 500 to 512.

The cause, by reading src/turbohtml/_c/dom/tree.c (not traced): `stack_push` leaves an element off the stack of open
elements once that has TH_MAX_TREE_DEPTH (512) of them, and says that all is well. The insertion modes go on as if it
were there: after a <table> that was left off, `clear_to` looks for a table and empties the stack; the next <a> then
runs `adoption_agency` with the formatting element at the bottom of the stack, and `tree->open[fmt_stack - 1]` is read
before the beginning of the array. A cap that cannot be passed over would be one that refuses the token as a whole.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import sys
import tarfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from phasa.web import charset

sys.path.insert(0, str(Path(__file__).parents[1]))
from bench.parser_trees import DATA, agreement

CRASH = "<a>" + "<x>" * 506 + "<table><td></table><x><p><a>"
WORDS = "a b i p div table tr td th tbody select option form svg math template li ul h1 x nobr button applet frameset"
TAGS = WORDS.split()


def mutated(dice: random.Random) -> str:
    """Tag soup: runs of tags, nesting near the bound, pieces cut and doubled."""
    pieces = []
    for _ in range(dice.randint(1, 40)):
        tag = dice.choice(TAGS)
        shape = dice.random()
        if shape < 0.1:
            pieces.append(f"<{tag}>" * dice.choice((3, 20, 100, 500, 512)))
        elif shape < 0.6:
            pieces.append(f"<{tag}>")
        elif shape < 0.9:
            pieces.append(f"</{tag}>")
        else:
            pieces.append(dice.choice(("text", "&lt;", "<!--", "-->", "<![CDATA[", "\0", "ก", "<")))
    return "".join(pieces)


def parsers() -> dict[str, Callable[[str], object]]:
    """Those that are installed."""
    found: dict[str, Callable[[str], object]] = {}
    import turbohtml
    from resiliparse.parse.html import HTMLTree

    found["turbohtml"] = lambda html: turbohtml.parse(html, positions=False)
    found["resiliparse"] = lambda html: HTMLTree.parse(html)
    try:
        from selectolax.lexbor import LexborHTMLParser  # type: ignore[import-not-found, unused-ignore]

        found["selectolax"] = lambda html: LexborHTMLParser(html)
    except ImportError:
        pass
    try:
        import lxml.html

        found["lxml"] = lambda html: lxml.html.document_fromstring(html or "<p>")
    except ImportError:
        pass
    return found


def real_pages(most: int) -> list[str]:
    """Homepages of 2018, where the data is."""
    path = DATA.parent / "pages-homepages2018" / "pages.tar.xz"
    if not path.is_file():
        return []
    with tarfile.open(path) as files:
        bodies = (stream.read() for file in files if (stream := files.extractfile(file)))
        return [charset.decode(body).text for body in islice(bodies, most)]


def _seconds(parse: Callable[[str], object], pages: list[str]) -> float:
    before = time.process_time()
    for page in pages:
        parse(page)
    return time.process_time() - before


def survive(parse: Callable[[str], object], pages: list[str]) -> tuple[float, list[tuple[str, str]]]:
    """CPU seconds of all pages that parse, and how the others ended the process that parsed them."""
    deaths: list[tuple[str, str]] = []
    at, spent = 0, 0.0
    while at < len(pages):
        ears, mouth = os.pipe()
        child = os.fork()
        if not child:
            begun = time.process_time()
            for number in range(at, len(pages)):
                os.write(mouth, b"%d %f\n" % (number, time.process_time() - begun))
                with contextlib.suppress(Exception):  # a refusal is no death
                    parse(pages[number])
            os.write(mouth, b"%d %f\n" % (len(pages), time.process_time() - begun))
            os._exit(0)
        os.close(mouth)
        with os.fdopen(ears, "rb") as heard:
            last = heard.read().splitlines()[-1].split()
        status = os.waitpid(child, 0)[1]
        spent += float(last[1])
        at = int(last[0]) + 1
        if os.WIFSIGNALED(status):
            deaths.append((signal.Signals(os.WTERMSIG(status)).name, pages[at - 1]))
    return spent, deaths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--depths", action="store_true", help="only: at which depths CRASH ends each parser")
    parser.add_argument("--agreement", type=Path, nargs="?", const=DATA, help="only: trees beside html5lib-tests")
    arguments = parser.parse_args()
    if arguments.agreement is not None:
        if not (arguments.agreement / "tree-construction").is_dir():
            print(f"{arguments.agreement}: no html5lib-tests there; bench/parser_trees.py says how to get them")
            return
        for name, found in agreement(arguments.agreement).items():
            strict = f", {found.strict / found.cases:.1%} with namespaces and templates" if found.strict >= 0 else ""
            print(
                f"{name:<12} {found.agreed:,} of {found.cases:,} trees ({found.agreed / found.cases:.1%}){strict}; "
                f"{found.select} of the {found.cases - found.agreed} others have a <select>"
            )
        return
    if arguments.depths:
        deep = [CRASH.replace("<x>" * 506, "<x>" * depth) for depth in range(500, 513)]
        for name, parse in parsers().items():
            print(name, [page.count("<x>") - 1 for _, page in survive(parse, deep)[1]])
        return
    dice = random.Random(arguments.seed)
    pages = [CRASH, *(mutated(dice) for _ in range(arguments.pages))]
    size = sum(map(len, pages)) / 1e6
    real = real_pages(300)
    for name, parse in parsers().items():
        spent, deaths = survive(parse, pages)
        known = sum(page == CRASH for _, page in deaths)
        print(
            f"{name:<12} {len(pages) / spent:>9,.0f} pages, {size / spent:>6.1f} MB a CPU second; {len(deaths)} deaths"
        )
        if real:
            best = min(_seconds(parse, real) for _ in range(3))
            print(f"    {len(real)} real pages: {sum(map(len, real)) / 1e6 / best:,.0f} million letters a CPU second")
        for word, page in sorted(deaths, key=lambda death: len(death[1]))[:3]:
            print(f"    {word}: {page[:120]!r}{'…' if len(page) > 120 else ''}{' (CRASH)' if page == CRASH else ''}")
        assert known <= 1


if __name__ == "__main__":
    main()
