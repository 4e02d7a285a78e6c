"""`phasa lab`: make a web, replay one, compare strategies, repeat the published experiments."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phasa.cli.lab_run import LIES, run, worlds_of
from phasa.cli.outputs import print_json
from phasa.errors import InputError

if TYPE_CHECKING:
    from phasa.crawl.strategy import Seed
    from phasa.lab.serve import Served

app = typer.Typer(
    no_args_is_help=True,
    help="Make a web, replay one, run experiments.",
    epilog="Example:  phasa lab run --world 1:20000 --seeds thai1 --strategies lswc,bfs --pages 2000",
)


@app.command(epilog="Example:  phasa lab world 1:100000 --lang th")
def world(
    name: Annotated[str, typer.Argument(metavar="SEED:PAGES", help="Which world.")],
    lang: Annotated[
        str,
        typer.Option(
            "--lang", metavar="CODE", help="Recipe: th, fa, fa-near (more neighbours), fa-note (thin); lo, km, de …"
        ),
    ] = "th",
    topics: Annotated[
        bool, typer.Option("--topics", help="English pages on Thailand in segments: tourism, estate, diving.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make a generated web and show how close it is to the published tables, as they are: without lies."""
    from phasa.lab.world import World

    if topics:
        from phasa.papers.segment_crawling.calibration import calibrate_topics

        rows = calibrate_topics(name)
    elif lang == "fa":
        from phasa.papers.persian_crawling.calibration import calibrate as calibrate_persian

        rows = calibrate_persian(World.from_name(name, lang, lies=0.0))
    else:
        from phasa.papers.language_crawling.calibration import calibrate

        rows = calibrate(World.from_name(name, lang, lies=0.0))
    if as_json:
        print_json(rows)
        return
    print(f"{'table':<10} {'what':<36} {'published':>10} {'here':>10} {'off by':>8}")
    for row in rows:
        print(f"{row.table:<10} {row.what:<36} {row.published:>10.4f} {row.here:>10.4f} {row.off:>+8.1%}")


@app.command(epilog="Example:  phasa lab graph --from thai-web -o web.db")
def graph(
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The file to write.")],
    world: Annotated[str, typer.Option("--world", metavar="SEED:PAGES", help="Take a generated web.")] = "",
    source: Annotated[
        list[Path] | None,
        typer.Option(
            "--from", metavar="PATH", help="Take WARC files, folders of them or collections; may be repeated."
        ),
    ] = None,
    lang: Annotated[str, typer.Option("--lang", metavar="CODE", help="Language that crawls are after.")] = "th",
    lies: Annotated[float, typer.Option("--lies", metavar="X", min=0.0, help=LIES)] = 1.0,
) -> None:
    """Store a web graph: an SQLite file with the tables wgnode and wglinks.

    Pages of a collection are labelled by the judge of its crawl, others by the one that a new collection would have.
    """
    from phasa.lab.links import depth_from
    from phasa.lab.store import write_graph

    if bool(world) == bool(source):
        raise InputError("say what to make the graph from: either --world SEED:PAGES or --from PATH")
    if source:
        from phasa.lab.from_archive import captures_of, graph_from, judge_for

        stored = graph_from(captures_of(source), lang, judge_for(source, lang))
        write_graph(stored, out)
    else:
        from phasa.lab.world import World

        made = World.from_name(world, lang, lies)
        stored = made.graph
        write_graph(stored, out, depth_from(stored.offsets, stored.targets, made.sites.first[made.sites.level == 0]))
    print(f"{out}: {len(stored)} addresses, {len(stored.targets)} links, {int(stored.wanted.sum())} pages in '{lang}'")


app.command(epilog="Example:  phasa lab run --world 1:100000 --seeds thai1 --strategies lswc,bfs --pages 5000 --json")(
    run
)


@app.command(epilog="Example:  phasa lab serve 1:20000 --port 8090 --seeds seeds.txt")
def serve(
    name: Annotated[str, typer.Argument(metavar="SEED:PAGES", help="Which world.")],
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")
    ] = 8090,
    lang: Annotated[
        str,
        typer.Option(
            "--lang", metavar="CODE", help="Recipe: th, fa, fa-near (more neighbours), fa-note (thin); lo, km, de …"
        ),
    ] = "th",
    lies: Annotated[float, typer.Option("--lies", metavar="X", min=0.0, help=LIES)] = 1.0,
    seeds: Annotated[
        Path | None, typer.Option("--seeds", metavar="FILE", help="Write addresses to start a crawl from.")
    ] = None,
    seed_set: Annotated[
        str,
        typer.Option("--set", metavar="NAME", help="Which seeds: thai1 …, or set1, set2, set3 (Persian)."),
    ] = "",
    topics: Annotated[bool, typer.Option("--topics", help="A web with topics (docs/segments.md).")] = False,
    topic: Annotated[
        str, typer.Option("--topic", metavar="NAME", help="Of --topics: what --seeds and --listed are about.")
    ] = "tourism",
    listed: Annotated[
        Path | None,
        typer.Option(
            "--listed", metavar="DIR", help="Of --topics: write its directory of sites, about.txt and other.txt."
        ),
    ] = None,
) -> None:
    """Serve a generated web on the loopback; its sites are told apart by the Host header. Ctrl-C ends it."""
    import asyncio
    import signal

    answers, drawn, said = _topical_answers(name, topic, listed) if topics else _answers(name, lang, lies, seed_set)
    if seeds is not None:
        from phasa.crawl.seeds import seed_line

        seeds.write_text("".join(f"{seed_line(seed)}\n" for seed in drawn), encoding="utf-8")

    async def forever() -> None:
        from phasa.lab.serve import answering
        from phasa.web.url import Url, host

        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        async with answering(answers, port) as (actual, _):
            print(f"{said} on http://127.0.0.1:{actual}/", flush=True)
            print(f"try:  curl -H 'Host: {host(Url(drawn[0].url))}' http://127.0.0.1:{actual}/", flush=True)
            await stop.wait()

    try:
        asyncio.run(forever())
        print("ended", file=sys.stderr)
    except OSError as problem:
        raise InputError(f"port {port}: {problem.strerror}; take another one, or --port 0 for a free one") from None


def _answers(name: str, lang: str, lies: float, seeds: str) -> tuple[Served, list[Seed], str]:
    """What answers for a web of languages, addresses to begin at, and how large it is."""
    from phasa.lab.seeds import seeds_of
    from phasa.lab.serve import Answers
    from phasa.lab.world import World

    made = World.from_name(name, lang, lies)
    said = f"{len(made.sites)} sites, {len(made.pages)} pages"
    return Answers(made), list(seeds_of(made, seeds or ("thai1" if lang == "th" else "set3"))), said


def _topical_answers(name: str, topic: str, listed: Path | None) -> tuple[Served, list[Seed], str]:
    """The same for a web with topics; its directory is written into a folder."""
    from phasa.lab.topical.serve import TopicalAnswers, directory
    from phasa.lab.topical.world import TopicalWorld

    made = TopicalWorld.from_name(name)
    seeds = made.seeds(topic)
    if listed is not None:
        listed.mkdir(parents=True, exist_ok=True)
        for file, homes in zip(("about.txt", "other.txt"), directory(made, topic), strict=True):
            (listed / file).write_text("".join(f"{home}\n" for home in homes), encoding="utf-8")
    return TopicalAnswers(made), seeds, f"{len(made.plan.site_type)} sites, {len(made)} pages"


@app.command(epilog="Example:  phasa lab reproduce language-crawl --quick -o reports")
def reproduce(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which experiments; `list` names them, `all` runs them.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="DIR", help="Write a report (HTML, CSV) into this folder.")
    ] = None,
    seeds: Annotated[str, typer.Option("--seeds", metavar="A-B", help="Seeds of the worlds.")] = "1-5",
    pages: Annotated[int, typer.Option("--pages", metavar="N", help="Pages of a world.")] = 100_000,
    quick: Annotated[bool, typer.Option("--quick", help="Small worlds, in about a minute.")] = False,
    only: Annotated[
        str, typer.Option("--only", metavar="E4,E5", help="Of language-crawl and persian: these experiments alone.")
    ] = "",
    lies: Annotated[float, typer.Option("--lies", metavar="X", min=0.0, help=LIES)] = 0.0,
    workers: Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Processes.")] = 1,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", envvar="PHASA_DATA", help="The folder of real data.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Repeat published experiments: each published table next to ours, and which claims hold."""
    from phasa.lab.report import as_data, write_data, write_files, write_text
    from phasa.papers import EXPERIMENTS
    from phasa.papers import reproduce as repeat
    from phasa.papers.options import Options

    if name == "list":
        for known, (_, line) in EXPERIMENTS.items():
            print(f"{known:<16}{line}")
        return
    _known(name, [*EXPERIMENTS, "all", "list"])
    numbers = tuple(int(one.partition(":")[0]) for one in worlds_of(f"{seeds}:1"))
    options = Options(
        numbers,
        pages,
        quick,
        workers,
        data or _data_beside(),
        lambda step: print(f"… {step}", file=sys.stderr, flush=True),
        tuple(part.strip().upper() for part in only.split(",") if part.strip()),
        lies,
    )
    results = []
    for one in EXPERIMENTS if name == "all" else [name]:
        results.append(repeat(one, options))
        if not as_json:
            print(write_text(results[-1]))
        if out is not None:
            written = [*write_files(results[-1], out), write_data(results[-1], out)]
            print("written: " + ", ".join(map(str, written)), file=sys.stderr)
    if as_json:
        print_json([as_data(result) for result in results])


def _data_beside() -> Path | None:
    """The folder of real data where a checkout has it; None for a reader who has the package alone."""
    beside = Path("../shared/data")
    return beside if beside.is_dir() else None


def _known(name: str, names: list[str]) -> None:
    if name not in names:
        from difflib import get_close_matches

        near = get_close_matches(name, names, n=1, cutoff=0.4)
        advice = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(names)}"
        raise InputError(f"experiment '{name}': there is none of that name; {advice}")
