"""The `phasa` command as the command-line library sees it: groups whose commands are loaded when they are called."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import Annotated, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from phasa import __version__
from phasa.cli.outputs import end_unread

# name -> (module with `app`, the one line that `phasa --help` shows), in the order of the manual
COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("phasa.cli.init", "Make a collection: a folder with its settings and seeds."),
    "crawl": ("phasa.cli.crawl", "Run or resume a crawl."),
    "settings": ("phasa.cli.settings", "Every setting of a collection: its default and what it does."),
    "learn": ("phasa.cli.learn", "Build and check the knowledge base from what was crawled."),
    "status": ("phasa.cli.status", "Where a collection stands."),
    "estimate": ("phasa.cli.estimate", "How many of the addresses that wait are wanted."),
    "why": ("phasa.cli.why", "The whole story of one URL."),
    "detect": ("phasa.cli.detect", "Say in which language texts, pages or lines are."),
    "languages": ("phasa.cli.languages", "List the languages that phasa knows, or make its model anew."),
    "segment": ("phasa.cli.segment", "Cut text into words; score and train engines."),
    "lexicon": ("phasa.cli.lexicon", "Word lists learned from segmented corpora."),
    "extract": ("phasa.cli.extract", "Print the key content of pages."),
    "keywords": ("phasa.cli.keywords", "Print the words that say what pages are about."),
    "overview": ("phasa.cli.overview", "Write the variable tag cloud of a page, a site or a collection."),
    "fleet": ("phasa.cli.fleet", "Crawl with workers on many machines."),
    "frontier": ("phasa.cli.frontier", "Move the frontier to a PostgreSQL server, or back."),
    "repair": ("phasa.cli.repair", "Check every file of a collection and make again what was lost."),
    "archive": ("phasa.cli.archive", "Ship finished archive files to storage, and verify what is there."),
    "export": ("phasa.cli.export", "Write a collection as WACZ, text or a page repository."),
    "corpus": ("phasa.cli.corpus", "Clean, deduplicated text of one language from archives."),
    "fresh": ("phasa.cli.fresh", "How up to date a collection is; revisit policies on traces of changes."),
    "feeds": ("phasa.cli.feeds", "Poll feeds at the right moments: plan, watch, report, evaluate."),
    "lab": ("phasa.cli.lab", "Make a web, replay one, run experiments."),
    "serve": ("phasa.cli.serve", "The web application of a collection on this machine."),
    "people": ("phasa.cli.people", "Operators of the web application, their roles, and tokens for scripts."),
}


class LazyGroup(TyperGroup):
    """A group whose commands are imported when they are called, not when they are listed."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return list(COMMANDS)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> TyperCommand | None:  # type: ignore[override]
        if cmd_name not in COMMANDS:
            return None
        return TyperCommand(cmd_name, help=COMMANDS[cmd_name][1])

    def resolve_command(self, ctx, args):  # type: ignore[no-untyped-def]
        if args[0] not in COMMANDS and (near := get_close_matches(args[0], COMMANDS, n=1)):
            ctx.fail(f"No such command '{args[0]}'. Did you mean '{near[0]}'?")
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and name in COMMANDS:
            part: typer.Typer = import_module(COMMANDS[name][0]).app
            part._add_completion = False  # the one of `phasa` completes for all
            command = typer.main.get_command(part)
            command.name = name
        return name, command, rest

    def make_context(self, *words, **options):  # type: ignore[no-untyped-def]
        with _reader_may_leave():
            return super().make_context(*words, **options)

    def invoke(self, ctx):  # type: ignore[no-untyped-def]
        with _reader_may_leave():
            return super().invoke(ctx)


@contextmanager
def _reader_may_leave() -> Iterator[None]:
    """The library would make exit code 1 of it, without a word."""
    try:
        yield
    except BrokenPipeError:
        end_unread()


class DefaultGroup(TyperGroup):
    """A group that runs its command `default` when the first word is not the name of one of its commands.

    So `phasa segment FILE` works next to `phasa segment evaluate GOLD`.
    Use: `app = typer.Typer(cls=group_with_default("words"))`, where the command named `words` is the default.
    """

    default: ClassVar[str]

    def parse_args(self, ctx, args):  # type: ignore[no-untyped-def]
        asks_for_group_help = args[:1] in (["-h"], ["--help"])
        if not asks_for_group_help and (not args or args[0] not in self.commands):
            args = [self.default, *args]
        return super().parse_args(ctx, args)


def group_with_default(name: str) -> type[DefaultGroup]:
    """The group class whose default command is `name`."""
    return type("DefaultGroup", (DefaultGroup,), {"default": name})


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example:  phasa init thai-web --lang th",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"phasa {__version__}")
        raise typer.Exit


@app.callback()
def phasa(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say what happens on standard error; -vv in detail. Anywhere.")
    ] = False,
    log_json: Annotated[bool, typer.Option("--log-json", help="The same as one JSON object a line. Anywhere.")] = False,
) -> None:
    """Collect, keep fresh and read the web of one language.

    `phasa.logs` takes -v and --log-json out of the arguments before they are read here, so that they may stand behind
    the command, too.
    """
