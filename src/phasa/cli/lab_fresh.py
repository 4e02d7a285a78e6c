"""`phasa lab run --fresh`: revisit policies in worlds whose pages change."""

from __future__ import annotations

import sys
from pathlib import Path

from phasa.cli.outputs import print_json


def run_fresh(worlds: list[str], policies: str, out: Path | None, as_json: bool) -> None:
    """Compare the policies and print what each reached; with `out` write a report with curves into that folder."""
    from phasa.cli.progress import bar
    from phasa.lab.fresh import BUDGETS, compare_policies, fresh_report
    from phasa.lab.report import write_files, write_text
    from phasa.schedule.policies import POLICIES
    from phasa.schedule.value import AIMS

    chosen = [name.strip() for name in policies.split(",") if name.strip()] or list(POLICIES)
    with bar("policies", len(worlds) * len(chosen) * len(BUDGETS) * len(AIMS)) as show:
        rows = compare_policies(worlds, chosen, show=show)
    report = fresh_report(rows)
    if out is not None:
        print("written: " + ", ".join(map(str, write_files(report, out))), file=sys.stderr)
    if as_json:
        print_json(rows)
        return
    print(write_text(report))
