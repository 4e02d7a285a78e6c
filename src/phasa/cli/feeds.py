"""`phasa feeds`: when feeds post, when to poll them, and how good that is."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phasa.cli.feed_plans import evaluate, plan, trace
from phasa.cli.feed_posts import feed, hook, latest, mark, search
from phasa.cli.outputs import print_json
from phasa.cli.subscriptions import (
    add,
    change,
    discover,
    export,
    import_opml,
    list_feeds,
    open_store,
    pause,
    remove,
    resume,
)
from phasa.errors import InputError

if TYPE_CHECKING:
    from phasa.feeds.rows import ShownPost

app = typer.Typer(no_args_is_help=True, epilog="Example:  phasa feeds add thai-web https://example.com/rss.xml")


@app.callback()
def feeds() -> None:
    """Poll every feed at the moments that find its posts soonest, within a budget of requests."""


app.command(epilog="Example:  phasa feeds add thai-web https://example.com/rss.xml --category news")(add)
app.command(epilog="Example:  phasa feeds remove thai-web https://example.com/rss.xml")(remove)
app.command("list", epilog="Example:  phasa feeds list thai-web")(list_feeds)
app.command(epilog="Example:  phasa feeds latest thai-web -n 50")(latest)
app.command(epilog="Example:  phasa feeds search thai-web น้ำท่วม")(search)
app.command(epilog="Example:  phasa feeds mark thai-web 1042 --star")(mark)
app.command(epilog="Example:  phasa feeds feed thai-web --format atom > news.xml")(feed)
app.command(epilog="Example:  phasa feeds hook thai-web https://desk.example.org/posts")(hook)
app.command(epilog="Example:  phasa feeds discover thai-web https://example.com/")(discover)
app.command("import", epilog="Example:  phasa feeds import thai-web subscriptions.opml")(import_opml)
app.command(epilog="Example:  phasa feeds export thai-web > subscriptions.opml")(export)
app.command("set", epilog="Example:  phasa feeds set thai-web https://example.com/rss.xml --policy dorpm")(change)
app.command(epilog="Example:  phasa feeds pause thai-web https://example.com/rss.xml")(pause)
app.command(epilog="Example:  phasa feeds resume thai-web https://example.com/rss.xml")(resume)
app.command(epilog="Example:  phasa feeds plan posts.tsv.gz --per-day 4 --zone Asia/Bangkok")(plan)
app.command(epilog="Example:  phasa feeds evaluate posts.tsv.gz --per-day 1,4,24 --policies phasa,rs,uniform,oracle")(
    evaluate
)
app.command(epilog="Example:  phasa feeds trace thai-web -o posts.tsv.gz")(trace)


@app.command(epilog="Example:  phasa feeds watch thai-web --per-day 2000")
def watch(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    per_day: Annotated[
        float | None, typer.Option("--per-day", metavar="N", help="Polls a day for all feeds together.")
    ] = None,
    per_feed: Annotated[
        float | None, typer.Option("--per-feed", metavar="M", help="Polls a day of each feed on its own instead.")
    ] = None,
    spacing: Annotated[float, typer.Option("--spacing", help="Least seconds between two requests to a server.")] = 5.0,
    seconds: Annotated[float | None, typer.Option("--seconds", help="Stop after this time.")] = None,
    crawl: Annotated[
        bool, typer.Option("--crawl/--no-crawl", help="Offer new posts to the crawl, first of all.")
    ] = True,
    join: Annotated[bool, typer.Option("--join/--no-join", help="Let feeds named by crawled pages join.")] = True,
    callback: Annotated[
        str, typer.Option("--callback", metavar="URL", help="Public address at which WebSub hubs reach --listen.")
    ] = "",
    listen: Annotated[
        str, typer.Option("--listen", metavar="ADDRESS:PORT", help="Where to listen for WebSub hubs.")
    ] = "127.0.0.1:8090",
    shard: Annotated[
        str, typer.Option("--shard", metavar="K/N", help="Poll the Kth of N parts; other machines poll the others.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print each new post as a JSON object on a line.")] = False,
) -> None:
    """Poll the feeds of a collection day and night. SIGTERM or Ctrl-C stops it in good order.

    Prints new posts (feed, title, link, separated by tabs) as they come, and what goes wrong to standard error.
    """
    import asyncio

    import msgspec

    from phasa.feeds.daemon import Duties, keep_watch
    from phasa.feeds.shard import parse_shard

    if (per_day is not None and per_day <= 0) or (per_feed is not None and per_feed <= 0):
        raise InputError("--per-day, --per-feed: give a positive number of polls")

    from phasa.feeds.post import headline

    def tell(post: ShownPost) -> None:
        if as_json:
            print(msgspec.json.encode(post).decode(), flush=True)
        else:
            title = headline(post.title) or "(no title)"
            print(f"{headline(post.feed)}\t{title}\t{headline(post.link, 2000)}", flush=True)

    def warn(what: str) -> None:
        print(headline(what, 500), file=sys.stderr, flush=True)

    duties = Duties(per_day, per_feed, spacing, seconds, crawl, join, callback, listen, parse_shard(shard))
    asyncio.run(keep_watch(directory, duties, tell, warn))


@app.command(epilog="Example:  phasa feeds report thai-web -o feeds.html")
def report(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", metavar="FILE", help="The page to write.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How each feed posts and is polled: rhythm, delay, what one more poll is worth, why next when."""

    from phasa.cli.progress import counted
    from phasa.feeds.report import feed_lines, report_feed, write_report

    now = time.time()
    with open_store(directory, read_only=True) as store:
        lines = feed_lines(store, now)
        reports = [report_feed(store, line, now) for line in counted(lines, len(lines), "feeds")]
        latest = store.latest()
    if as_json:
        print_json(reports)
        return
    page = out or directory / "reports" / "feeds.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(write_report(reports, latest, now), encoding="utf-8")
    print(f"{page}: {len(reports)} feeds")
