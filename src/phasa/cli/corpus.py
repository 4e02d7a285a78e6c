"""`phasa corpus`: build a corpus, and ask it why."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from phasa.cli.group import group_with_default
from phasa.cli.outputs import print_json, print_table

app = typer.Typer(
    cls=group_with_default("build"),
    help="Clean, deduplicated, documented text of one language from archives (phasa corpus SOURCE… -o OUT --lang L).",
    epilog="Example:  phasa corpus thai-web -o thai-corpus --lang th",
)


@app.command("build", epilog="Example:  phasa corpus 'CC-MAIN-*.warc.gz' -o persian-corpus --lang fa --mask all")
def build_corpus(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE…", help="Collections, WARC, ARC or WET files, globs, folders of HTML or text."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OUT", help="The folder of the corpus.")],
    language: Annotated[str, typer.Option("--lang", metavar="L", help="Code of the language, or a profile (.toml).")],
    urls: Annotated[
        Path | None, typer.Option("--urls", metavar="FILE", help="Only these addresses, one a line.")
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="STEP",
            help="Switch a step off: optout, language, normalise, quality, spam, duplicates, boilerplate.",
        ),
    ] = None,
    mask: Annotated[
        list[str] | None,
        typer.Option(
            "--mask", metavar="KIND", help="Mask personal data: mail, iban, card, thai-id, phone, iran-id, or all."
        ),
    ] = None,
    thresholds: Annotated[
        Path | None, typer.Option("--thresholds", metavar="FILE", help="Thresholds of your own (phasa corpus learn).")
    ] = None,
    min_score: Annotated[
        float, typer.Option("--min-score", min=0, max=1, help="Least score of the language of a paragraph.")
    ] = 0.5,
    jaccard: Annotated[
        float, typer.Option("--jaccard", min=0.5, max=1, help="From which similarity on documents are duplicates.")
    ] = 0.8,
    against: Annotated[
        list[Path] | None,
        typer.Option("--against", metavar="CORPUS", help="Leave out what an earlier corpus has. May be repeated."),
    ] = None,
    form: Annotated[str, typer.Option("--format", metavar="F", help="jsonl, parquet or both.")] = "both",
    workers: Annotated[
        int, typer.Option("--workers", metavar="N", min=0, help="Processes; 0: as many as there are cores.")
    ] = 0,
    on_cluster: Annotated[
        bool,
        typer.Option(
            "--cluster", help="Work on a Ray cluster: that of RAY_ADDRESS, or one on this machine (docs/corpus.md)."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print corpus.json.")] = False,
) -> None:
    """Build a corpus, or go on with one that was stopped: give the same command again."""
    from phasa.cli.progress import bar
    from phasa.corpus.build import build
    from phasa.corpus.options import Options, check_switches, profile_of
    from phasa.corpus.personal import KINDS
    from phasa.corpus.sources import read_addresses
    from phasa.errors import InputError

    kinds = tuple(KINDS) if mask and "all" in mask else tuple(mask or ())
    check_switches(tuple(without or ()), kinds, tuple(KINDS))
    if form not in ("jsonl", "parquet", "both"):
        raise InputError(f"--format {form}: give jsonl, parquet or both")
    options = Options(
        profile=profile_of(language),
        without=tuple(sorted(set(without or ()))),
        mask=tuple(kind for kind in KINDS if kind in kinds),
        thresholds=str(thresholds.resolve()) if thresholds else "",
        min_score=min_score,
        jaccard=jaccard,
        against=tuple(str(path.resolve()) for path in against or ()),
        parquet=form != "jsonl",
        jsonl=form != "parquet",
    )
    wanted = read_addresses(urls) if urls else frozenset()
    with ExitStack() as stack:
        run = None
        if on_cluster:
            from phasa.fleet.batch import cluster

            out = out.absolute()  # tasks have other working folders
            run = stack.enter_context(cluster(workers)).each
        show = stack.enter_context(bar("pages"))
        built = build(
            sources,
            out,
            options,
            addresses=wanted,
            workers=workers,
            progress=lambda stage, done, of: show(done, of),
            run=run,
        )
    for problem in built.problems:
        print(f"phasa: {problem}", file=sys.stderr)
    if as_json:
        print_json(built.summary)
    else:
        counts = built.summary.counts
        print_table(
            ("step", "left out", "left", "reasons"),
            [
                (stage.step, stage.dropped, stage.left, ", ".join(f"{name} {n:,}" for name, n in stage.reasons.items()))
                for stage in built.summary.funnel
            ],
        )
        done = "" if built.fresh else " (it was there already)"
        print(f"{out}: {counts.kept:,} documents, {counts.words:,} words, {len(counts.hosts):,} hosts{done}")
    if built.problems:
        raise typer.Exit(1)


@app.command("why", epilog="Example:  phasa corpus why thai-corpus http://www.ku.ac.th/")
def why(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The corpus.")],
    url: Annotated[str, typer.Argument(metavar="URL", help="The address, as the corpus has it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object for each record.")] = False,
) -> None:
    """Which step kept or dropped an address, with the numbers."""
    import msgspec

    from phasa.corpus.explain import explain

    for found in explain(out, url):
        if as_json:
            print_json(found)
            continue
        for name, value in msgspec.structs.asdict(found).items():
            if isinstance(value, dict):
                value = ", ".join(f"{key} {number:g}" for key, number in value.items())
            if value not in ("", 0):
                print(f"{name.replace('_', ' '):<13} {value}")
        print()


@app.command("report", epilog="Example:  phasa corpus report thai-corpus -o thai-corpus.html")
def report_corpus(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The corpus.")],
    page: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="The page; OUT/report.html when not given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print corpus.json instead.")] = False,
) -> None:
    """Write a page that shows the funnel, languages, lengths, duplicates, hosts, and samples before and after."""
    from phasa.corpus.build import read_summary
    from phasa.corpus.report import report
    from phasa.files import replace_file

    summary = read_summary(out)
    if as_json:
        print_json(summary)
        return
    target = page or out / "report.html"
    replace_file(target, report(summary))
    print(target)


@app.command("learn", epilog="Example:  phasa corpus learn encyclopedia.txt --lang lo -o lo-thresholds.toml")
def learn_thresholds(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="Clean text: .jsonl with a text, or documents between blank lines."),
    ],
    language: Annotated[str, typer.Option("--lang", metavar="L", help="Code of the language, or a profile (.toml).")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The thresholds, for --thresholds.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Learn the thresholds of a language from clean text of it."""
    from phasa.corpus.learn import learn, read_clean
    from phasa.files import replace_file
    from phasa.language.profile import load_profile
    from phasa.settings import write_settings

    learned = learn((text for path in files for text in read_clean(path)), load_profile(language))
    replace_file(out, write_settings(learned.thresholds))
    if as_json:
        print_json(learned)
    else:
        print(f"{out}: from {learned.documents:,} documents, {learned.words:,} words")
