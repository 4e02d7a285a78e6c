"""Settings files: every line explained, every mistake named."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Annotated

import pytest
from msgspec import Meta

from phasa.collection import Collection, CollectionSettings, WordSettings
from phasa.errors import CollectionError, SettingsError
from phasa.settings import Settings, describe, out_of_range, read_settings, write_settings
from phasa.strategy_settings import StrategySettings, with_options


class Inner(Settings, frozen=True, kw_only=True):
    size: Annotated[int, Meta(gt=0, description="How big.")] = 3
    names: Annotated[tuple[str, ...], Meta(description="Which ones.")] = ("a", 'q"uote\\')


class Outer(Settings, frozen=True, kw_only=True):
    title: Annotated[str, Meta(description="What it is called.")] = "x"
    proxy: Annotated[str | None, Meta(description="Not set unless needed.")] = None
    inner: Annotated[Inner, Meta(description="The inner part.")] = Inner()


def test_what_is_written_reads_back_the_same(tmp_path: Path) -> None:
    settings = Outer(title="หนังสือ \n x", inner=Inner(size=7))
    file = tmp_path / "s.toml"
    file.write_text(write_settings(settings), encoding="utf-8")
    assert read_settings(file, Outer) == settings


def test_every_key_and_section_has_its_comment_above_it() -> None:
    lines = [line for line in write_settings(CollectionSettings()).splitlines() if line]
    for before, line in pairwise(lines):
        if not line.startswith("#"):
            assert before.startswith(("# ", "[")), line
            assert len(before) > 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("titel = 'x'", "unknown setting 'titel'; did you mean 'title'?"),
        ("[inner]\nsiez = 1", "unknown setting 'inner.siez'; did you mean 'inner.size'?"),
        ("[inner]\nqqqq = 1", "valid here: size, names"),
        ("[inner]\nsize = 'big'", "setting 'inner.size': expected `int`, got `str`"),
        ("[inner]\nsize = 0", "setting 'inner.size': expected `int` >= 1"),
        ("title = ", "not valid TOML"),
        ("inner = 3", "inner"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "s.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as problem:
        read_settings(file, Outer)
    assert says in str(problem.value)
    assert str(file) in str(problem.value)


def test_the_reference_lists_every_setting_with_its_default() -> None:
    rows = {key: (kind, default, text) for key, kind, default, text in describe(CollectionSettings)}
    assert rows["limits.redirects"] == ("int", "5", "Redirects followed for one address.")
    assert all(text for _, _, text in rows.values())


def test_a_collection_is_made_and_opened(tmp_path: Path) -> None:
    made = Collection.create(tmp_path / "c", language="fa", contact="me@example.org")
    opened = Collection.open(tmp_path / "c")
    assert opened.settings == made.settings
    assert opened.settings.language == "fa"
    assert opened.seeds() == []


def test_the_word_model_is_a_shipped_one_or_a_file_of_the_collection(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "c")
    assert collection.word_model == "default"
    assert collection.with_settings(words=WordSettings(model="free")).word_model == "free"
    own = collection.with_settings(words=WordSettings(model="mine.zst"))
    assert own.word_model == str(collection.models_folder / "mine.zst")


def test_a_collection_is_never_overwritten(tmp_path: Path) -> None:
    Collection.create(tmp_path)
    with pytest.raises(CollectionError, match="already a collection"):
        Collection.create(tmp_path)


def test_a_folder_without_settings_is_no_collection(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match="phasa init"):
        Collection.open(tmp_path)


def test_seeds_leave_comments_out(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds"
    seeds.write_text("# mine\nhttp://a.th/\n\n  http://b.th/ \n")
    assert Collection.create(tmp_path / "c", seeds=seeds).seeds() == ["http://a.th/", "http://b.th/"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[limits]\ntotal_seconds = inf", "'limits.total_seconds': inf is not a number that can be kept to"),
        ("[strategies.hybrid]\nfloor = nan", "'strategies.hybrid.floor': nan is not a number"),
        ("[politeness]\ndelay = 1e300", "'politeness.delay': too large"),
        ("connections = 9999999999999999999999", "'connections': too large"),
        ("connections = " + "9" * 5000, "a number with thousands of digits"),
        ("x = " + "[" * 100_000, "nested too deep"),
        ("x = " + "{a=" * 50_000, "nested too deep"),
        ("x" + ".x" * 20_000 + " = 1", "unknown setting 'x'"),
        ("language = 'th'\n" + "#" * 1_000_000, "not a settings file"),
    ],
    ids=["inf", "nan", "1e300", "22 digits", "5000 digits", "arrays", "tables", "dotted", "megabyte"],
)
def test_numbers_without_end_and_nests_without_end_are_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "collection.toml").write_text(text)
    with pytest.raises(SettingsError) as problem:
        Collection.open(tmp_path)
    assert says in str(problem.value)
    assert str(tmp_path) in str(problem.value)


def test_an_option_of_a_strategy_is_a_number_that_can_be_kept_to() -> None:
    with pytest.raises(SettingsError, match="'floor': nan"):
        with_options(StrategySettings(), "hybrid", ["floor=nan"])


def test_every_default_is_in_range() -> None:
    assert out_of_range(CollectionSettings()) == ""


def test_an_archive_switch_at_the_top_of_an_older_file_still_counts(tmp_path: Path) -> None:
    from phasa.collection import CollectionSettings

    (tmp_path / "old.toml").write_text('language = "th"\narchive = false\n')
    assert read_settings(tmp_path / "old.toml", CollectionSettings).archive.keep is False
