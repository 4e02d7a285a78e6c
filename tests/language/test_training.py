"""Making the model: labels, variants, fitting, writing and reading."""

from __future__ import annotations

import gzip
import random
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from tests.language.texts import SENTENCES

from phasa.errors import InputError
from phasa.language.detectors.auto import Auto
from phasa.language.linear import read_model, shipped_model, write_model
from phasa.language.training.build import PLANS, Plan, build_model, kept_back, read_lines
from phasa.language.training.clean import mend_labels
from phasa.language.training.corpus import SETS, Line, class_of, main_script
from phasa.language.training.fit import Shape, fit, matrix_of
from phasa.language.training.variants import cut, vary


@pytest.mark.parametrize(
    ("label", "script", "name"),
    [
        ("pes_Arab", "Arab", "fa"),
        ("prs_Arab", "Arab", "fa"),
        ("arz_Arab", "Arab", "ar"),
        ("arb_Latn", "Latn", "ar-Latn"),
        ("ace_Arab", "Arab", "ace-Arab"),
        ("kmr_Arab", "Arab", "kmr-Arab"),
        ("kmr", "Latn", "kmr"),
        ("zho_Hant", "Hani", "zh-Hant"),
        ("th", "Thai", "th"),
        ("srp_Latn", "Latn", "sr-Latn"),
        ("007", "Latn", None),
        ("eng_Latn", "Zyyy", None),
    ],
)
def test_labels_of_the_sets_become_classes(label: str, script: str, name: str | None) -> None:
    assert class_of(label, script) == name


@given(st.text(min_size=1, max_size=80), st.integers(1, 60), st.integers())
def test_a_cut_is_a_piece_of_the_text(text: str, length: int, seed: int) -> None:
    piece = cut(text, length, random.Random(seed))
    assert piece in text
    assert len(piece) <= length


def test_variants_keep_the_script() -> None:
    chance = random.Random(0)
    for language in ("fa", "ar", "ckb", "en"):
        for _ in range(50):
            assert main_script(vary(SENTENCES[language], language, chance)) == main_script(SENTENCES[language])


def _toy(words: Sequence[str], label: str, chance: random.Random) -> list[Line]:
    return [Line("toy", label, " ".join(chance.choices(words, k=8))) for _ in range(60)]


@pytest.fixture(scope="module")
def toy() -> list[Line]:
    """Two made-up languages in Arabic letters and two in Latin ones."""
    chance = random.Random(5)
    return [
        *_toy(["باغ", "سنگ", "پدر", "گرگ"], "fa", chance),
        *_toy(["كتاب", "بيت", "الولد", "التي"], "ar", chance),
        *_toy(["plimf", "zorbi", "quux"], "aa", chance),
        *_toy(["hello", "there", "friend"], "en", chance),
    ]


SMALL = (
    Plan(Shape(("Arab",), bits=10, orders=3, rank=0), fewest=5, epochs=4, rate=0.4),
    Plan(Shape(("Latn",), bits=10, orders=3, rank=4), fewest=5, epochs=4, rate=0.2),
)


def test_a_model_learns_is_written_and_read_back(toy: list[Line], tmp_path: Path) -> None:
    model = build_model(toy, seed=1, tell=lambda _: None, plans=SMALL)
    path = tmp_path / "model.npz"
    write_model(model, path)
    auto = Auto(read_model(path, "model"))
    texts = [line.text for line in toy]
    assert [verdict.language for verdict in auto.detect_many(texts)] == [line.label for line in toy]


def test_same_lines_and_seed_give_the_same_model(toy: list[Line]) -> None:
    first, second = (build_model(toy, seed=3, tell=lambda _: None, plans=SMALL) for _ in range(2))
    for one, other in zip(first.groups, second.groups, strict=True):
        assert np.array_equal(one.table, other.table)
        assert one.classes == other.classes


def test_run_time_and_training_compute_the_same_scores(toy: list[Line]) -> None:
    group = build_model(toy, seed=1, tell=lambda _: None, plans=SMALL[:1]).groups[0]
    texts = [line.text for line in toy[:20]]
    plain = matrix_of(texts, SMALL[0].shape) @ (group.table * group.scale) + group.bias
    assert np.allclose(group.logits(texts, 256), plain, atol=1e-4)


def test_wrong_labels_of_the_noisy_set_are_mended(toy: list[Line]) -> None:
    wrong = [line._replace(source="persoarabic", label="ar") for line in toy if line.label == "fa"][:10]
    right = [line for line in toy if line.label in ("fa", "ar")]
    mended = mend_labels([*right, *wrong], seed=1)
    assert [line.label for line in mended[len(right) :]] == ["fa"] * 10
    assert mended[: len(right)] == right


def test_fitting_lowers_the_error() -> None:
    features = csr_matrix(np.eye(4, dtype=np.float32))
    targets: NDArray[np.int64] = np.array([0, 1, 0, 1])
    weights = np.ones(4, np.float32)
    fitted = fit(
        lambda _: (features, targets, weights),
        2,
        Shape(("Latn",), bits=2, orders=1, rank=0),
        epochs=9,
        rate=0.5,
        seed=1,
    )
    assert fitted.logits(features).argmax(axis=1).tolist() == targets.tolist()


def test_made_up_lines_are_never_kept_back() -> None:
    lines = [Line("wordfreq", "fa", str(number)) for number in range(300)]
    assert not any(kept_back(line) for line in lines)
    assert any(kept_back(line._replace(source="ud")) for line in lines)


def test_lines_that_may_not_be_used_commercially_are_not_learned(tmp_path: Path) -> None:
    urdu, persian = SENTENCES["ur"], SENTENCES["fa"]
    for path in SETS.values():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        with gzip.open(tmp_path / path, "wt", encoding="utf-8") as rows:
            rows.write(f"urd_Arab\t{urdu}\npes_Arab\t{persian}\n")
    lines = read_lines(tmp_path, seed=1)
    assert {line.source for line in lines if line.text == persian} == set(SETS)
    assert {line.source for line in lines if line.text == urdu} == set(SETS) - {"ud"}


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(b"not a model")
    with pytest.raises(InputError, match="not a phasa language model"):
        read_model(path, str(path))


def test_the_tables_of_a_model_stay_in_their_file_until_they_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    write_model(shipped_model(), path)
    tracemalloc.start()
    try:
        model = read_model(path, "model")
        before = tracemalloc.get_traced_memory()[0]
        first = model.groups[0].table
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert before < 500_000
    assert after < before + first.nbytes + 100_000
    assert np.array_equal(first, shipped_model().groups[0].table)


def test_the_shipped_model_fits_its_budget_and_its_plan() -> None:
    import phasa.language

    folder = Path(next(iter(phasa.language.__path__)))
    assert (folder / "data" / "model.npz").stat().st_size < 5_000_000
    groups = shipped_model().groups
    assert [group.scripts for group in groups] == [plan.shape.scripts for plan in PLANS]
    assert {"fa", "ar", "ur", "ps", "ckb", "azb", "glk", "mzn", "sd", "ks", "ug", "bal"} <= set(groups[0].classes)
    assert sum(len(group.classes) for group in groups) >= 200
