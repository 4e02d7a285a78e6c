"""`make demo` as a newcomer runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import phasa


def test_the_demo_runs_from_an_empty_directory_and_leaves_what_it_names(tmp_path: Path) -> None:
    source = str(Path(phasa.__file__).resolve().parents[1])
    shown = subprocess.run(
        [sys.executable, "-m", "phasa.demo"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
        env={**os.environ, "COLUMNS": "120", "PYTHONPATH": source},
    )  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    assert "demo/cloud.html" in shown.stdout
    assert (tmp_path / "demo" / "cloud.html").stat().st_size > 10_000
    assert "phasa crawl thai-web" in shown.stdout
