"""A storage of archive files: a bucket of S3, or a folder. The only module that imports obstore.

Credentials come from a file of the settings, from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
AWS_SESSION_TOKEN …) or from the role of the machine, in this order.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from phasa.archive.manifest import Place
from phasa.errors import CollectionError, SettingsError
from phasa.extras import needs_extra

if TYPE_CHECKING:
    from obstore.store import LocalStore, S3Store

PART = 8 << 20
"""Bytes of one part of a large upload; four of them are held at a time."""
_PARTS = 9_000  # S3 takes 10,000 parts of an object
_CHUNK = 1 << 20
_RETRIES = 3
_RETRY_SECONDS = 20.0
_CONNECT_SECONDS = 10.0
_REQUEST_SECONDS = 120.0

Step = Callable[[int], None]
"""Is told how many more bytes went by. What it raises ends the transfer."""


class StorageError(CollectionError):
    """Storage that cannot be used as it is: it says no, is full, or does not answer."""


class Sum(NamedTuple):
    """How many bytes, and their SHA-256."""

    size: int
    sha256: str


class Storage:
    """Files by name in one storage. Every method raises StorageError, in one line that names the storage."""

    def __init__(self, url: str, place: Place) -> None:
        self.url = url.rstrip("/")
        self._folder: Path | None = None
        with needs_extra("cluster", f"storage {self.url}"):
            import obstore

            self._obstore = obstore
        self._store = self._open(place)

    def put(self, name: str, path: Path, step: Step = lambda size: None) -> Sum:
        """Store a file whole or not at all; what was read of it. OSError when the file here cannot be read."""
        digest, size = hashlib.sha256(), 0
        length = path.stat().st_size
        part = max(PART, -(-length // _PARTS))

        def pieces() -> Iterator[bytes]:
            nonlocal size
            while piece := file.read(_CHUNK):
                digest.update(piece)
                size += len(piece)
                step(len(piece))
                yield piece

        with path.open("rb") as file, self._saying():
            self._obstore.put(
                self._store, name, pieces(), use_multipart=length > part, chunk_size=part, max_concurrency=4
            )
            self._settle(name)
        return Sum(size, digest.hexdigest())

    def put_bytes(self, name: str, content: bytes) -> Sum:
        """Store a small file."""
        with self._saying():
            self._obstore.put(self._store, name, content, use_multipart=False)
            self._settle(name)
        return Sum(len(content), hashlib.sha256(content).hexdigest())

    def sum_of(self, name: str, step: Step = lambda size: None) -> Sum | None:
        """What storage has under a name, all of it read back; None when there is nothing."""
        digest, size = hashlib.sha256(), 0
        with self._saying():
            try:
                for piece in self._obstore.get(self._store, name).stream(min_chunk_size=_CHUNK):
                    digest.update(piece)
                    size += len(piece)
                    step(len(piece))
            except FileNotFoundError as problem:
                if "NoSuchBucket" in str(problem):
                    raise
                return None
        return Sum(size, digest.hexdigest())

    def size_of(self, name: str) -> int | None:
        """How many bytes storage says it has under a name; None when there is nothing."""
        with self._saying():
            try:
                return int(self._obstore.head(self._store, name)["size"])
            except FileNotFoundError:
                return None

    def read(self, name: str, start: int, length: int) -> bytes:
        """A range of a file, fewer bytes at its end."""
        with self._saying():
            return bytes(self._obstore.get_range(self._store, name, start=start, length=length))

    def names(self) -> list[str]:
        """The names of all files, in their order."""
        with self._saying():
            return sorted(one["path"] for page in self._obstore.list(self._store) for one in page)

    def _open(self, place: Place) -> S3Store | LocalStore:
        from obstore.store import LocalStore, S3Store

        parts = urlsplit(self.url)
        if parts.scheme == "file" and parts.path.startswith("/") and not parts.netloc:
            self._folder = Path(parts.path)
            with self._saying():
                return LocalStore(self._folder)
        if parts.scheme != "s3" or not parts.netloc:
            raise SettingsError(f"setting 'storage.url': '{self.url}' is neither s3://bucket/prefix nor file:/path")
        config: dict[str, Any] = {
            "endpoint": place.endpoint, "region": place.region, **_secrets(place.credentials)
        }  # fmt: skip
        with self._saying():
            return S3Store(
                parts.netloc,
                prefix=parts.path.strip("/") or None,
                config={key: value for key, value in config.items() if value},  # type: ignore[arg-type]
                client_options={
                    "allow_http": True,
                    "connect_timeout": timedelta(seconds=_CONNECT_SECONDS),
                    "timeout": timedelta(seconds=_REQUEST_SECONDS),
                },
                retry_config={"max_retries": _RETRIES, "retry_timeout": timedelta(seconds=_RETRY_SECONDS)},
            )

    def _settle(self, name: str) -> None:
        """Of a folder: the file is on the disk itself, and what killed uploads of it left is gone."""
        if self._folder is None:
            return
        path = self._folder / name
        for place in (path, path.parent):
            number = os.open(place, os.O_RDONLY)
            try:
                os.fsync(number)
            finally:
                os.close(number)
        for rest in path.parent.glob(f"{path.name}#*"):
            rest.unlink(missing_ok=True)

    @contextmanager
    def _saying(self) -> Iterator[None]:
        """What went wrong, in one line."""
        from obstore.exceptions import BaseError

        # The library would make it: on a disk that is not mounted that fills another one.
        if self._folder is not None and not self._folder.is_dir():
            raise StorageError(f"storage {self.url}: there is no such folder; make it, or mount its disk")
        try:
            yield
        except (BaseError, FileNotFoundError, PermissionError) as problem:
            raise StorageError(f"storage {self.url}: {_plainly(problem)}") from None
        except OSError as problem:  # of a folder: its disk
            raise StorageError(f"storage {self.url}: {problem.strerror or problem}") from None


_SIGNS = (
    (("NoSuchBucket",), "there is no such bucket"),
    (
        ("InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "ExpiredToken", "InvalidToken", "status: 403",
         "status: 401", "Forbidden", "403 Forbidden"),
        "the credentials are refused; see AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and setting 'storage.credentials'",
    ),
    (
        ("169.254.169.254", "CredentialsNotLoaded", "MissingCredential", "InstanceCredential"),
        "no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or setting 'storage.credentials'",
    ),
    (("StorageFull", "No space left", "QuotaExceeded", "EntityTooLarge", "status: 507"), "it is full"),
    (("PermissionDenied", "Permission denied"), "nothing may be written there"),
    (("error sending request", "ConnectionRefused", "dns error", "timed out", "TimedOut"), "it cannot be reached"),
)  # fmt: skip


def _plainly(problem: Exception) -> str:
    """The cause behind an error of the library, which says it in pages."""
    text = str(problem)
    known = next((cause for signs, cause in _SIGNS if any(sign in text for sign in signs)), "")
    return known or " ".join(text.partition("\n\nDebug source")[0].split())[:300]


def _secrets(path: str) -> dict[str, str]:
    """NAME=VALUE lines of a file, as the library names them. Raises SettingsError when there is no such file."""
    if not path:
        return {}
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingsError(f"setting 'storage.credentials': {path}: {getattr(problem, 'strerror', problem)}") from None
    pairs = (line.removeprefix("export ").partition("=") for line in lines if line.strip() and not line.startswith("#"))
    return {name.strip().lower(): value.strip().strip("\"'") for name, _, value in pairs}


def open_storage(url: str, place: Place) -> Storage:
    """The storage behind a URL, one for all who ask in this process. Raises StorageError, SettingsError, ExtraError."""
    return _opened(url, place, os.getpid())


@lru_cache(maxsize=8)
def _opened(url: str, place: Place, process: int) -> Storage:
    return Storage(url, place)
