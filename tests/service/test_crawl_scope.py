"""Scope and log on the Crawl page."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.service.conftest import client_of
from tests.service.stock import mixed, stock

from phasa.collection import Collection
from phasa.errors import InputError
from phasa.service.log_tail import LogTail
from phasa.service.scope_form import Domains, domains_of, read_domains, write_domains


def test_domains_are_read_as_people_write_them() -> None:
    assert domains_of(" KU.ac.th, *.th\n\n.example.org. ") == ("ku.ac.th", "th", "example.org")
    for wrong in ("http://ku.ac.th/", "a b/c", '"', "x@y", "[scope]\\"):
        with pytest.raises(InputError):
            domains_of(wrong)
    with pytest.raises(InputError, match="at most"):
        domains_of("\n".join(f"a{number}.th" for number in range(501)))


def test_the_rest_of_the_settings_stays_as_it_is(empty: Collection) -> None:
    before = empty.settings_file.read_text(encoding="utf-8")
    write_domains(empty, Domains(("th", "ku.ac.th"), ("ads.example",)))
    assert read_domains(empty) == Domains(("th", "ku.ac.th"), ("ads.example",))
    after = empty.settings_file.read_text(encoding="utf-8")
    changed = [pair for pair in zip(before.splitlines(), after.splitlines(), strict=True) if pair[0] != pair[1]]
    assert changed == [
        ("domains = []", 'domains = ["th", "ku.ac.th"]'),
        ("not_domains = []", 'not_domains = ["ads.example"]'),
    ]
    write_domains(empty, Domains((), ()))
    assert empty.settings_file.read_text(encoding="utf-8") == before


def test_a_list_over_several_lines_and_a_file_without_the_section_are_understood(empty: Collection) -> None:
    empty.settings_file.write_text(
        'language = "th"\n\n[scope]\ndomains = [\n  "a.th",\n]\ndepth = 3\n', encoding="utf-8"
    )
    write_domains(empty, Domains(("b.th",), ()))
    assert read_domains(empty) == Domains(("b.th",), ())
    assert "depth = 3" in empty.settings_file.read_text(encoding="utf-8")
    empty.settings_file.write_text('language = "th"\n', encoding="utf-8")
    write_domains(empty, Domains((), ("c.th",)))
    assert read_domains(empty) == Domains((), ("c.th",))


def test_settings_that_cannot_be_changed_safely_are_left_alone(empty: Collection) -> None:
    text = 'language = "th"\nscope = {domains = ["a.th"]}\n'
    empty.settings_file.write_text(text, encoding="utf-8")
    with pytest.raises(Exception, match=r"collection\.toml"):
        write_domains(empty, Domains(("b.th",), ()))
    assert empty.settings_file.read_text(encoding="utf-8") == text


def test_a_list_that_only_looks_like_one_is_not_written_over(empty: Collection) -> None:
    text = 'language = "th"\n\n[scope]\nextensions = """\ndomains = []\n"""\n'
    empty.settings_file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="only you"):
        write_domains(empty, Domains(("b.th",), ()))
    assert empty.settings_file.read_text(encoding="utf-8") == text


def test_the_page_tells_what_a_scope_would_do_before_it_is_written(tmp_path: Path) -> None:
    collection = stock(tmp_path / "web", mixed(60))
    with client_of(collection) as client:
        client.app.state.service.log_reader.catch_up()  # type: ignore[attr-defined]
        asked = {"inside": "th", "outside": "news.example.th"}
        answer = client.post("/api/crawl/scope", json=asked).json()
        assert (answer["effect"]["hosts"], answer["effect"]["left_out"], answer["written"]) == (5, 3, False)
        assert set(answer["effect"]["examples"]) == {"news.example.th", "tehran.example.ir", "old.example.com"}
        assert read_domains(collection) == Domains((), ())
        assert client.post("/api/crawl/scope", json={**asked, "write": True}).json()["written"]
        assert read_domains(collection) == Domains(("th",), ("news.example.th",))
        assert ">news.example.th</textarea>" in client.get("/crawl").text
        wrong = client.post("/api/crawl/scope", json={"inside": "a/b"}, headers={"accept-language": "fa"})
        assert (wrong.status_code, wrong.json()["said"]) == (400, "a/b: دامنه نیست؛ مانند ku.ac.th بنویسید")


LINE = "2026-11-17T10:00:0{n}Z {status} 10 http://a.example/{n} 1 - text/html x {reason} - - - utf-8\n"


def test_the_log_is_followed_as_it_grows_and_begins_again(tmp_path: Path) -> None:
    path = tmp_path / "crawl.log"
    tail = LogTail(path)
    assert tail.read() == []
    tls = "tls_error:_[SSL:_WRONG_VERSION_NUMBER]_(_ssl.c:1006)"
    path.write_text(LINE.format(n=1, status=200, reason="ok") + LINE.format(n=2, status="-", reason=tls)[:40])
    assert [(line.url, line.bad) for line in tail.read()] == [("http://a.example/1", False)]
    path.write_text(LINE.format(n=1, status=200, reason="ok") + LINE.format(n=2, status="-", reason=tls))
    assert [(line.answer, line.bad) for line in tail.read()] == [("tls error", True)]
    assert tail.read() == []
    path.write_text(LINE.format(n=3, status=404, reason="404"))
    assert [(line.answer, line.bad) for line in tail.read()] == [("404", True)]


def test_failures_in_the_log_are_said_in_plain_words(empty: Collection) -> None:
    tls = "tls_error:_[SSL:_WRONG_VERSION_NUMBER]_(_ssl.c:1006)"
    empty.log_file.write_text(LINE.format(n=2, status="-", reason=tls))
    collection = stock(empty.path.with_name("other"), mixed(5))
    collection.log_file.write_text(LINE.format(n=2, status="-", reason=tls))
    with client_of(collection) as client:
        for code, said in (("en", "no secure connection"), ("th", "สร้างการเชื่อมต่อที่ปลอดภัยไม่ได้")):
            page = client.get("/crawl", headers={"accept-language": code}).text
            assert said in page
            assert "_ssl" not in page
