"""What a machine needs of a collection to crawl it: settings, seeds, models, profile; packed, sent, unpacked."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

from phasa.collection import Collection
from phasa.errors import CollectionError

MOST_MEGABYTES = 500


def pack(collection: Collection) -> bytes:
    """Raises CollectionError when it is too much to send."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name in (Collection.SETTINGS, Collection.SEEDS, Collection.MODELS, Collection.PROFILE):
            if (path := collection.path / name).exists():
                tar.add(path, name, filter=_without_states)
    if packed.tell() > MOST_MEGABYTES * 1e6:
        raise CollectionError(
            f"{collection.path}: settings, seeds and models are {packed.tell() / 1e6:,.0f} MB, more than"
            f" {MOST_MEGABYTES} MB: put the folder on every machine yourself"
        )
    return packed.getvalue()


def _without_states(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """What a strategy learned on this machine is not the other machine's."""
    return None if member.name.endswith(".state") else member


def unpack(bundle: bytes, path: Path) -> Collection:
    """The collection in this folder of this machine, which is made when it is not there."""
    if not (path / Collection.SETTINGS).is_file():
        path.mkdir(parents=True, exist_ok=True)
        with tarfile.open(fileobj=io.BytesIO(bundle)) as tar:
            tar.extractall(path, filter="data")
    return Collection.open(path)
