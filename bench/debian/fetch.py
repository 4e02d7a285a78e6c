"""The packages from the Debian mirror of this machine, unpacked as far as the web needs them.

Nothing is installed and nobody has to be root: `apt-get download` brings a package, its pages go into one tree as an
installation would put them. Of files that are no pages (pictures, PDF) the first bytes are kept, enough for an answer
of their type; a package is deleted once it is unpacked.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath

PAGE_NAME = re.compile(r".*\.x?html?(\.[A-Za-z_-]{2,6})?(\.[a-z0-9-]+)?", re.ASCII)
HEAD_BYTES = 1024
BATCH = 8


class MissingError(Exception):
    """The web cannot be had: says what is missing and what to do."""


def cache_folder() -> Path:
    """Where the packages are unpacked: PHASA_DEBIAN_WEB, or the cache of the user; never in the repository."""
    told = os.environ.get("PHASA_DEBIAN_WEB")
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(told) if told else Path(base) / "phasa" / "debian-web"


def choose(names: Sequence[str], packages: Sequence[str], families: Sequence[str]) -> list[str]:
    """The packages of the web among those that a mirror has. Raises MissingError when it has none of them."""
    known = set(names)
    chosen = [name for name in packages if name in known]
    chosen += sorted(name for name in known if any(re.fullmatch(family, name) for family in families))
    if not chosen:
        raise MissingError("apt knows none of the packages: run 'apt-get update' once, with a Debian mirror configured")
    return chosen


def known_packages() -> list[str]:
    """Every package name that apt knows. Raises MissingError on a machine without apt."""
    for tool in ("apt-cache", "apt-get", "dpkg-deb"):
        if not shutil.which(tool):
            raise MissingError(f"{tool} is not on this machine: run 'fetch' on Debian, or in a container of it")
    found = subprocess.run(["apt-cache", "pkgnames"], capture_output=True, text=True, check=False)
    return found.stdout.split()


def fetch(folder: Path, packages: Sequence[str], say: Callable[[str], None]) -> int:
    """Bring the packages that are not there yet and unpack them; how many came. Raises MissingError."""
    root, done = folder / "root", folder / "packages"
    done.mkdir(parents=True, exist_ok=True)
    wanted = [name for name in packages if not (done / name).exists()]
    for first in range(0, len(wanted), BATCH):
        batch = wanted[first : first + BATCH]
        with tempfile.TemporaryDirectory(dir=folder) as place:
            for name, file in zip(batch, download(batch, Path(place)), strict=True):
                count = unpack(file, root)
                (done / name).write_text(f"{file.name}\n{count}\n", encoding="utf-8")
        say(f"{min(first + BATCH, len(wanted)):,} of {len(wanted):,} packages")
    return len(wanted)


def download(names: Sequence[str], folder: Path) -> list[Path]:
    """The package files, in the order of their names. Raises MissingError with what apt said."""
    done = subprocess.run(
        ["apt-get", "-qq", "download", *names], cwd=folder, capture_output=True, text=True, check=False
    )
    found = [next(iter(folder.glob(f"{name}_*.deb")), None) for name in names]
    missing = [name for name, file in zip(names, found, strict=True) if file is None]
    if missing:
        said = done.stderr.strip().splitlines()[-3:]
        raise MissingError(
            f"apt-get download brought no {', '.join(missing)}: {' '.join(said) or 'no message'}; "
            "check the mirror ('apt-get update') and start again: what came before stays"
        )
    return [file for file in found if file is not None]


def unpack(package: Path, root: Path) -> int:
    """The files of a package below /usr/share into the tree; how many pages. Raises MissingError for a damaged one."""
    process = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE)
    pages = 0
    try:
        with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
            for member, name in _members(archive):
                place = root / name
                if member.issym():
                    _link(place, member.linkname, root)
                    continue
                source = archive.extractfile(member)
                if source is None:
                    continue
                page = PAGE_NAME.fullmatch(name) is not None
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(source.read() if page else source.read(HEAD_BYTES))
                pages += page
    except tarfile.TarError as problem:
        raise MissingError(f"{package.name}: {problem}; start again") from None
    finally:
        if process.stdout:
            process.stdout.close()
        process.wait()
    return pages


def _members(archive: tarfile.TarFile) -> Iterator[tuple[tarfile.TarInfo, str]]:
    for member in archive:
        path = PurePosixPath(member.name)
        if (member.isreg() or member.issym()) and ".." not in path.parts and path.parts[:2] == ("usr", "share"):
            yield member, str(path)


def _link(place: Path, target: str, root: Path) -> None:
    """A link that stays in the tree, as Apache's manual has them from one language to another; others are left out."""
    goal = root / target.lstrip("/") if target.startswith("/") else place.parent / target
    inside = os.path.normpath(goal)
    if not inside.startswith(f"{root}{os.sep}"):
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(os.path.relpath(inside, place.parent))
