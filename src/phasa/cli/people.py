"""`phasa people`: the operators of the web application, their roles, and tokens for scripts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from phasa.cli.outputs import print_json, print_table

if TYPE_CHECKING:
    from phasa.service.people import People

app = typer.Typer(no_args_is_help=True, epilog="Example:  phasa people add thai-web somchai --role steer")

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of an operator.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
RoleName = Literal["look", "steer", "administer"]


@app.command(epilog="Example:  phasa people add thai-web somchai --role administer")
def add(
    directory: Directory,
    name: Name,
    role: Annotated[RoleName, typer.Option("--role", help="What they may do; each may do what those before it may.")],
    no_password: Annotated[
        bool, typer.Option("--no-password", help="Only a reverse proxy lets them in (service.proxy_header).")
    ] = False,
) -> None:
    """Add an operator, or give one another role and password. The password is asked for, or read from a pipe."""
    people = _people(directory)
    password = None if no_password else _password()
    people.add(name, role, password)
    print(f"{name} may {role}")


@app.command("list", epilog="Example:  phasa people list thai-web --json")
def list_people(directory: Directory, as_json: AsJson = False) -> None:
    """Operators and tokens."""
    from phasa.service.people_page import PeoplePage

    people = _people(directory)
    found = PeoplePage(people.everybody(), people.tokens(), [])
    if as_json:
        print_json(found)
        return
    rows = [(one.name, one.role, "password" if one.has_password else "proxy") for one in found.people]
    print_table(("name", "role", "signs in by"), rows)
    if found.tokens:
        print_table(("token", "of", "may", "for"), [(one.id, one.person, one.role, one.about) for one in found.tokens])


@app.command(epilog="Example:  phasa people remove thai-web somchai")
def remove(directory: Directory, name: Name) -> None:
    """Remove an operator, with sessions and tokens."""
    _people(directory).remove(name)
    print(f"{name} is removed")


@app.command(epilog="Example:  phasa people token thai-web somchai --role look --days 30 --about backup")
def token(
    directory: Directory,
    name: Name,
    role: Annotated[RoleName, typer.Option("--role", help="What it may do, at most what its operator may.")] = "look",
    days: Annotated[float, typer.Option("--days", help="Days until it expires.")] = 90.0,
    about: Annotated[str, typer.Option("--about", help="What it is for.")] = "",
) -> None:
    """Make a token for a script, and print it this once: Authorization: Bearer TOKEN."""
    print(_people(directory).make_token(name, role, days, about))


@app.command(epilog="Example:  phasa people revoke thai-web 1a2b3c4d")
def revoke(
    directory: Directory,
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="The first column of phasa people list.")],
) -> None:
    """Revoke a token."""
    _people(directory).revoke(token)
    print(f"{token} is revoked")


def _people(directory: Path) -> People:
    from phasa.collection import Collection
    from phasa.service.people import FILE, People

    return People(Collection.open(directory).path / FILE)


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
