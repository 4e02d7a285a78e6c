"""The `phasa` command as the command-line library sees it: a group whose commands are loaded when they are called."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import Annotated

import typer
from typer.core import TyperCommand, TyperGroup

from phasa import __version__
from phasa.cli import COMMANDS, end_unread


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
) -> None:
    """Collect, keep fresh and read the web of one language."""
