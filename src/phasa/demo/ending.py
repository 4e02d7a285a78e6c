"""How the demo ends: in the application, where somebody sits before a terminal and a browser; elsewhere by naming the
command for it."""

from __future__ import annotations

import subprocess
import sys
import webbrowser
from os import environ
from pathlib import Path

from rich.console import Console


def somebody_is_there() -> bool:
    """Whether a person can see a browser and end what runs: a terminal on both sides, a display, and no CI."""
    display = environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY") or sys.platform == "darwin"
    return bool(display) and sys.stdin.isatty() and sys.stdout.isatty() and not environ.get("CI")


def look_around(console: Console, site: Path) -> None:
    """Name the command that opens the collection in the application; with somebody there, run it until Ctrl-C."""
    console.print(f"Look around in the collection:  phasa serve {site}")
    if not somebody_is_there():
        return
    words = [sys.executable, "-m", "phasa", "serve", str(site), "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        link = server.stdout.readline().partition("phasa is at ")[2].partition(" ")[0]
        try:
            if link:
                webbrowser.open(link)
                console.print(f"It is open in your browser at {link} until you press Ctrl-C here.")
            server.wait()
        except KeyboardInterrupt:
            server.terminate()
