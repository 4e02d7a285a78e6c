"""The document repository of the Thai crawler: one directory per site, one file per page (Thai spec §3.4)."""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath

from phasa.archive.reader import Stored, read_archive, resolve
from phasa.web.url import host, parse


def repository_path(url: str) -> PurePosixPath:
    """`http://www.ku.ac.th/help.html` -> `www-ku-ac-th/e512d612a558dcbc4f6e3c1d3ab6683b`: MD5 of the whole URL."""
    name = hashlib.md5(url.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()
    site = parse(url)
    directory = host(site).replace(".", "-").replace(":", "-").strip("[]") if site else "other"
    return PurePosixPath(directory, name)


def export_repository(archive: Path, out: Path) -> int:
    """Write the newest whole answer of every page into the repository layout. Returns the number of pages.

    A page whose bytes an earlier one already has is a hard link to it, so identical bytes are stored once.
    """
    stored_at: dict[str, Path] = {}
    names: set[PurePosixPath] = set()
    for stored in read_archive(archive):
        if stored.status != 200:
            continue
        name = repository_path(stored.url)
        names.add(name)
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        twin = stored_at.get(stored.digest)
        if twin is not None and twin.exists():
            path.hardlink_to(twin)
        else:
            path.write_bytes(_content(archive, stored))
            stored_at[stored.digest] = path
    return len(names)


def _content(archive: Path, stored: Stored) -> bytes:
    return resolve(archive, stored).content
