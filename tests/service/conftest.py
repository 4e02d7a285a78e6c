"""A small collection, and the application over it, served on a free port."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from starlette.testclient import TestClient

from phasa.collection import Collection
from phasa.service.application import create_app
from phasa.service.server import bind, link_of, server_config


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
