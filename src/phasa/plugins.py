"""Parts of the user's own: a strategy, judge, detector, segmenter or extractor that is not in the package.

Wherever a part is chosen by name, a plug-in may stand instead (docs/plugins.md):

`./mine.py:Mine`      a class or function in a file, relative to the folder that the caller names
`package.module:Mine` the same in an installed module
`mine`                the name of an entry point in the group `phasa.strategies`, `phasa.judges`, `phasa.detectors`,
                      `phasa.segmenters` or `phasa.extractors` of an installed distribution
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from phasa.errors import SettingsError, with_place

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints


class Kind(StrEnum):
    """What a plug-in can be. The value is the word that messages use; its plural names the entry-point group."""

    STRATEGY = "strategy"
    JUDGE = "judge"
    DETECTOR = "detector"
    SEGMENTER = "segmenter"
    EXTRACTOR = "extractor"

    @property
    def group(self) -> str:
        """The entry-point group."""
        return "phasa." + (f"{self[:-1]}ies" if self.endswith("y") else f"{self}s")


def plugin_names(kind: Kind) -> list[str]:
    """The names of installed plug-ins, in the order of the alphabet."""
    return sorted({entry.name for entry in _entry_points(kind)})


def is_path(spec: str) -> bool:
    """Whether a choice is the place of a plug-in (`./mine.py:Mine`, `package.module:Mine`) and not a name."""
    place, colon, rest = spec.partition(":")
    return bool(colon) and (place.endswith(".py") or ("." in place and rest.partition(":")[0].isidentifier()))


def absolute(spec: str, base: Path) -> str:
    """The same choice with the path of its file made absolute, so that it means the same in another process."""
    place, colon, rest = spec.partition(":")
    return f"{(base / place).resolve()}:{rest}" if colon and place.endswith(".py") else spec


def make_plugin(
    kind: Kind, spec: str, given: Sequence[object] = (), needs: Sequence[str] = (), *, call: bool = True
) -> Any | None:
    """The plug-in that `spec` names, or None when `spec` is neither the place nor the name of one.

    What is found there is called with as many of the `given` values as it takes, and with the options that follow its
    name (`./mine.py:Mine:depth=3`) as keywords. Raises SettingsError when there is nothing of that name, when it
    cannot be made, and when what it made lacks one of the methods in `needs`. With `call=False` a function is the
    plug-in itself; a class is made all the same, and must be callable.
    """
    if is_path(spec):
        place, name, *options = spec.split(":")
        factory = _attribute(kind, spec, _module(kind, place), name)
    else:
        name, *options = spec.split(":")
        found = [entry for entry in _entry_points(kind) if entry.name == name]
        if not found:
            return None
        try:
            factory = found[0].load()
        except Exception as problem:
            raise SettingsError(
                f"{kind} '{name}' (entry point {found[0].value}): {with_place(problem, __file__)}"
            ) from problem
    if not call and not isinstance(factory, type):
        return partial(factory, **_keywords(kind, spec, options)) if options else factory
    made = _call(kind, spec, factory, given, _keywords(kind, spec, options))
    if not call and not callable(made):
        raise SettingsError(f"{kind} '{spec}': what it makes cannot be called")
    if lacking := [method for method in needs if not callable(getattr(made, method, None))]:
        raise SettingsError(f"{kind} '{spec}': what it makes has no {', '.join(f'{name}()' for name in lacking)}")
    return made


def _entry_points(kind: Kind) -> EntryPoints:
    from importlib.metadata import entry_points

    return entry_points(group=kind.group)


def _call(
    kind: Kind, spec: str, factory: Callable[..., object], given: Sequence[object], options: dict[str, object]
) -> object:
    try:
        return factory(*given[: _positions(factory)], **options)
    except Exception as problem:
        raise SettingsError(f"{kind} '{spec}': {with_place(problem, __file__)}") from problem


def _positions(factory: Callable[..., object]) -> int:
    """How many values can be given by position."""
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):  # not callable, or compiled: calling it says what is wrong
        return 0
    if any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in parameters):
        return 99
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(parameter.kind in by_position for parameter in parameters)


def _keywords(kind: Kind, spec: str, options: Sequence[str]) -> dict[str, object]:
    """`depth=3` as a number, `name=x` as text."""
    import msgspec  # here: commands offer plug-ins before they load anything

    found: dict[str, object] = {}
    for option in options:
        key, equals, value = option.partition("=")
        if not equals or not key.isidentifier():
            raise SettingsError(f"{kind} '{spec}': option '{option}' is not KEY=VALUE")
        try:
            found[key] = msgspec.json.decode(value.encode())
        except msgspec.DecodeError:
            found[key] = value
    return found


def _attribute(kind: Kind, spec: str, module: ModuleType, name: str) -> Callable[..., object]:
    try:
        factory = getattr(module, name)
    except AttributeError:
        own = [key for key, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        there = f"there are {', '.join(own)}" if own else "it defines nothing"
        raise SettingsError(f"{kind} '{spec}': nothing of the name '{name}' in it; {there}") from None
    if not callable(factory):
        raise SettingsError(f"{kind} '{spec}': '{name}' is no class or function")
    return factory  # type: ignore[no-any-return]


def _module(kind: Kind, place: str) -> ModuleType:
    if place.endswith(".py"):
        return _file(kind, Path(place).resolve())
    try:
        return import_module(place)
    except Exception as problem:
        raise SettingsError(f"{kind} '{place}': cannot be imported: {with_place(problem, __file__)}") from problem


@cache
def _file(kind: Kind, path: Path) -> ModuleType:
    if not path.is_file():
        raise SettingsError(f"{kind} '{path}': no such file; a path is relative to where the command runs")
    from hashlib import sha1  # loads a library that commands without a plug-in do without

    name = f"phasa_plugin_{path.stem}_{sha1(str(path).encode(), usedforsecurity=False).hexdigest()[:8]}"
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickles look their module up
    try:
        spec.loader.exec_module(module)
    except Exception as problem:
        del sys.modules[name]
        raise SettingsError(f"{path}: {with_place(problem, __file__)}") from problem
    return module
