"""A cluster of this machine alone, as `phasa fleet start` makes it for somebody who has none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

START = """
import sys
from pathlib import Path
from phasa.fleet import cluster
folder = Path(sys.argv[1])
address = cluster.start_here(folder)
again = cluster.found_here(folder)
print(address, again.address == address, len(cluster.ray().nodes()))
cluster.leave()
cluster.stop_here(folder)
print(cluster.found_here(folder))
"""


@pytest.mark.parametrize("mode", [{}, {"RAY_AUTH_MODE": "token"}], ids=["not said", "asked for"])
def test_a_cluster_starts_with_a_token_of_its_user_is_found_again_and_ends(
    tmp_path: Path, mode: dict[str, str]
) -> None:
    around = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    told = subprocess.run(
        [sys.executable, "-c", START, str(tmp_path)],
        capture_output=True, text=True, timeout=240, check=False, env={**around, **mode, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert told.returncode == 0, told.stderr[-2000:]
    first, last = told.stdout.splitlines()
    assert first.endswith("True 1")
    assert last == "None"
    assert (tmp_path / ".ray" / "auth_token").is_file()
