"""`phasa people`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from phasa.cli.people import app
from phasa.collection import Collection
from phasa.errors import InputError
from phasa.service.people import FILE, People


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(Collection.create(tmp_path / "web", language="th").path)


def run(*words: str, typed: str = "") -> str:
    done = CliRunner().invoke(app, words, input=typed)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def test_operators_come_and_go(folder: str) -> None:
    run("add", folder, "ann", "--role", "administer", typed="a-long-password\n")
    run("add", folder, "bob", "--role", "look", "--no-password")
    people = People(Path(folder) / FILE)
    assert people.sign_in("ann", "a-long-password")
    assert people.sign_in("bob", "") is None
    listed = json.loads(run("list", folder, "--json"))
    assert [(one["name"], one["role"], one["has_password"]) for one in listed["people"]] == [
        ("ann", "administer", True),
        ("bob", "look", False),
    ]
    assert "administer" in run("list", folder)
    run("remove", folder, "bob")
    assert [person.name for person in people.everybody()] == ["ann"]


def test_a_token_is_printed_once_and_can_be_revoked(folder: str) -> None:
    run("add", folder, "ann", "--role", "administer", typed="a-long-password\n")
    token = run("token", folder, "ann", "--days", "2", "--about", "backup").strip()
    people = People(Path(folder) / FILE)
    found = people.by_token(token)
    assert found is not None
    assert found.role == "look"
    assert token not in run("list", folder)
    run("revoke", folder, people.tokens()[0].id)
    assert people.by_token(token) is None


@pytest.mark.parametrize(
    ("words", "typed", "says"),
    [
        (("ann", "--role", "look"), "a-long-password\n", "somebody must be able to administer"),
        (("ann", "--role", "administer"), "short\n", "at least 10"),
        (("a b", "--role", "administer"), "a-long-password\n", "not a name"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(folder: str, words: tuple[str, ...], typed: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        run("add", folder, *words, typed=typed)
