"""The API: what its OpenAPI file promises holds, nothing asked of it breaks it, and no GET changes anything."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.core import NotSet
from starlette.testclient import TestClient
from tests.service.conftest import client_of
from tests.service.hostile import hostile_pieces
from tests.service.stock import mixed, stock

from phasa.collection import Collection
from phasa.service.application import SECTIONS
from phasa.service.openapi import openapi

DESCRIPTION = openapi(SECTIONS)

# Orders to other processes: they have tests of their own, and here they would start crawls.
# The first operator that is added would lock everybody else out.
ACTING = (
    *("/api/crawl/start", "/api/crawl/stop", "/api/collection/exports", "/api/overview", "/api/collection/corpus"),
    *("/api/collection/index", "/api/lab/compare", "/api/lab/published/{name}", "/api/people"),
)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return stock(tmp_path_factory.mktemp("api") / "web", [*mixed(40), *hostile_pieces()])


@pytest.fixture(scope="module")
def client(collection: Collection) -> Iterator[TestClient]:
    with client_of(collection) as made:
        made.app.state.service.log_reader.catch_up()  # type: ignore[attr-defined]
        yield made


promised = schemathesis.openapi.from_dict(DESCRIPTION).exclude(path=list(ACTING)).exclude(path_regex="/events$")


@promised.parametrize()
@settings(max_examples=10, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
def test_whatever_is_asked_the_answer_is_as_promised_and_no_failure_of_ours(case: Any, client: TestClient) -> None:
    body = b"" if isinstance(case.body, NotSet) else case.body
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    kind = {"content-type": "application/json"}
    answer = client.request(case.method, case.formatted_path, params=case.query or {}, content=sent, headers=kind)
    assert answer.status_code < 500 or answer.status_code == 503
    media = answer.headers.get("content-type", "")
    operation = DESCRIPTION["paths"][case.path].get(case.method.lower())
    if operation is None:
        return  # schemathesis also tries methods that are not declared: no failure is all that is asked of them
    responses = operation["responses"]
    content = responses[str(answer.status_code)]["content"]
    if media == "application/json":
        schema = {**content[media]["schema"], "components": DESCRIPTION["components"]}
        jsonschema_rs.validate(schema, answer.json())


def test_every_declared_operation_is_in_the_file_once() -> None:
    described = {(method.upper(), path) for path, methods in DESCRIPTION["paths"].items() for method in methods}
    declared = [(call.method, call.path) for section in SECTIONS for call in section.calls]
    declared += [("GET", stream.path) for section in SECTIONS for stream in section.streams]
    assert described == set(declared)
    assert len(declared) == len(set(declared))
    names = [one["operationId"] for methods in DESCRIPTION["paths"].values() for one in methods.values()]
    assert len(names) == len(set(names))


def _contents(folder: Path) -> dict[str, str]:
    """Every file of a collection but what the application keeps for itself, and databases' side files."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    kept = [path for path in files if not path.name.endswith(("-shm", "-wal"))]
    own = folder / "service"
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in kept if own not in path.parents}


def _jobs(client: TestClient) -> list[str]:
    """The jobs that somebody asked for; the application keeps its own files up to date meanwhile."""
    return [job["id"] for job in client.get("/api/jobs").json() if job["task"] != "upkeep_job"]


def test_no_get_changes_anything(client: TestClient, collection: Collection) -> None:
    before = _contents(collection.path)
    jobs = _jobs(client)
    paths = [view.path for section in SECTIONS for view in section.views]
    paths += [call.path for section in SECTIONS for call in section.calls]
    values = "?url=http://www.ku.example.th/news/0.html&by=language&key=th&host=a.example&web=a.example&format=jsonl"
    for path in [*paths, "/", "/login", "/logout", "/metrics", "/api/openapi.json"]:
        filled = path.replace("{id}", "1").replace("{name}", "a")
        for method in ("GET", "HEAD"):
            answer = client.request(method, filled + values)
            assert answer.status_code < 500, path
    posts = {call.path for section in SECTIONS for call in section.calls if call.method == "POST"}
    gets = {call.path for section in SECTIONS for call in section.calls if call.method == "GET"}
    for path in [*(posts - gets), "/logout"]:
        # 400: read as the name of one thing (/api/feeds/import as the feed "import"); nothing happens either way.
        assert client.get(path.replace("{id}", "1") + values).status_code in (400, 405), path
    assert _contents(collection.path) == before
    assert _jobs(client) == jobs


def test_errors_are_one_sentence_in_json(client: TestClient) -> None:
    for path, status in (
        ("/api/collection/hosts?order=colour", 400),
        ("/api/collection/hosts?most=0", 400),
        ("/api/collection/pages?by=host&key=nowhere.example", 404),
        ("/api/collection/page?url=ftp://x/", 400),
        ("/api/collection/page?url=http://nowhere.example/", 404),
        ("/api/jobs/none", 404),
        ("/api/none", 404),
    ):
        answer = client.get(path)
        assert answer.status_code == status, path
        assert set(answer.json()) == {"error"}
        assert "\n" not in answer.json()["error"]
    assert client.post("/api/overview", content=b"{", headers={"content-type": "application/json"}).status_code == 400
    assert client.post("/api/overview", json=[]).status_code == 400
    assert client.post("/api/overview", content=b"x" * 2_000_000).status_code in (413, 415)


def test_metrics_are_prometheus_text(client: TestClient) -> None:
    lines = client.get("/metrics").text.splitlines()
    assert any(text.startswith('phasa_language_pages_total{language="th"}') for text in lines)
    for text in lines:
        assert text.startswith("#") or len(text.rsplit(" ", 1)) == 2
        if not text.startswith("#"):
            float(text.rsplit(" ", 1)[1])
