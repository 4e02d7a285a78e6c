"""The page of those who administer: operators, the tokens of scripts, and who changed what."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from phasa.service.audit import AuditLine
from phasa.service.people import Person, Token
from phasa.service.section import Call, Nothing, Section, View
from phasa.service.service import Service
from phasa.service.who import Role

SHOWN = 100

Name = Annotated[str, Meta(min_length=1, max_length=80, description="The name of an operator.")]


class AskedPerson(msgspec.Struct, frozen=True):
    """An operator to add or to change."""

    name: Name
    role: Role
    password: Annotated[str, Meta(max_length=1000, description="Absent: only a proxy lets them in.")] = ""


class AskedName(msgspec.Struct, frozen=True):
    """Which operator."""

    name: Name


class AskedToken(msgspec.Struct, frozen=True):
    """A token for a script of an operator."""

    person: Name
    role: Role = "look"
    days: Annotated[float, Meta(gt=0, le=3660, description="Days until it expires.")] = 90.0
    about: Annotated[str, Meta(max_length=200, description="What it is for.")] = ""


class AskedTokenId(msgspec.Struct, frozen=True):
    """Which token."""

    id: Annotated[str, Meta(min_length=1, max_length=40)]


class MadeToken(msgspec.Struct, frozen=True):
    """The token itself, which is shown this once."""

    token: str


class PeoplePage(msgspec.Struct, frozen=True):
    """Everything on the page."""

    people: list[Person]
    tokens: list[Token]
    audit: list[AuditLine]


def _page(service: Service, asked: Nothing) -> PeoplePage:
    people = service.people
    return PeoplePage(people.everybody(), people.tokens(), service.audit.latest(SHOWN))


def _add(service: Service, asked: AskedPerson) -> Nothing:
    service.people.add(asked.name, asked.role, asked.password or None)
    return Nothing()


def _remove(service: Service, asked: AskedName) -> Nothing:
    service.people.remove(asked.name)
    return Nothing()


def _token(service: Service, asked: AskedToken) -> MadeToken:
    return MadeToken(service.people.make_token(asked.person, asked.role, asked.days, asked.about))


def _revoke(service: Service, asked: AskedTokenId) -> Nothing:
    service.people.revoke(asked.id)
    return Nothing()


section = Section(
    name="People",
    path="/people",
    views=(View("/people", "people.html", _page, role="administer"),),
    calls=(
        Call("GET", "/api/people", "Operators, tokens, changes.", _page, PeoplePage, role="administer"),
        Call("POST", "/api/people", "Add an operator.", _add, Nothing, AskedPerson, role="administer"),
        Call("POST", "/api/people/remove", "Remove an operator.", _remove, Nothing, AskedName, role="administer"),
        Call("POST", "/api/people/token", "Make a token.", _token, MadeToken, AskedToken, role="administer"),
        Call("POST", "/api/people/revoke", "Revoke a token.", _revoke, Nothing, AskedTokenId, role="administer"),
    ),
)
