"""The Python examples of the manual run as they stand, in a folder with the files that they name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.manual.command_lines import ROOT
from tests.manual.python_blocks import WITH_PYTHON, save_files, session
from tests.manual.reader import Reader, every_address, free_port, furnish

from phasa.lab.world import World


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.stem)
def test_the_python_blocks_of_a_page_run_in_their_order(page: Path, tmp_path: Path) -> None:
    world = World.from_name("7:1200", "th")
    furnish(tmp_path, world)
    save_files(page, tmp_path)
    with every_address(world) as server:
        if "thai-web" in (program := session(page)):
            reader = Reader(tmp_path, server)
            reader.types("phasa init thai-web --lang th --seeds seeds.txt")
            reader.types("phasa crawl thai-web --pages 40")
        program = program.replace('port = "8090"', f'port = "{free_port()}"')
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "PHASA_SERVER": server},
            capture_output=True,
            text=True,
            timeout=240,
        )
    assert done.returncode == 0, done.stderr[-2000:]


def test_a_promise_that_is_not_kept_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\n1 + 1  # → 3\n```\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", session(page)], capture_output=True, text=True)
    assert "AssertionError: page.md, block at line 2: 2 instead of 3" in done.stderr
