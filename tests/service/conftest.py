"""A small collection, and the application over it, served on a free port."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Page
from starlette.testclient import TestClient

from phasa.collection import Collection
from phasa.service.application import create_app
from phasa.service.server import bind, link_of, server_config

AXE = "axe-core@4"


@pytest.fixture(scope="session")
def axe_or_nothing(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of axe-core, from npm; it is a tool of these tests and no part of phasa. '' where there is none."""
    if given := os.environ.get("PHASA_AXE"):
        return Path(given).read_text(encoding="utf-8")
    npm, folder = shutil.which("npm"), tmp_path_factory.mktemp("axe")
    if npm is None:
        return ""
    words = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), AXE]
    try:
        subprocess.run(words, check=True, capture_output=True, timeout=120)
    except (subprocess.SubprocessError, OSError):
        return ""
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def axe(axe_or_nothing: str) -> str:
    """The same; without it the test is skipped."""
    if not axe_or_nothing:
        pytest.skip("npm could not fetch axe-core; or name its axe.min.js in PHASA_AXE")
    return axe_or_nothing


def findings(page: Page, axe: str) -> list[str]:
    """What axe-core finds on the page as it is shown."""
    page.evaluate(axe)
    found: dict[str, Any] = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [f"{one['id']}: {node['html'][:160]}" for one in found["violations"] for node in one["nodes"]]


@contextmanager
def serving(collection: Collection, **access: str) -> Iterator[str]:
    """The application in a thread; gives its link."""
    bound = bind("127.0.0.1", 0)
    app = create_app(collection, **access)
    server = uvicorn.Server(server_config(app, collection.settings.service))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield link_of(bound).rstrip("/")
    server.should_exit = True
    thread.join(10)


def client_of(collection: Collection, host: str = "127.0.0.1", **access: str) -> TestClient:
    """A client that asks the application without a network, as a program on this machine does."""
    app = create_app(collection, **access)
    return TestClient(app, base_url=f"http://{host}", follow_redirects=False)


@pytest.fixture
def empty(tmp_path: Path) -> Collection:
    """A collection that nobody has crawled yet."""
    return Collection.create(tmp_path / "new-web", language="th")
