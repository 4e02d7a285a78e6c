"""Tables as bytes: all come back, also from bytes of before, and packing them takes little memory of its own."""

from __future__ import annotations

import io
import tracemalloc

import numpy as np
import zstandard

from phasa.crawl.tables import pack_tables, unpack_tables

TABLES = {f"t{number}": np.arange(100_000, dtype=np.float32) % (number + 2) for number in range(20)}


def test_tables_come_back() -> None:
    tables = {**TABLES, "n": np.array([[1, 2], [3, 4]]), "nothing": np.zeros(0), "turned": np.arange(6).reshape(2, 3).T}
    back = unpack_tables(pack_tables(tables))
    assert back.keys() == tables.keys()
    for name, table in tables.items():
        assert back[name].dtype == table.dtype
        assert np.array_equal(back[name], table)


def test_bytes_of_before_are_read() -> None:
    """Without compression, and compressed as a whole."""
    out = io.BytesIO()
    np.savez(out, **TABLES)  # type: ignore[arg-type]
    for packed in (out.getvalue(), zstandard.ZstdCompressor().compress(out.getvalue())):
        assert unpack_tables(packed).keys() == TABLES.keys()


def test_packing_takes_the_memory_of_one_table_not_of_all() -> None:
    whole = sum(table.nbytes for table in TABLES.values())
    tracemalloc.start()
    try:
        pack_tables(TABLES)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < whole / 2
