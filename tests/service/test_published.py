"""The published tables as pages of the Lab."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.service.conftest import client_of

from phasa.collection import Collection
from phasa.lab.report import as_data
from phasa.papers import EXPERIMENTS, reproduce
from phasa.papers.options import Options
from phasa.service.catalogue import OWN_NAMES, words


def test_every_experiment_is_offered_by_a_name_in_each_language(empty: Collection) -> None:
    with client_of(empty) as client:
        for code in OWN_NAMES:
            page = client.get(f"/lab?ui={code}").text
            for name in EXPERIMENTS:
                assert f'action="/api/lab/published/{name}"' in page
                assert str(words(code)(f"lab.p_{name.replace('-', '_')}")) in page
        assert [one["written"] for one in client.get("/api/lab/published").json()] == [None] * len(EXPERIMENTS)


def test_an_experiment_runs_from_the_page_and_its_tables_are_those_of_the_command(
    empty: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PHASA_DATA", raising=False)
    with client_of(empty) as client:
        job = client.post("/api/lab/published/feeds", json={}).json()
        assert client.post("/api/lab/published/feeds", json={}).json()["id"] == job["id"]  # not twice at a time
        done = client.app.state.service.jobs.wait(job["id"], 200)  # type: ignore[attr-defined]
        assert done.state == "done", done.message
        assert "/lab/tables/feeds" in client.get(f"/jobs/{job['id']}").text
        assert 'href="/lab/tables/feeds"' in client.get("/lab").text
        shown = client.get("/api/lab/published/feeds").json()
        ours = json.loads(json.dumps(as_data(reproduce("feeds", Options(quick=True)))))
        assert shown["tables"] == ours["tables"]
        assert shown["claims"] == ours["claims"]
        page = client.get("/lab/tables/feeds").text
        assert page.count("<table>") == len(ours["tables"]) > 1
        assert "/lab?report=feeds.html" in page
        assert client.get("/lab?report=feeds.html").status_code == 200
        assert "جدول" in client.get(f"/jobs/{job['id']}?ui=fa").text


def test_claims_are_counted_and_each_says_whether_it_holds(empty: Collection) -> None:
    claims = [{"source": f"T{n}", "text": "more", "holds": n < 2, "detail": "0.41 ± 0.02"} for n in range(5)]
    table = {"section": "E1", "text": "One.\n\nTwo.", "title": "Harvest", "header": ["", "published", "here"]}
    rows = [["LSWC", 0.25, 1234.5], ["hybrid", None, 7]]
    report = {"experiment": "persian", "title": "Persian", "summary": "", "claims": claims}
    empty.reports_folder.mkdir(exist_ok=True)
    (empty.reports_folder / "persian.json").write_text(json.dumps(report | {"tables": [table | {"rows": rows}]}))
    with client_of(empty) as client:
        page = client.get("/lab/tables/persian").text
        assert "2 of 5 published claims hold here" in page
        assert (page.count(">holds<"), page.count(">does not hold<")) == (2, 3)
        for shown in (">published</th>", ">here</th>", ">0.250</td>", ">1,234.5</td>", ">–</td>", ">7</td>"):
            assert shown in page
        persian = client.get("/lab/tables/persian?ui=fa").text
        assert "۲ از ۵ ادعای منتشرشده اینجا برقرار است" in persian
        assert ">۱٬۲۳۴٫۵</td>" in persian
        assert "ข้อสรุปที่ตีพิมพ์ 2 จาก 5 ข้อเป็นจริงที่นี่" in client.get("/lab/tables/persian?ui=th").text


def test_tables_that_are_not_there_or_are_none_are_said_so(empty: Collection) -> None:
    folder = empty.reports_folder
    folder.mkdir(exist_ok=True)
    with client_of(empty) as client:
        assert client.get("/lab/tables/nonsense").status_code == 404
        assert "was not repeated yet" in client.get("/lab/tables/feeds").text
        (folder / "feeds.json").write_text('{"tables": 3}')
        assert client.get("/lab/tables/feeds").status_code == 404
        assert client.post("/api/lab/published/..%2Fx", json={}).status_code == 404
        evil: dict[str, object] = {"experiment": "../x", "title": "<script>1</script>", "summary": "", "claims": []}
        evil["tables"] = [
            {"section": "</h2><img src=x>", "text": "", "title": "t", "header": ["<b>"], "rows": [["\u202ex"]]}
        ]
        (folder / "feeds.json").write_text(json.dumps(evil))
        page = client.get("/lab/tables/feeds").text
        assert "<script>1" not in page
        assert "<img src=x" not in page
        assert "⟨RLO⟩" in page


def test_the_command_writes_what_the_page_shows(tmp_path: Path, empty: Collection) -> None:
    from typer.testing import CliRunner

    from phasa.cli.lab import app

    made = CliRunner().invoke(app, ["reproduce", "feeds", "--quick", "-o", str(empty.reports_folder), "--json"])
    assert made.exit_code == 0, made.output
    with client_of(empty) as client:
        assert client.get("/lab/tables/feeds").status_code == 200
