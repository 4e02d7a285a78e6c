"""`phasa learn predictor`: which segment links lead to the topic, learned from a crawl."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phasa.cli.inputs import read_lines
from phasa.cli.outputs import print_json
from phasa.errors import InputError


def predictor(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A collection that was crawled with a topic.")],
    dictionary: Annotated[str, typer.Option(help="The related words: 'thailand' or a file.")] = "thailand",
    mode: Annotated[str, typer.Option(help="How words match: literal, bounded, guarded or exact.")] = "bounded",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write; models/segment.predictor when not given.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(min=0, max=1, help="τ: degree of a relevant segment; else that of the settings.")
    ] = None,
    targets: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Pages on the topic: hop 0 are the pages that link to them."),
    ] = None,
    hops: Annotated[
        int, typer.Option(min=0, help="Learn from pages at most so many links from hop 0; 0: from all. Published: 2.")
    ] = 0,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the cross-validation.")] = 10,
    repeats: Annotated[int, typer.Option(min=1, help="How often it is repeated.")] = 10,
    seed: Annotated[int, typer.Option(help="Seed of the random choices.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Learn the segment predictor from what a collection crawled, and check it by repeated cross-validation.

    Links within one website are left out. Also prints the sweep of τ (Table 3) and the link ratios (Tables 5–7).
    Hop 0 are the seeds of the collection, or the pages in it that link to --targets, as the published training crawl
    began at back-links. How links are read is in [strategies.segment] of the collection (docs/segments.md).
    """

    from phasa.collection import Collection
    from phasa.crawl.learn.lesson import recorded_pages
    from phasa.crawl.run.assembly import judge_of
    from phasa.crawl.segments.choices import choices_of
    from phasa.crawl.segments.dictionary import load_dictionary
    from phasa.crawl.segments.evaluation import link_tables, sweep
    from phasa.crawl.segments.graph import segment_graph
    from phasa.crawl.segments.hops import citing, within_hops
    from phasa.crawl.segments.identifier import key_by
    from phasa.crawl.segments.matcher import Matcher
    from phasa.crawl.segments.training import train_predictor

    collection = Collection.open(directory)
    settings = collection.settings
    profile = collection.profile
    chosen = settings.strategies.segment
    choices, threshold = choices_of(chosen), chosen.threshold if threshold is None else threshold
    matcher = Matcher(load_dictionary(dictionary), mode, profile.code, choices.counted)
    pages = list(recorded_pages(collection.archive_folder, judge_of(collection, profile)))
    starts = collection.seeds() if targets is None else citing(pages, _listed(targets))
    if targets is not None and not starts:
        raise InputError(f"{targets}: no page of {directory} links to one of these")
    if hops:
        near = within_hops(pages, starts, hops)
        pages = [page for page in pages if page.url in near]
    graph = segment_graph(pages, choices)
    learned = train_predictor(
        graph,
        matcher,
        topic=settings.topic,
        language=profile.code,
        threshold=threshold,
        folds=folds,
        repeats=repeats,
        seed=seed,
        choices=choices,
        hops=hops,
    )
    collection.models_folder.mkdir(exist_ok=True)
    path = output or collection.models_folder / settings.strategies.segment.predictor
    learned.predictor.save(path)
    table = sweep(graph.segments, graph.links, [key_by(choices.directories)(url) for url in starts])
    ratios = link_tables(graph.measured_links(matcher, threshold))
    wanted = learned.examples.wanted
    if as_json:
        found = {
            "links": len(wanted),
            "pages": len(pages),
            "hop_0": len(starts),
            "countries": len(set(graph.countries.values())),
            "relevant": int(wanted.sum()),
            "inside": learned.examples.inside,
            "g_mean": learned.check.mean,
            "g_mean_link": learned.link_only.mean,
            "g_mean_words": learned.words_only.mean,
            "sweep": [row._asdict() for row in table],
            "ratios": {name: ratio._asdict() for name, ratio in ratios.items()},
        }
        print_json(found)
        return
    print(f"{path}: {len(wanted)} links between websites, {int(wanted.sum())} to relevant segments")
    print(
        f"G-mean {learned.check.mean:.4f} ± {learned.check.deviation:.4f};"
        f" links alone {learned.link_only.mean:.4f}, words alone {learned.words_only.mean:.4f}"
    )
    print("τ      harvest  coverage  F")
    for row in table:
        print(f"{row.threshold:<6} {row.harvest:7.3f}  {row.coverage:8.3f}  {row.f:.3f}")
    print("relevant destinations where it holds / where not")
    for name, ratio in ratios.items():
        print(f"{name:<8} {ratio.holds:.3f} / {ratio.fails:.3f}")


def _listed(file: Path) -> list[str]:
    """The addresses of a list, as pages have them. Raises InputError for a line that is none."""
    from phasa.web.url import parse

    found = []
    for number, line in enumerate(read_lines(str(file)), 1):
        if text := line.partition("#")[0].strip():
            url = parse(text)
            if url is None:
                raise InputError(f"{file}, line {number}: {text!r} is not a web address")
            found.append(url)
    return [str(url) for url in found]
