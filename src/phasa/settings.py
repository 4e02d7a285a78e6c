"""Typed settings as TOML: read with errors that help, written with a comment on every line.

A settings type is a frozen msgspec Struct whose every field is `Annotated[type, Meta(description=…)]`. The
description is the comment in the written file and the row in the manual, so neither can go stale.
"""

from __future__ import annotations

import math
import tomllib
from difflib import get_close_matches
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from phasa.errors import SettingsError
from phasa.files import replace_file


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One table of a settings file. A field that is itself `Settings` is a `[section]`."""

    @classmethod
    def newer(cls, table: dict[str, Any]) -> dict[str, Any]:
        """A table as it is written today, of one that may be older."""
        return table


S = TypeVar("S", bound=Settings)

MOST_BYTES = 1_000_000
"""The largest settings file that is read."""
LARGEST = 10**15
"""The largest number in a setting: more seconds, bytes or pages than anybody has, and exact as a float."""


def read_settings(path: Path, kind: type[S]) -> S:
    """The settings in a TOML file. Raises SettingsError that names the file, the key and the nearest valid one."""
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise SettingsError(f"{path}: more than {MOST_BYTES:,} bytes; not a settings file")
    try:
        table = tomllib.loads(content.decode("utf-8"))
    except RecursionError:
        raise SettingsError(f"{path}: not valid TOML: nested too deep") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise SettingsError(f"{path}: not valid TOML: {problem}") from None
    except ValueError:  # Python reads no number of more than 4,300 digits
        raise SettingsError(f"{path}: a number with thousands of digits; numbers go up to {LARGEST:,}") from None
    table = kind.newer(table)
    _refuse_unknown(path, table, kind, "")
    try:
        found = msgspec.convert(table, kind)
    except msgspec.ValidationError as problem:
        raise SettingsError(f"{path}: {_plain(str(problem))}") from None
    except RecursionError:
        raise SettingsError(f"{path}: nested too deep") from None
    if trouble := out_of_range(found):
        raise SettingsError(f"{path}: setting {trouble}")
    return found


def out_of_range(settings: Settings, section: str = "") -> str:
    """The first number that is none, or that nothing can be counted with, and what is wrong; "" when all are good."""
    for name in settings.__struct_fields__:
        value = getattr(settings, name)
        if isinstance(value, Settings):
            if trouble := out_of_range(value, f"{section}{name}."):
                return trouble
        elif isinstance(value, float) and not math.isfinite(value):
            return f"'{section}{name}': {value} is not a number that can be kept to; give a finite one"
        elif isinstance(value, (int, float)) and abs(value) > LARGEST:
            return f"'{section}{name}': too large; numbers go up to {LARGEST:,}"
    return ""


def write_settings(settings: Settings) -> str:
    """The settings as TOML text with the description of each key as a comment above it."""
    lines: list[str] = []
    _write_table(settings, "", lines)
    return "\n".join(lines).strip() + "\n"


def write_setting(path: Path, name: str, value: object) -> None:
    """Change one setting at the top of a file of settings, and leave all else as a person wrote it. Raises
    SettingsError when the file would not be one any more."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    end = next((at for at, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    new = f"{name} = {_toml(value)}\n"
    for at in range(end):
        if lines[at].partition("=")[0].strip().strip("# ") == name and "=" in lines[at]:
            lines[at] = new
            break
    else:
        lines.insert(end, new)
    text = "".join(lines)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise SettingsError(f"{path}: {name} cannot be written ({problem}); write it yourself: {new.strip()}") from None
    replace_file(path, text, durable=True)


def describe(kind: type[Settings], section: str = "") -> list[tuple[str, str, str, str]]:
    """(key, type, default, description) of every setting, sections flattened: the rows of the settings reference."""
    rows: list[tuple[str, str, str, str]] = []
    hints = get_type_hints(kind, include_extras=True)
    for field in msgspec.structs.fields(kind):
        bare, description = _split_hint(hints[field.name])
        key = section + field.name
        if isinstance(bare, type) and issubclass(bare, Settings):
            rows.extend(describe(bare, key + "."))
        else:
            rows.append((key, _kind_name(bare), _toml(_default(field)), description))
    return rows


def _write_table(settings: Settings, section: str, lines: list[str]) -> None:
    hints = get_type_hints(type(settings), include_extras=True)
    tables: list[tuple[str, str, Settings]] = []
    for field in msgspec.structs.fields(type(settings)):
        value = getattr(settings, field.name)
        description = _split_hint(hints[field.name])[1]
        if isinstance(value, Settings):
            tables.append((section + field.name, description, value))
            continue
        lines.append(f"# {description}")
        # TOML has no null: a setting that is not set is shown commented out.
        lines.append(f"{field.name} = {_toml(value)}" if value is not None else f"# {field.name} =")
    for name, description, table in tables:
        lines += ["", f"# {description}", f"[{name}]"]
        _write_table(table, name + ".", lines)


def _split_hint(hint: Any) -> tuple[Any, str]:
    if get_origin(hint) is Annotated:
        bare, *extras = get_args(hint)
        texts = [extra.description for extra in extras if isinstance(extra, msgspec.Meta) and extra.description]
        return bare, " ".join(texts)
    return hint, ""


def _kind_name(kind: Any) -> str:
    """The name of a type as a manual shows it; an enumeration by what may be written."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return f"Literal[{', '.join(repr(choice.value) for choice in kind)}]"
    return kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind).replace("typing.", "")


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default is not msgspec.NODEFAULT:
        return field.default
    return field.default_factory() if field.default_factory is not msgspec.NODEFAULT else None


def _toml(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml(str(key))} = {_toml(item)}" for key, item in value.items()) + " }"
    return str(value)


def _refuse_unknown(path: Path, table: dict[str, Any], kind: type[Settings], section: str) -> None:
    hints = _hints(kind)
    for key, value in table.items():
        if key not in hints:
            near = get_close_matches(key, hints, n=1, cutoff=0.5)
            advice = f"did you mean '{section}{near[0]}'?" if near else f"valid here: {', '.join(hints)}"
            raise SettingsError(f"{path}: unknown setting '{section}{key}'; {advice}")
        nested = hints[key]
        if isinstance(value, dict) and isinstance(nested, type) and issubclass(nested, Settings):
            _refuse_unknown(path, value, nested, f"{section}{key}.")


@cache
def _hints(kind: type[Settings]) -> dict[str, Any]:
    """The bare types of the settings of a kind, by name. Kept: it takes milliseconds, and there are 49 profiles."""
    return get_type_hints(kind)


def _plain(problem: str) -> str:
    """msgspec says "Expected `int`, got `str` - at `$.limits.body_bytes`": put the key first, in our notation."""
    what, _, where = problem.partition(" - at `$.")
    return f"setting '{where.rstrip('`')}': {what[0].lower()}{what[1:]}" if where else problem
