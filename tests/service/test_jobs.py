"""Long work in the background."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import msgspec
import pytest
from tests.service.conftest import client_of
from tests.service.stock import mixed, stock

from phasa.collection import Collection
from phasa.overview_choices import Style, Weigh
from phasa.overview_settings import OverviewSettings
from phasa.service.job_shelf import CUT_OFF
from phasa.service.jobs import KEPT, MOST_WAITING, Jobs
from phasa.service.section import Conflict, NotFound
from phasa.settings import write_settings


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return stock(tmp_path_factory.mktemp("jobs") / "web", mixed(20))


def test_every_form_of_export_is_made(collection: Collection) -> None:
    with client_of(collection) as client:
        jobs = client.app.state.service.jobs  # type: ignore[attr-defined]
        made = {}
        for form in ("wacz", "jsonl", "parquet", "arff", "opml"):
            id = client.post("/api/collection/exports", json={"format": form}).json()["id"]
            made[form] = jobs.wait(id, 120)
        assert {form: job.state for form, job in made.items()} == {
            **dict.fromkeys(("wacz", "jsonl", "parquet", "arff"), "done"),
            "opml": "failed",
        }
        assert "no feed is watched yet" in made["opml"].message
        lines = client.get(f"/api/jobs/{made['jsonl'].id}/file").text.splitlines()
        assert {json.loads(line)["language"] for line in lines} >= {"th", "en"}
        assert zipfile.ZipFile(jobs.file(made["wacz"].id)).testzip() is None
        assert jobs.file(made["arff"].id).read_text(encoding="utf-8").startswith("@")
        assert not (collection.models_folder / "knowledge.arff").exists()  # an export changes nothing
        events = client.get(f"/api/jobs/{made['jsonl'].id}/events").text
        assert "event: job" in events
    with client_of(collection) as client:  # after a restart they are still there
        kept = {job["id"]: job["state"] for job in client.get("/api/jobs").json()}
        assert kept == {job.id: job.state for job in made.values()}
        assert client.get(f"/api/jobs/{made['jsonl'].id}/file").text.splitlines() == lines


def test_a_job_that_waits_can_be_stopped_and_too_many_are_refused(
    collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A task that does not end by itself: a real export may be done before it is stopped.
    (tmp_path / "endless.py").write_text("import time\ndef run(order, tell):\n    time.sleep(600)\n")
    monkeypatch.syspath_prepend(tmp_path)  # a job finds what its parent finds
    jobs = Jobs(tmp_path / "jobs")

    def start() -> str:
        return jobs.start("x", "endless", collection.path, "x.wacz", {"format": "wacz"}).id

    started = [start() for _ in range(MOST_WAITING)]
    with pytest.raises(Conflict):
        _ = [start() for _ in range(3)]
    last = started[-1]
    assert jobs.stop(last).state == "stopped"
    assert jobs.stop(last).state == "stopped"
    running = jobs.wait(started[0], 0.0)
    assert running.state in ("waiting", "running")
    jobs.stop(started[0])
    assert jobs.wait(started[0]).state == "stopped"
    with pytest.raises(NotFound):
        jobs.get("none")
    with pytest.raises(NotFound):
        jobs.file(last)
    jobs.close()
    assert len(jobs.all()) <= KEPT + MOST_WAITING


def test_an_overview_as_data(collection: Collection) -> None:
    with client_of(collection) as client:
        id = client.post("/api/overview", json={"language": "th"}).json()["id"]
        assert client.get(f"/api/overview/{id}").status_code == 404  # not ready
        assert client.app.state.service.jobs.wait(id, 120).state == "done"  # type: ignore[attr-defined]
        made = client.get(f"/api/overview/{id}").json()
        assert made["language"] == "th"
        assert made["chart"][-1][0] == 100
        term = made["keywords"][0]["term"]
        places = client.get(f"/api/overview/{id}/contexts", params={"term": term}).json()
        assert places
        assert places[0]["term"].lower() == term
        assert client.get(f"/api/overview/{id}/contexts", params={"term": "nowhere"}).status_code == 404
        assert client.post("/api/overview", json={"web": "::"}).status_code == 400


def test_an_overview_is_made_as_the_settings_say(tmp_path: Path) -> None:
    collection = stock(tmp_path / "web", mixed(8))
    said = OverviewSettings(style=Style.PUBLISHED, extract="thesis", weigh=Weigh.TF, pages=1)
    file = collection.settings_file
    file.write_text(write_settings(msgspec.structs.replace(collection.settings, overview=said)), encoding="utf-8")
    with client_of(Collection.open(collection.path)) as client:
        id = client.post("/api/overview", json={"language": "th"}).json()["id"]
        assert client.app.state.service.jobs.wait(id, 120).state == "done"  # type: ignore[attr-defined]
        made = client.get(f"/api/overview/{id}").json()
        assert made["pages"] == 1
        assert all(word["weight"] == int(word["weight"]) for word in made["keywords"])  # plain frequency
        assert 'class="overview published"' in client.get(f"/overview/{id}").text


def written(folder: Path, id: str, state: str, task: str, **more: object) -> Path:
    """A job as an application that was killed left it."""
    job = {"id": id, "title": "x", "task": task.rsplit(".", 1)[-1], "state": state, "made": 1.0, "file": "web.jsonl"}
    order = {"task": task, "collection": "/elsewhere", "out": "/elsewhere/x", "options": {"format": "jsonl"}}
    (folder / id).mkdir(parents=True)
    (folder / id / "job.json").write_text(json.dumps({"job": job, "order": order, **more}))
    return folder / id


def test_a_job_that_was_cut_off_is_done_again_after_a_restart(tmp_path: Path) -> None:
    collection = stock(tmp_path / "web", mixed(8))
    folder = collection.path / "service" / "jobs"
    written(folder, "aaaaaa1", "running", "phasa.service.exports", tries=1)
    written(folder, "aaaaaa2", "running", "phasa.service.exports", tries=2)
    written(folder, "aaaaaa3", "waiting", "phasa.service.cloud_job")
    with client_of(collection) as client:
        jobs = client.app.state.service.jobs  # type: ignore[attr-defined]
        assert jobs.wait("aaaaaa1", 60).state == "done"
        assert jobs.file("aaaaaa1") == folder / "aaaaaa1" / "web.jsonl"
        for given_up in ("aaaaaa2", "aaaaaa3"):
            assert (jobs.get(given_up).state, jobs.get(given_up).message) == ("failed", CUT_OFF)
        assert "ถูกตัดเมื่อแอปพลิเคชันปิด" in client.get("/jobs/aaaaaa2?ui=th").text


def test_what_stands_in_a_folder_of_jobs_is_not_believed(tmp_path: Path) -> None:
    folder = tmp_path / "web" / "service" / "jobs"
    written(folder, "bbbbbb1", "running", "os")
    (written(folder, "bbbbbb2", "done", "phasa.service.exports") / "job.json").write_text("{")
    evil = written(folder, "bbbbbb3", "done", "phasa.service.exports") / "job.json"
    evil.write_text(evil.read_text().replace('"web.jsonl"', '"../../../secret"'))
    written(folder, "bbbbbb4", "done", "phasa.service.exports").rename(folder / "bbbbbb5")
    jobs = Jobs(folder)
    assert [(job.id, job.state) for job in jobs.all()] == [("bbbbbb1", "failed")]
    jobs.close()


def test_two_applications_do_not_touch_each_others_jobs(tmp_path: Path) -> None:
    folder = tmp_path / "jobs"
    first, second = Jobs(folder), Jobs(folder)
    assert second._shelf.folder != folder
    second.close()
    first.close()
    third = Jobs(folder)
    assert third._shelf.folder == folder
    third.close()


def test_a_corpus_is_made_with_options(collection: Collection) -> None:
    with client_of(collection) as client:
        assert client.post("/api/collection/corpus", json={"language": "nonsense"}).status_code == 400
        id = client.post("/api/collection/corpus", json={"mask": True}).json()["id"]
        jobs = client.app.state.service.jobs  # type: ignore[attr-defined]
        assert jobs.wait(id, 120).state == "done", jobs.get(id).message
        packed = zipfile.ZipFile(jobs.file(id))
        assert packed.testzip() is None
        assert any(name.endswith(".json") for name in packed.namelist())


def test_an_export_of_one_language_holds_no_other(collection: Collection) -> None:
    with client_of(collection) as client:
        id = client.post("/api/collection/exports", json={"format": "jsonl", "language": "en"}).json()["id"]
        jobs = client.app.state.service.jobs  # type: ignore[attr-defined]
        jobs.wait(id, 120)
        lines = jobs.file(id).read_text(encoding="utf-8").splitlines()
        assert {json.loads(line)["language"] for line in lines} == {"en"}


def test_strategies_are_compared_from_the_page_and_the_report_is_kept(tmp_path: Path) -> None:
    collection = stock(tmp_path / "web", mixed(20))
    with client_of(collection) as client:
        assert client.post("/api/lab/compare", json={"strategies": "magic"}).status_code == 400
        asked = {"strategies": "lswc,bfs", "world": 1, "size": 2000, "pages": 100}
        id = client.post("/api/lab/compare", json=asked).json()["id"]
        jobs = client.app.state.service.jobs  # type: ignore[attr-defined]
        done = jobs.wait(id, 120)
        assert (done.state, done.message.split(",")[0]) in {("done", "best: lswc"), ("done", "best: bfs")}, done.message
        page = client.get(f"/lab?report=comparison-{id}.html").text
        assert f"/lab/file/comparison-{id}.html" in page
        assert "LSWC" in client.get(f"/lab/file/comparison-{id}.html").text
