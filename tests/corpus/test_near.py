"""The index of keys, next to a dictionary."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from phasa.corpus.near import KeyIndex
from phasa.errors import InputError


def random_keys(rows: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    return np.random.default_rng(seed).integers(0, 1 << 63, (rows, 5), dtype=np.uint64)


def test_every_document_is_found_by_each_of_its_keys(tmp_path: Path) -> None:
    index = KeyIndex(tmp_path)
    known: dict[int, set[int]] = {}
    doc = 0
    for unit in range(30):
        keys = random_keys(unit % 7, unit)
        docs = np.arange(doc, doc + len(keys), dtype=np.uint32)
        index.add(keys, docs)
        for row, number in zip(keys.tolist(), docs.tolist(), strict=True):
            for key in row:
                known.setdefault(key, set()).add(number)
        doc += len(keys)
    asked = np.concatenate([random_keys(unit % 7, unit) for unit in range(30)])
    found = {(hit.row, hit.doc) for hit in KeyIndex(tmp_path).find(asked)}
    assert found == {(row, number) for row, keys in enumerate(asked.tolist()) for key in keys for number in known[key]}
    assert len(index.manifest.runs) < 10
    assert list(KeyIndex(tmp_path).find(random_keys(5, 999))) == []


def test_a_unit_that_was_not_committed_is_forgotten(tmp_path: Path) -> None:
    index = KeyIndex(tmp_path)
    index.add(random_keys(3, 1), np.arange(3, dtype=np.uint32))
    (tmp_path / "000001.run").write_bytes(b"torn")
    again = KeyIndex(tmp_path)
    assert again.manifest.units == 1
    assert not (tmp_path / "000001.run").exists()


def test_all_runs_are_written_as_one_sorted_file(tmp_path: Path) -> None:
    index = KeyIndex(tmp_path / "keys")
    for unit in range(5):
        index.add(random_keys(50, unit), np.arange(50, dtype=np.uint32) + 50 * unit)
    index.merge_all(tmp_path / "all.run")
    from phasa.corpus.near import ENTRY

    entries = np.fromfile(tmp_path / "all.run", ENTRY)
    assert len(entries) == 5 * 50 * 5
    assert np.array_equal(np.sort(entries["key"]), entries["key"])


def test_a_damaged_manifest_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "runs.json").write_text("{")
    with pytest.raises(InputError, match="damaged"):
        KeyIndex(tmp_path)
