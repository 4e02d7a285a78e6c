"""`phasa feeds add`, `remove`, `list`, `latest`, `import`, `export`, `discover`: which feeds a collection follows."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phasa.cli.inputs import read_bytes
from phasa.cli.outputs import print_json
from phasa.errors import InputError

if TYPE_CHECKING:
    from phasa.collection import Collection
    from phasa.feeds.report import FeedLine
    from phasa.feeds.store import FeedStore
    from phasa.web.url import Url

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")]
Urls = Annotated[list[str], typer.Argument(metavar="URL…", help="Addresses of feeds.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def open_store(directory: Path, read_only: bool = False) -> FeedStore:
    """The feeds of a collection; who only reads changes no file and makes none. Raises CollectionError when there is no
    collection."""
    from phasa.collection import Collection
    from phasa.feeds.store import FeedStore

    collection = Collection.open(directory)
    file, identity = collection.path / "feeds.db", collection.settings.feeds.identity
    if read_only and not file.is_file():
        return FeedStore(":memory:", identity)
    return FeedStore(file, identity, read_only)


def add(
    directory: Directory,
    urls: Annotated[list[str], typer.Argument(metavar="URL…", help="Addresses of feeds.")],
    publisher: Annotated[str, typer.Option("--publisher", help="Who publishes them.")] = "",
    category: Annotated[
        str, typer.Option("--category", help="What they are about; News/Thai is a folder in News.")
    ] = "",
) -> None:
    """Register feeds with a collection. One that was retired or removed is watched again."""
    bad = []
    with open_store(directory) as store:
        for raw in urls:
            url = _address(raw)
            if isinstance(url, InputError):
                bad.append(str(url))
            elif store.add(str(url), time.time(), publisher, category):
                print(f"{url}: added")
            elif why := store.revive(str(url), time.time()):
                print(f"{url}: watched again (it was retired: {why})")
            else:
                print(f"{url}: known already")
    if bad:
        raise InputError("; ".join(bad))


def _address(raw: str) -> Url | InputError:
    from phasa.feeds.opml import feed_address
    from phasa.web.url import parse

    url = feed_address(raw)
    if url is not None:
        return url
    near = parse(f"https://{raw}") if "://" not in raw and "." in raw else None
    return InputError(f"{raw}: not a usable http(s) address" + (f"; did you mean {near}?" if near else ""))


def remove(directory: Directory, urls: Urls) -> None:
    """Stop watching feeds. Their posts stay; `phasa feeds add` takes them up again."""
    _each(directory, urls, lambda store, url: store.retire(url, "removed by you"), "no longer watched")


def _each(directory: Path, urls: list[str], act: Callable[[FeedStore, str], bool], done: str) -> None:
    """Do something to feeds by address; those that are not known are named at the end. Raises InputError."""
    from phasa.feeds.opml import feed_address

    unknown = []
    with open_store(directory) as store:
        for raw in urls:
            url = str(feed_address(raw) or raw)
            if act(store, url):
                print(f"{url}: {done}")
            else:
                unknown.append(url)
    if unknown:
        raise InputError(f"{', '.join(unknown)}: not watched here; phasa feeds list {directory} shows what is")


def pause(directory: Directory, urls: Urls) -> None:
    """Let feeds rest: they are not asked until `phasa feeds resume`."""
    _each(directory, urls, lambda store, url: store.pause(url, time.time()), "rests")


def resume(directory: Directory, urls: Urls) -> None:
    """Ask feeds again that rest. What they posted meanwhile is stored, but is no news."""
    _each(directory, urls, lambda store, url: store.resume(url, time.time()), "watched again")


def change(
    directory: Directory,
    urls: Urls,
    policy: Annotated[
        str | None, typer.Option("--policy", help="phasa, dorpm, rs, uniform or fixed:N; '' as the collection.")
    ] = None,
    zone: Annotated[str | None, typer.Option("--zone", help="Time zone of its days; '' as the collection.")] = None,
    bootstrap: Annotated[
        float | None, typer.Option("--bootstrap", metavar="HOURS", min=0.01, help="Gap while dorpm or rs learn.")
    ] = None,
    category: Annotated[str | None, typer.Option("--category", help="What it is about.")] = None,
    publisher: Annotated[str | None, typer.Option("--publisher", help="Who publishes it.")] = None,
) -> None:
    """Change how feeds are polled or filed. A running watch follows within a minute."""
    from msgspec import UNSET

    from phasa.feeds.policy import parse_policy
    from phasa.feeds.rows import FeedUpdate
    from phasa.feeds.terms import zone_of

    update = FeedUpdate(
        policy=UNSET if policy is None else str(parse_policy(policy)) if policy else "",
        zone=UNSET if zone is None else zone,
        bootstrap=UNSET if bootstrap is None else bootstrap * 3600.0,
        category=UNSET if category is None else category,
        publisher=UNSET if publisher is None else publisher,
    )
    zone_of(zone or "")

    def act(store: FeedStore, url: str) -> bool:
        number = next((feed.id for feed in store.feeds() if feed.url == url), None)
        if number is not None:
            store.update(number, update)
        return number is not None

    _each(directory, urls, act, "changed")


def list_feeds(directory: Directory, as_json: AsJson = False) -> None:
    """The feeds of a collection: how much they post, how soon we see it, when they are asked next, what is wrong."""

    from phasa.feeds.report import feed_lines

    now = time.time()
    with open_store(directory, read_only=True) as store:
        lines = feed_lines(store, now)
    if as_json:
        print_json(lines)
        return
    if not lines:
        raise InputError(f"{directory}: no feeds yet; add one with: phasa feeds add {directory} URL")
    print(f"{'posts/day':>9}{'polls/day':>11}{'delay':>9}  {'next poll':<14}feed")
    for line in lines:
        print(_line(line, now))


def _line(line: FeedLine, now: float) -> str:
    from phasa.feeds.manners import spoken
    from phasa.feeds.post import headline

    delay = "–" if line.achieved_delay is None else f"{line.achieved_delay:.1f} h"
    coming = "never" if line.retired else "now" if line.next_poll <= now else f"in {spoken(line.next_poll - now)}"
    name = headline(line.title, 60)
    named = line.url if name == line.url else f"{name}  {line.url}"
    state = f"  [{line.retired}]" if line.retired else f"  [{headline(line.why, 200)}]" if line.failures else ""
    if line.paused:
        coming = "rests"
    if line.early:
        state += "  [early: watched for less than a week]"
    if line.missing:
        state += f"  [posts may have been missed {line.missing} times]"
    return f"{line.posts_per_day:>9.1f}{line.polls_per_day:>11.1f}{delay:>9}  {coming:<14}{named}{state}"


def import_opml(
    directory: Directory,
    opml: Annotated[str, typer.Argument(metavar="OPML", help="A list of feeds; - for standard input.")],
) -> None:
    """Register the feeds of an OPML list; what cannot be used is named and passed over."""
    from phasa.collection import Collection
    from phasa.feeds.opml import read_opml

    bounds = Collection.open(directory).settings.feeds
    with open_store(directory) as store:
        outlines, passed = read_opml(read_bytes(opml), opml, bounds)
        done = store.add_list(outlines, time.time(), bounds.feeds)
    for why in passed:
        print(f"passed over: {why}", file=sys.stderr)
    print(f"{done.added} feeds added, {done.known} known already, {len(passed)} passed over")
    if done.refused:
        raise InputError(
            f"{directory}: no room for {done.refused:,} more feeds; it may have {bounds.feeds:,} (feeds.feeds in "
            "collection.toml)"
        )


def export(directory: Directory) -> None:
    """Print the feeds of a collection as OPML."""
    from phasa.feeds.opml import Outline, write_opml

    with open_store(directory, read_only=True) as store:
        feeds = [Outline(f.url, f.title, f.category, f.publisher) for f in store.feeds() if not f.retired]
    print(write_opml(feeds, directory.resolve().name), end="")


def discover(
    directory: Directory,
    pages: Annotated[
        list[str] | None,
        typer.Argument(metavar="PAGE…", help="Addresses of sites, or HTML files, instead of the collection's pages."),
    ] = None,
    base: Annotated[str, typer.Option("--base", help="Where the HTML files came from.")] = "",
) -> None:
    """Register the feeds that pages announce (link rel=alternate): those of the collection, of sites, or of files."""
    from phasa.archive.shelf import has_pages
    from phasa.cli.sources import is_address
    from phasa.collection import Collection
    from phasa.feeds.links import discover as discover_feeds
    from phasa.web.apart import read_apart
    from phasa.web.url import parse

    with open_store(directory) as store:
        collection = Collection.open(directory)
        if not pages:
            added = discover_feeds(collection, store, time.time())
            for url in added:
                print(f"{url}: added")
            hint = "" if has_pages(collection.archive_folder) else "; nothing has been crawled here yet"
            print(f"{len(added)} feeds added, {len(store.feeds())} in all{hint}", file=sys.stderr)
            return
        address = parse(base)
        for name in pages:
            if is_address(name):
                found = _feeds_at(collection, name)
            elif address is None:
                raise InputError(f"--base {base or '(none)'}: say where {name} came from, an http(s) address")
            else:
                found = {str(link.url): link.title for link in read_apart(read_bytes(name), address).feeds}
            for url, title in found.items():
                known = not store.add(url, time.time(), title=title)
                print(f"{url}: {'known already' if known else 'added'}")
            if not found:
                print(f"{name}: no feed announced", file=sys.stderr)


def _feeds_at(collection: Collection, name: str) -> dict[str, str]:
    """Address and title of the feeds that a page on the web announces; itself, when it is one."""
    import asyncio

    from msgspec.structs import replace

    from phasa import sandbox
    from phasa.cli.sources import web_address
    from phasa.feeds.document import read_document
    from phasa.web.exchange import Exchange
    from phasa.web.fetch import Fetcher, user_agent
    from phasa.web.http import failure_in_words

    settings = collection.settings

    async def fetch() -> Exchange:
        agent, server = user_agent(settings.contact), settings.server or os.environ.get("PHASA_SERVER", "")
        async with Fetcher(
            settings.limits,
            agent,
            allow_private=settings.allow_private,
            server=server,
            ca_file=collection.ca_file,
        ) as fetcher:
            return await fetcher.fetch(web_address(name), inflated=False)

    answer = asyncio.run(fetch())
    if not answer.ok:
        raise InputError(f"{name}: {failure_in_words(answer)}")
    encoding, header = answer.header("content-encoding") or "", answer.header("content-type") or ""
    found = sandbox.run(
        read_document, answer.body, encoding, header, answer.final_url, None, settings.limits, "", whole=True
    )
    if found.problem:
        raise InputError(f"{name}: {failure_in_words(replace(answer, outcome=found.problem))}")
    if found.feed.kind:
        return {str(answer.final_url): found.feed.title}
    return {str(link.url): link.title for link in found.announced}
