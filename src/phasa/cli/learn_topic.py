"""`phasa learn topic`: a subject, from pages that are about it and pages that are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phasa.cli.inputs import read_lines
from phasa.cli.outputs import print_json
from phasa.cli.sources import is_address, read_source
from phasa.errors import InputError

if TYPE_CHECKING:
    from phasa.web.html import Page

_PAGES = {".html", ".htm", ".xhtml", ".txt"}


def topic(
    output: Annotated[Path, typer.Option("--output", "-o", help="The topic file to write.")],
    positive: Annotated[
        list[str], typer.Option("--positive", "-p", help="About it: folder, page, or list of URLs.")
    ] = [],  # noqa: B006
    negative: Annotated[list[str], typer.Option("--negative", "-n", help="Not about it: the same.")] = [],  # noqa: B006
    country: Annotated[
        str, typer.Option(metavar="CODE", help="A country as the topic, from names alone: its ISO 3166 code.")
    ] = "",
    called: Annotated[list[str], typer.Option(help="What else the country is called, such as 'thai'.")] = [],  # noqa: B006
    dictionary: Annotated[str, typer.Option(help="Its related words: 'thailand' or a file.")] = "thailand",
    shipped: Annotated[
        str, typer.Option(metavar="NAME", help="A shipped topic again, from its own sources: thailand.")
    ] = "",
    name: Annotated[str, typer.Option(help="What to call it; the name of the file when not given.")] = "",
    lang: Annotated[str, typer.Option(help="The language of the pages that are wanted.")] = "en",
    must: Annotated[list[str], typer.Option(help="A page must have one of these words too.")] = [],  # noqa: B006
    folds: Annotated[int, typer.Option(min=2, help="Parts of the cross-validation.")] = 10,
    repeats: Annotated[int, typer.Option(min=1, help="How often it is repeated.")] = 10,
    pages_per_site: Annotated[int, typer.Option(min=1, help="Most pages of one site.")] = 300,
    seed: Annotated[int, typer.Option(help="Seed of the random choices.")] = 0,
    crawl: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The lists name sites: crawl each breadth-first into this collection first.",
        ),
    ] = None,
    server: Annotated[
        str, typer.Option(metavar="ADDRESS:PORT", envvar="PHASA_SERVER", help="A web on this machine: phasa lab serve.")
    ] = "",
    allow_private: Annotated[bool, typer.Option(help="Fetch from private addresses too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Learn a topic, check it by repeated cross-validation, and write it as one file.

    A list of URLs is a text file with one address a line; they are fetched. With --crawl they are sites, of which the
    first pages are taken breadth-first (--pages-per-site); stopped and started again, it goes on. Put the file into
    models/ of a collection and name it in collection.toml: topic = "tourism.topic".

    With --country no page is needed: a page is about the country when it names it and its places oftener than a page
    about another country or about none would. That of Thailand is shipped: topic = "thailand".
    """
    import msgspec

    from phasa.crawl.topics.training import gather_examples, train_topic
    from phasa.language.detectors import detector

    if shipped or country:
        country, called, dictionary = _shipped(shipped) if shipped else (country, called, dictionary)
        name = name or shipped
        _from_names(output, name, lang, must, country, called, dictionary, as_json)
        return
    if not positive or not negative:
        raise InputError("give pages about it (-p) and pages that are not (-n), or a --country")
    if crawl is not None:
        about, other = _crawled(crawl, positive, negative, lang, pages_per_site, server, allow_private)
    else:
        about, other = _pages(positive, allow_private), _pages(negative, allow_private)
    examples = gather_examples(about, other, detector(), lang, pages_per_site)
    learned = train_topic(
        name or output.stem, examples, language=lang, must=must, folds=folds, repeats=repeats, seed=seed
    )
    learned.save(output)
    report = learned.report
    if as_json:
        left_out = {"other_language": examples.foreign, "surplus": examples.surplus}
        found = {"name": learned.name, **msgspec.to_builtins(report), **left_out}
        print_json(found)
        return
    print(f"{output}: {report.positive} pages about it, {report.negative} not; {len(learned.model.odds)} terms")
    print(f"left out: {examples.foreign} in another language, {examples.surplus} beyond {pages_per_site} of one site")
    print(f"G-mean {report.g_mean:.4f} ± {report.deviation:.4f} over {repeats} × {folds} folds, best {report.best:.4f}")


def _shipped(name: str) -> tuple[str, list[str], str]:
    """What a shipped topic is made from: the code of its country, what else that is called, its dictionary."""
    known = {"thailand": ("TH", ["thai", "thais", "siam"], "thailand")}
    if name not in known:
        raise InputError(f"no topic '{name}' is shipped; there is {', '.join(known)}")
    return known[name]


def _from_names(
    output: Path, name: str, lang: str, must: list[str], country: str, called: list[str], dictionary: str, as_json: bool
) -> None:
    """Write the topic of a country."""
    from phasa.crawl.learn.word_bayes import WordBayes
    from phasa.crawl.segments.dictionary import load_dictionary
    from phasa.crawl.segments.matcher import frequent_words
    from phasa.crawl.topics.places import country_places
    from phasa.crawl.topics.topic import Topic

    places = country_places(country, called, load_dictionary(dictionary), frequent_words(lang))
    Topic(name or output.stem, WordBayes(0.0, {}), lang, tuple(must), places=places).save(output)
    if as_json:
        print_json({"name": name or output.stem, "here": len(places.here), "elsewhere": len(places.elsewhere)})
        return
    print(f"{output}: {len(places.here)} names of {country.upper()}, {len(places.elsewhere)} of elsewhere")


def _crawled(
    folder: Path, positive: list[str], negative: list[str], lang: str, most: int, server: str, allow_private: bool
) -> tuple[Iterator[Page], Iterator[Page]]:
    """The first pages of the listed sites, those about it and the others. Raises InputError for a site in both."""
    import sys

    from phasa.crawl.run.listed_sites import crawl_sites, pages_of_sites
    from phasa.crawl.run.progress import Progress
    from phasa.web.url import Url, host

    about, other = ([address for name in names for address in _addresses(name)] for names in (positive, negative))
    if both := {host(Url(one)) for one in about} & {host(Url(one)) for one in other}:
        raise InputError(f"{', '.join(sorted(both)[:3])}: listed as about the topic and as not about it")
    with Progress(shown=sys.stderr.isatty(), limit=0) as progress:
        made = crawl_sites(
            folder,
            [*about, *other],
            language=lang,
            pages_per_site=most,
            server=server,
            allow_private=allow_private,
            watch=progress.show,
        )
    return pages_of_sites(made, about), pages_of_sites(made, other)


def _pages(names: list[str], allow_private: bool) -> Iterator[Page]:
    """The pages that the words of the command line mean. Raises InputError for what is neither page nor list."""
    for name in names:
        path = Path(name)
        if is_address(name):
            yield _fetched(name, allow_private)
        elif path.is_dir():
            for file in sorted(path.rglob("*")):
                if file.suffix.lower() in _PAGES and file.is_file():
                    yield _saved(file, path)
        elif path.suffix.lower() in (".html", ".htm", ".xhtml"):
            yield _saved(path, path.parent)
        else:
            yield from _listed(name, allow_private)


def _saved(file: Path, root: Path) -> Page:
    """A saved page; its first folder under the root stands for its site."""
    from phasa.web.apart import read_apart
    from phasa.web.url import Url, parse

    parts = file.relative_to(root).parts
    site = "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in parts[0].lower())
    address = parse(f"http://{site}.saved.invalid/") if len(parts) > 1 else None
    return read_apart(file.read_bytes(), address or Url(file.resolve().as_uri()))


def _listed(name: str, allow_private: bool) -> Iterator[Page]:
    for address in _addresses(name):
        yield _fetched(address, allow_private)


def _addresses(name: str) -> Iterator[str]:
    """An address, or those of a list. Raises InputError for a line that is none."""
    if is_address(name):
        yield name
        return
    for number, line in enumerate(read_lines(name), 1):
        address = line.partition("#")[0].strip()
        if address:
            if not is_address(address):
                raise InputError(f"{name}, line {number}: {address!r} is not a web address")
            yield address


def _fetched(address: str, allow_private: bool) -> Page:
    from phasa.web.apart import read_apart
    from phasa.web.url import Url

    source = read_source(address, allow_private=allow_private)
    return read_apart(source.body, Url(source.name), header=source.content_type or None)
