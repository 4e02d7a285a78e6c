"""Training on a handful of sentences: it learns, it repeats itself, its file holds all of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from phasa.errors import InputError
from phasa.language.segmenters.model import Model, read_model
from phasa.language.segmenters.pointwise import Pointwise
from phasa.language.segmenters.train import Recipe, train

RECIPE = Recipe(bits=14, kept=5000, kept_per_style=2000, shard=500)
FIRST = [["แมว", "กิน", "ปลา"], ["ปลา", "กิน", "แมว"], ["แมว", " ", "นอน"], ["ชาว", "บ้าน", "นอน"]] * 30
SECOND = [["ชาวบ้าน", "555", "นอน"], ["ชาวบ้าน", "กิน", "ปลา", "555"]] * 30


@pytest.fixture(scope="module")
def model() -> Model:
    return train({"first": FIRST, "second": SECOND}, ["ปลา"], RECIPE)


def test_what_was_taught_is_known(model: Model) -> None:
    assert Pointwise(model, "first").words("แมวกินปลา") == ["แมว", "กิน", "ปลา"]


def test_each_style_cuts_as_its_corpus_does(model: Model) -> None:
    assert Pointwise(model, "first").words("ชาวบ้านนอน") == ["ชาว", "บ้าน", "นอน"]
    assert Pointwise(model, "second").words("ชาวบ้านนอน") == ["ชาวบ้าน", "นอน"]


def test_the_style_is_chosen_by_the_text(model: Model) -> None:
    auto = Pointwise(model)
    assert auto.style_for("ชาวบ้าน555นอน\n" * 40) == "second"
    assert auto.style_for("ปลากินแมว\n" * 40) == "first"


def test_the_same_corpus_and_seed_give_the_same_model(model: Model) -> None:
    again = train({"first": FIRST, "second": SECOND}, ["ปลา"], RECIPE)
    assert np.array_equal(again.shared, model.shared)
    assert np.array_equal(again.styles["second"].values, model.styles["second"].values)
    assert again.margin == model.margin


def test_the_same_corpus_and_seed_give_the_same_bytes(model: Model, tmp_path: Path) -> None:
    again = train({"first": FIRST, "second": SECOND}, ["ปลา"], RECIPE)
    model.save(tmp_path / "a.zst")
    again.save(tmp_path / "b.zst")
    assert (tmp_path / "a.zst").read_bytes() == (tmp_path / "b.zst").read_bytes()


def test_a_saved_model_is_read_again(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "m.zst")
    again = read_model(tmp_path / "m.zst")
    assert np.array_equal(again.shared, model.shared)
    assert np.array_equal(again.words.table, model.words.table)
    assert np.array_equal(again.table("second"), model.table("second"))
    assert np.array_equal(again.style_table, model.style_table)
    assert (again.margin, again.style_names, again.bits) == (model.margin, model.style_names, model.bits)


def test_a_file_that_is_no_model_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "x.zst").write_bytes(b"nonsense")
    with pytest.raises(InputError, match=r"x\.zst: not a word model"):
        read_model(tmp_path / "x.zst")


def test_no_lines_are_refused() -> None:
    with pytest.raises(InputError, match="no lines"):
        train({"first": []}, [], RECIPE)


def test_words_that_are_frequent_elsewhere_are_known_and_rare_ones_are_not() -> None:
    plain = train({"first": FIRST}, [], RECIPE)
    frequent = train({"first": FIRST}, [], RECIPE, frequencies={"ช้าง": RECIPE.least_frequency, "ม้า": 1})
    told = train({"first": FIRST}, [], RECIPE, frequencies={"ช้าง": RECIPE.least_frequency})
    assert not np.array_equal(frequent.words.table, plain.words.table)
    assert np.array_equal(frequent.words.table, told.words.table)
