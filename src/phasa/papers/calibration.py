"""A published share next to the share that a generated web has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasa.lab.world import World


@dataclass(frozen=True)
class Calibrated:
    """One published share and ours."""

    table: str
    what: str
    published: float
    here: float

    @property
    def off(self) -> float:
        """Relative difference."""
        return self.here / self.published - 1 if self.published else 0.0


def tld_of_pages(world: World) -> NDArray[np.str_]:
    """The top-level domain of every page."""
    return np.array(world.sites.tlds)[world.sites.tld[world.pages.site]]
