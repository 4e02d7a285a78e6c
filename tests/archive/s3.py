"""A real S3 server on the loopback (moto), in a process of its own, and archives to ship to it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from urllib.request import Request, urlopen

import msgspec
from tests.archive.captures import page

from phasa.archive.cdxj import merge
from phasa.archive.storage_settings import StorageSettings
from phasa.archive.warc import WarcWriter
from phasa.collection import Collection
from phasa.settings import write_settings

ACCOUNT = {"AWS_ACCESS_KEY_ID": "phasa", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}


@contextmanager
def s3_server(*, checked: bool = False) -> Iterator[str]:
    """The address of a server with a bucket `web`. `checked`: it knows no account, and refuses who signs as one."""
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **ACCOUNT, **({"INITIAL_NO_AUTH_ACTION_COUNT": "1"} if checked else {})},
    )
    try:
        assert process.stderr is not None
        found = next(match for line in process.stderr if (match := re.search(r"http://127\.0\.0\.1:\d+", line)))
        threading.Thread(target=process.stderr.read, daemon=True).start()  # a full pipe would stop it
        address = found[0]
        urlopen(Request(f"{address}/web", method="PUT"), timeout=10).read()
        yield address
    finally:
        process.terminate()
        process.wait(10)


def collection_with(folder: Path, storage: StorageSettings, pages: int = 12, size: int = 0) -> Collection:
    """A collection whose archive has pages in some finished files; with `size`, one file of about so many bytes."""
    made = Collection.create(folder)
    collection = made.with_settings(storage=storage)
    write_archive(collection.archive_folder, pages, size)
    write_storage(collection)
    return collection


def write_archive(archive: Path, pages: int = 12, size: int = 0) -> None:
    """Pages in files of some kilobytes each, indexed."""
    random = Random(7)
    with WarcWriter(archive, rotate_bytes=1 << 40 if size else 4000) as writer:
        for number in range(pages):
            writer.write(page(number))
        for number in range(size >> 20):
            writer.write(page(pages + number, body=random.randbytes(1 << 20)))
    merge(archive)


def write_storage(collection: Collection) -> None:
    """Keep the settings of the collection in its file."""
    collection.settings_file.write_text(write_settings(collection.settings), encoding="utf-8")


def change_storage(collection: Collection, **changes: object) -> Collection:
    """The same collection with other settings of storage, in its file too."""
    storage = msgspec.structs.replace(collection.settings.storage, **changes)
    changed = collection.with_settings(storage=storage)
    write_storage(changed)
    return changed
