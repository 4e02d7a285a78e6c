"""Plug-ins are found by path, by module and by entry point; what is wrong with one is said with its place."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from phasa.errors import SettingsError
from phasa.plugins import Kind, absolute, is_path, make_plugin, plugin_names

MINE = """
class Mine:
    def __init__(self, first, depth=1, name="none"):
        self.first, self.depth, self.name = first, depth, name

    def page(self):
        return self.first

class Bare:
    pass

def made(*given):
    return given

def broken():
    raise ValueError("no luck")

number = 3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(MINE, encoding="utf-8")
    return path


def test_a_class_in_a_file_is_made_with_as_many_values_as_it_takes(file: Path) -> None:
    mine = make_plugin(Kind.STRATEGY, f"{file}:Mine:depth=3:name=x", ["a"], ["page"])
    assert mine is not None
    assert (mine.first, mine.depth, mine.name, mine.page()) == ("a", 3, "x", "a")


def test_a_function_may_make_it(file: Path) -> None:
    assert make_plugin(Kind.JUDGE, f"{file}:made", [1, 2]) == (1, 2)


def test_a_class_without_parameters_is_given_nothing(file: Path) -> None:
    assert type(make_plugin(Kind.JUDGE, f"{file}:Bare", [1, 2])).__name__ == "Bare"


def test_an_installed_module_is_a_place_too(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (file.parent / "some_package").mkdir()
    (file.parent / "some_package" / "__init__.py").touch()
    (file.parent / "some_package" / "parts.py").write_text(MINE, encoding="utf-8")
    monkeypatch.syspath_prepend(file.parent)
    assert make_plugin(Kind.JUDGE, "some_package.parts:made", [1]) == (1,)
    sys.modules.pop("some_package.parts")


def test_an_entry_point_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "their_part.py").write_text(MINE, encoding="utf-8")
    info = tmp_path / "their_part-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-part\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[phasa.strategies]\ntheirs = their_part:made\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert plugin_names(Kind.STRATEGY) == ["theirs"]
    assert make_plugin(Kind.STRATEGY, "theirs", ["around"]) == ("around",)
    assert make_plugin(Kind.JUDGE, "theirs") is None


def test_a_plain_name_is_no_plugin() -> None:
    assert make_plugin(Kind.STRATEGY, "lswc:distance=4") is None


@pytest.mark.parametrize(
    ("spec", "place"),
    [
        ("./mine.py:Mine", True),
        ("package.module:Mine", True),
        ("package.module:Mine:depth=3", True),
        ("lswc", False),
        ("lswc:distance=4", False),
        ("thai.arff", False),
    ],
)
def test_places_are_told_from_names(spec: str, place: bool) -> None:
    assert is_path(spec) is place


def test_a_path_can_be_made_absolute(tmp_path: Path) -> None:
    assert absolute("./mine.py:Mine", tmp_path) == f"{tmp_path / 'mine.py'}:Mine"
    assert absolute("lswc:distance=4", tmp_path) == "lswc:distance=4"


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("absent.py:Mine", "no such file"),
        ("mine.py:Nine", "nothing of the name 'Nine'.*Mine, Bare, made, broken"),
        ("mine.py:number", "no class or function"),
        ("mine.py:broken", r"ValueError: no luck \(mine.py, line 16\)"),
        ("mine.py:Mine:depth", "not KEY=VALUE"),
        ("mine.py:Mine:width=3", "TypeError"),
        ("mine.py:Bare", r"has no page\(\)"),
        ("no_such_package.parts:Mine", "cannot be imported"),
    ],
)
def test_what_is_wrong_is_said(file: Path, choice: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        make_plugin(Kind.STRATEGY, absolute(choice, file.parent), ["a"], ["page"])


def test_a_file_with_a_mistake_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("x = 1\ny = z\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"NameError.*bad.py, line 2"):
        make_plugin(Kind.JUDGE, f"{tmp_path / 'bad.py'}:x")
