"""WACZ export: WARC files, index and page list in one ZIP that ReplayWeb.page opens (WACZ 1.1.1)."""

from __future__ import annotations

import hashlib
import os
import time
import zipfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from phasa import __version__
from phasa.archive.capture import ArchiveError
from phasa.archive.cdxj import merge, read_index
from phasa.archive.damage import Damage, note
from phasa.archive.members import members
from phasa.archive.shelf import finished_files, size_of, stream
from phasa.files import naming, whole_file
from phasa.web.http import PAGE_TYPES


class PageLine(msgspec.Struct, frozen=True):
    """One line of pages.jsonl: an address a reader may start from."""

    id: str
    url: str
    ts: str
    title: str


def export_wacz(archive: Path, out: Path, *, title: str = "", titles: dict[str, str] | None = None) -> int:
    """Write the finished WARC files of a folder as one WACZ. Returns the number of pages in its list.

    Raises ArchiveError when there is nothing to export.
    """
    warcs = finished_files(archive)
    if not warcs:
        raise ArchiveError(f"{archive}: no finished WARC file to export; crawl first")
    index, made = _index(archive, out)
    resources: list[dict[str, object]] = []
    with whole_file(out) as unfinished, zipfile.ZipFile(unfinished, "w", allowZip64=True) as bundle:
        for warc in warcs:
            resources.append(_store(bundle, warc, f"archive/{warc.name}"))
            for piece in members(warc):
                if isinstance(piece, Damage):
                    note(piece)
        resources.append(_store(bundle, index, "indexes/index.cdxj"))
        pages = list(_pages(archive, titles or {}))
        resources.append(_store_bytes(bundle, _page_list(pages), "pages/pages.jsonl"))
        package = _package(title, resources)
        bundle.writestr("datapackage.json", package)
        bundle.writestr("datapackage-digest.json", _package_digest(package))
    if made:
        index.unlink()
    return len(pages)


def _index(archive: Path, out: Path) -> tuple[Path, bool]:
    """The index file of an archive, and whether it was made for this export: a folder that cannot be written to keeps
    its own as it is."""
    if os.access(archive, os.W_OK):
        return merge(archive), False
    made = out.with_name(f"{out.name}.cdxj")
    with naming(made), made.open("wb") as file:
        file.writelines(entry.line() for entry in read_index(archive))
    return made, True


def _pages(archive: Path, titles: dict[str, str]) -> Iterable[PageLine]:
    seen: set[str] = set()
    for entry in read_index(archive):
        if entry.status == "200" and entry.mime in PAGE_TYPES and entry.url not in seen:
            seen.add(entry.url)
            stamp = entry.time.strftime("%Y-%m-%dT%H:%M:%SZ")
            yield PageLine(f"{entry.filename}:{entry.offset}", entry.url, stamp, titles.get(entry.url) or entry.url)


def _page_list(pages: list[PageLine]) -> bytes:
    head = {"format": "json-pages-1.0", "id": "pages", "title": "All pages"}
    return b"".join(msgspec.json.encode(line) + b"\n" for line in [head, *pages])


def _store(bundle: zipfile.ZipFile, path: Path, name: str) -> dict[str, object]:
    """Add a file uncompressed (readers seek in it) and give its line for the data package."""
    digest = hashlib.sha256()
    size = 0
    # ReplayWeb.page finds the data by the length of the central header's extra field: no zip64 unless it must be.
    info = zipfile.ZipInfo(name, _changed(path))
    info.external_attr, info.file_size = 0o100644 << 16, size_of(path)
    with bundle.open(info, "w") as target:
        for chunk in stream(path):
            digest.update(chunk)
            size += len(chunk)
            target.write(chunk)
    return _resource(name, digest.hexdigest(), size)


def _changed(path: Path) -> tuple[int, int, int, int, int, int]:
    """When a file was last written, as ZIP has it; of one that was shipped, now."""
    moment = time.localtime(path.stat().st_mtime if path.exists() else None)
    return moment[:6]


def _store_bytes(bundle: zipfile.ZipFile, data: bytes, name: str) -> dict[str, object]:
    bundle.writestr(name, data)
    return _resource(name, hashlib.sha256(data).hexdigest(), len(data))


def _resource(name: str, digest: str, size: int) -> dict[str, object]:
    return {"name": name.rsplit("/", 1)[-1], "path": name, "hash": f"sha256:{digest}", "bytes": size}


def _package(title: str, resources: list[dict[str, object]]) -> bytes:
    return msgspec.json.format(
        msgspec.json.encode(
            {
                "profile": "data-package",
                "wacz_version": "1.1.1",
                "title": title,
                "created": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "software": f"phasa {__version__}",
                "resources": resources,
            }
        ),
        indent=2,
    )


def _package_digest(package: bytes) -> bytes:
    return msgspec.json.encode({"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(package).hexdigest()}"})
