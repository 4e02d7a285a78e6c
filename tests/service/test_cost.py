"""What the pages of the application cost over many pages."""

from __future__ import annotations

from pathlib import Path
from time import process_time

from starlette.testclient import TestClient
from tests.crawl.run.test_counts import logged
from tests.service.conftest import client_of

from phasa.collection import Collection


def cost_of_getting(client: TestClient, path: str) -> float:
    begun = process_time()
    client.get(path)
    return process_time() - begun


def test_ten_thousand_pages_cost_each_page_of_the_application_little(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "large")
    lines = [logged(n, f"h{n % 997}.example.th", "th" if n % 3 else "en") for n in range(10_000)]
    collection.log_file.write_text("".join(lines), encoding="utf-8")
    with client_of(collection) as client:
        client.app.state.service.log_reader.catch_up()  # type: ignore[attr-defined]
        for path in (
            *("/overview", "/collection", "/collection/hosts?order=bytes", "/collection/hosts?domain=example.th"),
            *("/collection/pages?by=language&key=th", "/collection/pages?by=host&key=h5.example.th", "/metrics"),
            *("/api/collection", "/api/collection/times?kind=domain", "/api/overview/choices"),
        ):
            assert client.get(path).status_code == 200, path
            # A busy machine may make one attempt expensive, not three.
            assert any(cost_of_getting(client, path) <= 0.3 for _ in range(3)), path
