"""The task of a job that repeats published experiments in small (phasa.service.job_process). Its report is kept in the
collection's reports, as `phasa lab reproduce NAME --quick -o` would write it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from phasa.collection import Collection
from phasa.lab.report import write_data, write_files
from phasa.papers import reproduce
from phasa.papers.options import Options
from phasa.service.job_process import Order, Tell


def run(order: Order, tell: Tell) -> str:
    """Repeat the experiments of an order. Raises PhasaError when data that they need is not there."""
    folder = Collection.open(Path(order.collection)).reports_folder
    data = os.environ.get("PHASA_DATA")
    options = Options(quick=True, data=Path(data) if data else None, progress=lambda step: tell(0, None, step))
    result = reproduce(order.options["name"], options)
    write_files(result, folder)
    shutil.copyfile(write_data(result, folder), order.out)
    if not result.claims:
        return f"{sum(len(section.tables) for section in result.sections)} tables"
    return f"{sum(claim.holds for claim in result.claims)} of {len(result.claims)} claims hold"
