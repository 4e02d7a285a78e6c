"""Everything that comes with phasa has a licence and sources that somebody can read."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import phasa
from phasa.language.segmenters import model_file
from phasa.language.segmenters.model import read_model
from phasa.licences import by_terms, expression, licence_of, notice, shipped

PACKAGE = Path(next(iter(phasa.__path__)))
CHECKOUT = Path(__file__).parents[1]


def data_files() -> list[Path]:
    files = (path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc"))
    return sorted(files)


def test_every_file_of_the_package_that_is_no_code_has_an_entry() -> None:
    assert [path for path in data_files() if licence_of(path) is None] == []


def test_every_entry_is_about_a_file_that_is_there() -> None:
    paths = [path.as_posix() for path in data_files()]
    patterns = [pattern for entry in shipped() for pattern in entry.files]
    assert [pattern for pattern in patterns if not any(fnmatchcase(path, pattern) for path in paths)] == []


def test_what_was_made_from_the_work_of_others_names_it() -> None:
    made = [path for path in data_files() if path.suffix in (".zst", ".npz", ".npy", ".gz")]
    assert len(made) > 15
    for path in made:
        entry = licence_of(path)
        assert entry is not None
        assert entry.sources, path


def test_a_file_that_is_not_ours_has_none() -> None:
    assert licence_of(Path("mine/other.zst")) is None
    assert by_terms([Path("mine/other.zst")]) == {"not stated": [Path("mine/other.zst")]}


def test_notice_is_what_the_table_says() -> None:
    written = (CHECKOUT / "NOTICE").read_text(encoding="utf-8")
    assert written == notice(), "make it again: python -m phasa.licences > NOTICE"
    for entry in shipped():
        assert entry.what in written


def test_the_project_declares_the_licences_of_all_its_parts() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == expression()
    assert set(project["license-files"]) == {"LICENSE", "NOTICE"}
    for file in project["license-files"]:
        assert (CHECKOUT / file).is_file()


def test_only_the_default_word_model_may_not_be_used_commercially() -> None:
    kept = [path.name for path in data_files() if (entry := licence_of(path)) and not entry.commercial]
    assert kept == ["model-th.zst"]


def test_the_free_word_model_was_taught_by_nothing_that_forbids_commercial_use() -> None:
    card = read_model(model_file("th", "free")).card
    assert set(card["corpora"]) == {"plain", "ud", "social"}
    for corpus in card["corpora"].values():
        assert "NC" not in corpus["licence"]
        assert not any(file.startswith("best") for file in corpus["files"])
    assert "NC" in read_model(model_file("th")).card["corpora"]["best"]["licence"]
