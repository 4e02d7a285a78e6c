"""`make demo` as a newcomer runs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import phasa


def test_the_demo_runs_from_an_empty_directory_and_leaves_what_it_names(tmp_path: Path) -> None:
    source = str(Path(phasa.__file__).resolve().parents[1])
    shown = subprocess.run(
        [sys.executable, "-m", "phasa.demo"],
        cwd=tmp_path, capture_output=True, text=True, timeout=400,
        env={**os.environ, "COLUMNS": "120", "PYTHONPATH": source},
    )  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    for name in ("report.html", "cloud.html", "feeds.html"):
        assert f"demo/{name}" in shown.stdout
        assert (tmp_path / "demo" / name).stat().st_size > 5_000
    share = re.search(r"(\d+)% of what phasa fetched is Thai; breadth-first gets (\d+)%", shown.stdout)
    assert share is not None
    assert int(share[1]) > int(share[2]) + 20
    delay = re.search(r"found after ([\d.]+)\s+hours; spread\s+evenly,\s+after ([\d.]+)\.", shown.stdout)
    assert delay is not None
    assert float(delay[1]) < float(delay[2])
    for command in ("phasa init thai-web", "phasa crawl thai-web", "phasa serve thai-web"):
        assert command in shown.stdout
