"""Who asks: an operator with a role, a script with a token, or anybody on this machine."""

from __future__ import annotations

from typing import Literal

import msgspec
from starlette.types import Scope

Role = Literal["look", "steer", "administer"]
ROLES: tuple[Role, ...] = ("look", "steer", "administer")
"""From least to most: each may do what those before it may."""


class Who(msgspec.Struct, frozen=True):
    """Somebody. `way`: how it is known who; `key` is a secret of the session, which its forms are bound to."""

    name: str
    role: Role
    way: Literal["local", "token", "password", "proxy", "script"]
    key: str = ""

    def may(self, role: Role) -> bool:
        return ROLES.index(self.role) >= ROLES.index(role)


ANYBODY = Who("local", "administer", "local")
"""Whoever reaches an application that asks nobody: only this machine can."""
NOBODY = Who("", "look", "local")


def asker(scope: Scope) -> Who:
    """Who made a request, as the guards found it."""
    found = scope.get("state", {}).get("who", NOBODY)
    assert isinstance(found, Who)
    return found


def introduce(scope: Scope, who: Who) -> None:
    """Tell those behind the guards who made a request."""
    scope.setdefault("state", {})["who"] = who
