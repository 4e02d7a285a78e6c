"""`phasa feeds latest`, `search`, `mark`, `feed`, `hook`: what was found, handed to people and programs."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from phasa.cli.outputs import print_json
from phasa.cli.subscriptions import AsJson, Directory, open_store
from phasa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from phasa.feeds.outbox import Outbox
    from phasa.feeds.rows import ShownPost

Count = Annotated[int, typer.Option("--count", "-n", metavar="N", min=1, help="How many posts.")]
Category = Annotated[str, typer.Option("--category", help="Of this category and those below it.")]


def latest(
    directory: Directory,
    count: Count = 20,
    feed: Annotated[str, typer.Option("--feed", metavar="URL", help="Of this feed only.")] = "",
    category: Category = "",
    since: Annotated[
        int | None, typer.Option("--since", metavar="NUMBER", min=0, help="Found after this post, oldest first.")
    ] = None,
    starred: Annotated[bool, typer.Option("--starred", help="Those you starred.")] = False,
    unread: Annotated[bool, typer.Option("--unread", help="Those not read yet.")] = False,
    as_json: AsJson = False,
) -> None:
    """The newest posts, latest first: time (UTC), feed, title, link, separated by tabs.

    With --since, those found after a post, oldest first: take the `number` of the last (--json) as the next cursor.
    """
    from phasa.feeds.shelf import Shelf

    with open_store(directory, read_only=True) as store:
        shelf = Shelf(store)
        if feed:
            numbers = {row.url: row.id for row in store.feeds()}
            if feed not in numbers:
                raise InputError(f"--feed {feed}: not known here; phasa feeds list {directory} shows what is")
            posts = store.latest(count, numbers[feed])
        elif since is not None:
            posts = shelf.since(since, count, category)
        elif category or starred or unread:
            posts = shelf.latest(count, category, starred, unread)
        else:
            posts = store.latest(count)
    _show(posts, as_json)
    if not posts and not as_json and since is None:
        print(f"{directory}: no posts yet; fetch some with: phasa feeds watch {directory}", file=sys.stderr)


def search(
    directory: Directory,
    words: Annotated[list[str], typer.Argument(metavar="WORD…", help="All of them; the last may be begun only.")],
    count: Count = 20,
    category: Category = "",
    as_json: AsJson = False,
) -> None:
    """Search titles and texts of posts; Thai is cut into words."""
    from phasa.feeds.shelf import Shelf

    with open_store(directory) as store:
        shelf = Shelf(store)
        shelf.index()
        _show(shelf.latest(count, category, words=" ".join(words)), as_json)


def _show(posts: Sequence[ShownPost], as_json: bool) -> None:
    import datetime as dt

    from phasa.feeds.post import headline

    if as_json:
        print_json(list(posts))
        return
    for post in posts:
        at = dt.datetime.fromtimestamp(post.at, dt.UTC)
        link = headline(post.link, 2000)
        print(f"{at:%Y-%m-%d %H:%M}\t{headline(post.feed, 80)}\t{headline(post.title) or '(no title)'}\t{link}")


def mark(
    directory: Directory,
    numbers: Annotated[list[int], typer.Argument(metavar="NUMBER…", help="Numbers of posts (latest --json).")],
    read: Annotated[bool | None, typer.Option("--read/--unread", help="Read, or not.")] = None,
    star: Annotated[bool | None, typer.Option("--star/--unstar", help="Starred, or not.")] = None,
) -> None:
    """Mark posts as read or starred."""
    from phasa.feeds.shelf import Shelf

    if read is None and star is None:
        raise InputError("say what to mark: --read, --unread, --star or --unstar")
    with open_store(directory) as store:
        shelf = Shelf(store)
        unknown = [number for number in numbers if not shelf.mark(number, time.time(), read, star)]
    if unknown:
        raise InputError(f"{', '.join(map(str, unknown))}: no such post; `phasa feeds latest --json` has them")


def feed(
    directory: Directory,
    style: Annotated[str, typer.Option("--format", metavar="atom|json", help="Atom, or JSON Feed.")] = "atom",
    count: Count = 100,
    category: Category = "",
) -> None:
    """Print everything new of all feeds as one feed."""
    from phasa.feeds.shelf import Shelf
    from phasa.feeds.syndicate import atom, json_feed

    if style not in ("atom", "json"):
        raise InputError(f"--format {style}: choose atom or json")
    with open_store(directory, read_only=True) as store:
        posts = Shelf(store).latest(count, category)
    name = directory.resolve().name
    address = f"urn:phasa:{name}"
    print(atom(posts, name, address) if style == "atom" else json_feed(posts, name, address).decode(), end="")


def hook(
    directory: Directory,
    url: Annotated[str, typer.Argument(metavar="[URL]", help="Where new posts are sent; none: show all hooks.")] = "",
    category: Category = "",
    secret: Annotated[str, typer.Option("--secret", help="Signs deliveries; one is made when none is given.")] = "",
    remove: Annotated[bool, typer.Option("--remove", help="Send nothing there any more.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Try dead letters again, and what came after them.")] = False,
    as_json: AsJson = False,
) -> None:
    """Send every new post to an address as it is found (webhook); without an address, how the hooks stand."""
    from phasa.feeds.outbox import Outbox
    from phasa.web.url import parse

    with open_store(directory) as store:
        outbox = Outbox(store)
        if retry:
            print(f"{outbox.revive()} dead letters are tried again")
        elif remove:
            if not outbox.remove(url):
                raise InputError(f"{url}: no such hook; phasa feeds hook {directory} shows them")
            print(f"{url}: nothing is sent there any more")
        elif url:
            if parse(url) is None:
                raise InputError(f"{url}: not an http(s) address")
            made = outbox.add(url, time.time(), category, secret)
            print(f"{url}: known already" if not made else f"{url}: gets new posts; secret {made}")
        else:
            _hooks(outbox, as_json)


def _hooks(outbox: Outbox, as_json: bool) -> None:
    hooks, dead = outbox.hooks(), outbox.dead_letters()
    if as_json:
        print_json({"hooks": [{"url": h.url, "category": h.category, "cursor": h.cursor, "delivered": h.delivered,
                               "attempts": h.attempts, "note": h.note} for h in hooks],
                    "dead_letters": [letter._asdict() for letter in dead]})  # fmt: skip
        return
    for one in hooks:
        state = f"  [{one.attempts} tries: {one.note}]" if one.attempts else ""
        print(f"{one.url}\t{one.delivered} delivered, up to post {one.cursor}{state}")
    for letter in dead:
        post = outbox.dead_post(letter.number)
        print(f"dead letter\t{letter.url}\tpost {letter.number}\t{post.link if post else ''}\t{letter.why}")
