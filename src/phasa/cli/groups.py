"""Commands that are both a command and a group: `phasa segment FILE` beside `phasa segment evaluate GOLD`."""

from __future__ import annotations

from typing import ClassVar

from typer.core import TyperGroup


class DefaultGroup(TyperGroup):
    """A group that runs its command `default` when the first word is not the name of one of its commands.

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
