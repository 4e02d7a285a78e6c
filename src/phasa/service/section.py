"""How a page of the application declares itself. One module per page; nothing else has to know what is on it.

A module of a page exposes `section = Section(...)`, which `application.py` lists. A `View` is an HTML page, a
`Call` one operation of the JSON API, a `Stream` a source of server-sent events. Each names the type of what it is
asked (a msgspec Struct, filled from path, query, form or JSON body) and of what it answers, and from those the
routing, the checks of the input and the OpenAPI file are made. Handlers are plain functions (run in a thread, may
block) or coroutines, and are given the `Service` (or what they need of it) and the question.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec

from phasa.crawl.run.prometheus import Metric
from phasa.errors import PhasaError
from phasa.service.who import Role


class NotFound(PhasaError):  # noqa: N818 - it is an answer, not a failure
    """What was asked for is not here (answered with 404)."""


class Conflict(PhasaError):  # noqa: N818
    """It cannot be done now, in the state the collection is in (answered with 409)."""


class Nothing(msgspec.Struct, frozen=True):
    """No parameters, or nothing more to say."""


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a request was not answered: one sentence that names the thing, what is wrong and what to do."""

    error: str
    said: str = ""
    """The same in the language of the reader, where it is another than English."""


class Event(NamedTuple):
    """One server-sent event: its name and a value that is sent as JSON."""

    name: str
    data: object


@dataclass(frozen=True, slots=True)
class View:
    """An HTML page: the template is given what `handle` returns as `it`. GET only; it must not change anything.

    `policy` is a content-security policy of its own, where it needs another than that of all pages; `role`: who may see
    it.
    """

    path: str
    template: str
    handle: Callable[[Any, Any], Any]
    asked: type[msgspec.Struct] = Nothing
    policy: str = ""
    role: Role = "look"


@dataclass(frozen=True, slots=True)
class Call:
    """An operation of the API. A POST takes JSON, or a form with `csrf` that is led on to its field `back`, or to
    `then` filled with the answer (`/jobs/{0.id}`).

    `answer` is the type of the JSON answer; None: the handler returns a Response of type `media` (a download).
    """

    method: Literal["GET", "POST"]
    path: str
    summary: str
    handle: Callable[[Any, Any], Any]
    answer: Any = Nothing
    asked: type[msgspec.Struct] = Nothing
    media: str = "application/json"
    then: str = ""
    role: Role | None = None

    @property
    def needs(self) -> Role:
        """The role that may call it: those who look may read, those who steer may change."""
        return self.role or ("look" if self.method == "GET" else "steer")


@dataclass(frozen=True, slots=True)
class Stream:
    """Server-sent events; `handle` is an asynchronous generator of `Event`. `events`: what each name carries."""

    path: str
    summary: str
    handle: Callable[[Any, Any], AsyncIterator[Event]]
    events: dict[str, Any]
    asked: type[msgspec.Struct] = Nothing


@dataclass(frozen=True, slots=True)
class Section:
    """One page of the application with everything below it."""

    name: str
    path: str
    views: tuple[View, ...] = ()
    calls: tuple[Call, ...] = ()
    streams: tuple[Stream, ...] = ()
    metrics: Callable[[Any], Iterable[Metric]] = lambda service: ()
