"""What a strategy learned, as bytes: the weights of its model, its records, and what else it names."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any
from zipfile import BadZipFile

import zstandard
from numpy.typing import NDArray

from phasa.crawl.strategies.online.memory import Shares
from phasa.crawl.strategies.online.model import OnlineModel
from phasa.crawl.tables import pack_tables, unpack_tables
from phasa.errors import InputError

Table = NDArray[Any]


def save_state(model: OnlineModel, records: Mapping[str, Shares], **others: Table) -> bytes:
    """The state of a strategy, for `load_state`."""
    return pack_tables({**sums(model, records), **others})


def sums(model: OnlineModel, records: Mapping[str, Shares]) -> dict[str, Table]:
    """The tables of what was learned, as they are in use: every page adds something to them."""
    tables: dict[str, Table] = {
        "weights": model.weights,
        "squares": model.squares,
        "piece_weights": model.piece_weights,
        "piece_squares": model.piece_squares,
    }
    for name, shares in records.items():
        tables[f"{name}_hits"], tables[f"{name}_pages"] = shares.hits_view, shares.pages_view
    return tables


def load_state(
    strategy: str,
    state: bytes,
    model: OnlineModel,
    records: Mapping[str, Shares],
    *others: str,
    added: Container[str] = (),
) -> list[Table]:
    """Put a state into the model and the records, whole or not at all; gives the other tables that are asked for.

    Records that were `added` later may be missing: they stay empty. Raises InputError when the bytes are not what
    `save_state` made for such a strategy.
    """
    try:
        tables = unpack_tables(state)
        if tables["weights"].shape != model.weights.shape:
            raise ValueError("made by another version")
        records = {name: shares for name, shares in records.items() if f"{name}_hits" in tables or name not in added}
        for name, shares in records.items():
            for side in (f"{name}_hits", f"{name}_pages"):
                if tables[side].shape != shares.hits_view.shape:
                    raise ValueError(f"its table {side} has another size")
        found = [tables[name] for name in others]
    except (ValueError, KeyError, OSError, EOFError, BadZipFile, zstandard.ZstdError) as problem:
        raise InputError(
            f"strategy {strategy}: its saved state cannot be read: {problem}; delete it to start afresh"
        ) from None
    model.weights, model.squares = tables["weights"], tables["squares"]
    model.piece_weights, model.piece_squares = tables["piece_weights"], tables["piece_squares"]
    for name, shares in records.items():
        shares.hits_view[:], shares.pages_view[:] = tables[f"{name}_hits"], tables[f"{name}_pages"]
    return found
