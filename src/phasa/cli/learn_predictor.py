"""`phasa learn predictor`: which segment links lead to the topic, learned from a crawl."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phasa.cli.outputs import print_json


def predictor(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A collection that was crawled with a topic.")],
    dictionary: Annotated[str, typer.Option(help="The related words: 'thailand' or a file.")] = "thailand",
    mode: Annotated[str, typer.Option(help="How words match: literal, bounded, guarded or exact.")] = "bounded",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write; models/segment.predictor when not given.")
    ] = None,
    threshold: Annotated[float, typer.Option(min=0, max=1, help="τ: degree of a relevant segment.")] = 0.5,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the cross-validation.")] = 10,
    repeats: Annotated[int, typer.Option(min=1, help="How often it is repeated.")] = 10,
    seed: Annotated[int, typer.Option(help="Seed of the random choices.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Learn the segment predictor from what a collection crawled, and check it by repeated cross-validation.

    Links within one website are left out. Also prints the sweep of τ (Table 3) and the link ratios (Tables 5–7).
    """

    from phasa.collection import Collection
    from phasa.crawl.learn.lesson import recorded_pages
    from phasa.crawl.run.assembly import judge_of
    from phasa.crawl.segments.dictionary import load_dictionary
    from phasa.crawl.segments.evaluation import link_tables, sweep
    from phasa.crawl.segments.graph import segment_graph
    from phasa.crawl.segments.identifier import key_of
    from phasa.crawl.segments.matcher import Matcher
    from phasa.crawl.segments.training import train_predictor

    collection = Collection.open(directory)
    settings = collection.settings
    profile = collection.profile
    matcher = Matcher(load_dictionary(dictionary), mode, profile.code)
    judge = judge_of(collection, profile)
    graph = segment_graph(recorded_pages(collection.archive_folder, judge))
    learned = train_predictor(
        graph,
        matcher,
        topic=settings.topic,
        language=profile.code,
        threshold=threshold,
        folds=folds,
        repeats=repeats,
        seed=seed,
    )
    collection.models_folder.mkdir(exist_ok=True)
    path = output or collection.models_folder / settings.strategies.segment.predictor
    learned.predictor.save(path)
    table = sweep(graph.segments, graph.links, [key_of(seed_url) for seed_url in collection.seeds()])
    ratios = link_tables(graph.measured_links(matcher, threshold))
    wanted = learned.examples.wanted
    if as_json:
        found = {
            "links": len(wanted),
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
