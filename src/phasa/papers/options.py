"""How large to repeat an experiment, and on what data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from phasa.errors import InputError


@dataclass(frozen=True)
class Options:
    """How large to repeat an experiment."""

    seeds: tuple[int, ...] = (1, 2, 3, 4, 5)
    """Seeds of the worlds."""
    pages: int = 100_000
    """Pages of a world."""
    quick: bool = False
    """A small version that shows the shape in seconds, for a look and for tests."""
    workers: int = 1
    data: Path | None = None
    """Folder of real data, for the experiments that need it."""
    progress: Callable[[str], None] = field(default=lambda step: None)
    """Called with the name of each step when it begins."""
    only: tuple[str, ...] = ()
    """Names of the experiments to run, as 'E4'; all when empty."""
    lies: float = 0.0
    """How many times the lies of the real web the webs tell (language-crawl, persian); 0: the webs of the papers."""

    def chosen(self, names: Sequence[str]) -> list[str]:
        """Those of the experiments that were asked for. Raises InputError for one that there is not."""
        for name in self.only:
            if name not in names:
                raise InputError(f"--only {name}: there is no such experiment; there are {', '.join(names)}")
        return [name for name in names if not self.only or name in self.only]

    def real_data(self) -> Path:
        """The folder of real data. Raises InputError when there is none."""
        if self.data is None or not self.data.is_dir():
            where = self.data or "real data"
            raise InputError(f"{where}: no folder of data there; say where it is with --data or PHASA_DATA")
        return self.data
