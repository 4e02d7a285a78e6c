"""Who may ask, and what every answer forbids the browser."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient
from tests.service.conftest import client_of

from phasa.collection import Collection
from phasa.errors import SettingsError
from phasa.service.guards import Access, is_loopback

TOKEN = "a-token-of-enough-letters"


def csrf_of(client: TestClient, path: str = "/login") -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', client.get(path).text)
    assert found
    return found[1]


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_an_address_that_others_can_reach_needs_a_token(empty: Collection, address: str) -> None:
    with pytest.raises(SettingsError, match="token"):
        client_of(empty, address=address)
    client_of(empty, address=address, token=TOKEN)


def test_a_token_that_can_be_guessed_is_refused() -> None:
    with pytest.raises(SettingsError, match="at least"):
        Access.to("0.0.0.0", "short")


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_addresses_of_this_machine_need_none(address: str) -> None:
    assert is_loopback(address)
    Access.to(address)


@pytest.mark.parametrize("host", [
    "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8080", "", "[::1", "127.0.0.1:9610.evil.example",
    "127.0.0.1:9610@evil.example", "evil@127.0.0.1", "127.0.0.1/evil.example", "127.0.0.1:8080:9", "127.0.0.1:65536",
    "127.0.0.1:-1", "localhost..", "[::1]evil.example", "[::1].evil.example:80", "::1", "[::2]:80", "0177.0.0.1",
    "127.0.0.1, evil.example", "127.0.0.1\\\\evil.example", "[127.0.0.1%25evil]", "127.0.0.1:٨٠",
])  # fmt: skip
def test_a_foreign_name_pointed_at_us_is_not_answered(empty: Collection, host: str) -> None:
    assert client_of(empty).get("/crawl", headers={b"host": host.encode()}).status_code == 421


@pytest.mark.parametrize(
    "host",
    ["localhost:8080", "127.0.0.1", "[::1]:80", "LOCALHOST", "localhost.:80", "[0:0:0:0:0:0:0:1]:9", "127.0.0.1:"],
)
def test_our_own_names_are_answered(empty: Collection, host: str) -> None:
    assert client_of(empty).get("/crawl", headers={"host": host}).status_code == 200


def test_with_a_token_nothing_is_told_to_strangers(empty: Collection) -> None:
    client = client_of(empty, address="0.0.0.0", token=TOKEN)
    for path in ("/api/crawl", "/api/openapi.json", "/metrics", "/api/jobs"):
        refused = client.get(path)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"].startswith("Bearer")
    page = client.get("/crawl?x=1", headers={"accept": "text/html"})
    assert page.status_code == 303
    assert page.headers["location"] == "/login?back=%2Fcrawl%3Fx%3D1"


def test_the_token_in_a_header_opens_the_api(empty: Collection) -> None:
    client = client_of(empty, address="0.0.0.0", token=TOKEN)
    assert client.get("/api/crawl", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    for wrong in (f"Bearer {TOKEN}x", f"Basic {TOKEN}", "Bearer", "Bearer \u00e9"):
        assert client.get("/api/crawl", headers={b"authorization": wrong.encode()}).status_code == 401


def test_the_login_form_gives_a_cookie_that_scripts_and_other_sites_cannot_use(empty: Collection) -> None:
    client = client_of(empty, address="0.0.0.0", token=TOKEN)
    form = {"csrf": csrf_of(client), "token": TOKEN, "back": "/lab"}
    answer = client.post("/login", data=form)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/lab"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie
    assert client.get("/crawl").status_code == 200
    left = client.post("/logout", data={"csrf": form["csrf"]})
    assert left.status_code == 303
    assert client.get("/api/crawl").status_code == 401


def test_a_wrong_token_is_refused_without_a_cookie(empty: Collection) -> None:
    client = client_of(empty, address="0.0.0.0", token=TOKEN)
    answer = client.post("/login", data={"csrf": csrf_of(client), "token": "wrong"})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
    assert "That is not the token" in answer.text


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_a_login_leads_to_our_own_pages_only(empty: Collection, back: str) -> None:
    client = client_of(empty, address="0.0.0.0", token=TOKEN)
    answer = client.post("/login", data={"csrf": csrf_of(client), "token": TOKEN, "back": back})
    assert answer.headers["location"] == "/"


def test_a_form_without_our_secret_is_refused(empty: Collection) -> None:
    client = client_of(empty, address="0.0.0.0", token=TOKEN)
    assert client.post("/login", data={"token": TOKEN}).status_code == 403
    assert client.post("/login", data={"token": TOKEN, "csrf": "made up"}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null", "sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "http://127.0.0.1:1"},
    ],
)
def test_a_post_of_another_site_is_refused_whatever_it_carries(empty: Collection, headers: dict[str, str]) -> None:
    client = client_of(empty)
    assert client.post("/api/jobs/1/stop", json={}, headers=headers).status_code == 403
    assert client.post("/login", data={"csrf": csrf_of(client)}, headers=headers).status_code == 403


def test_a_form_of_ours_comes_with_the_origin_null_since_we_send_no_referrer(empty: Collection) -> None:
    client = client_of(empty)
    secret = csrf_of(client)
    for headers in ({"origin": "null", "sec-fetch-site": "same-origin"}, {"origin": "null"}):
        assert client.post("/login", data={"csrf": secret}, headers=headers).status_code == 303
        assert client.post("/login", data={"csrf": "guessed"}, headers=headers).status_code == 403
    assert client.post("/api/jobs/1/stop", json={}, headers={"origin": "null"}).status_code == 403


def test_a_post_that_a_foreign_form_could_send_is_refused(empty: Collection) -> None:
    client = client_of(empty)
    for kind in ("text/plain", "multipart/form-data; boundary=x", ""):
        assert client.post("/api/jobs/1/stop", content=b"{}", headers={"content-type": kind}).status_code == 415
    assert client.post("/api/jobs/1/stop", data={"a": "b"}).status_code == 403
    assert client.post("/api/jobs/1/stop", json={}).status_code == 404


def test_every_answer_binds_the_browser(empty: Collection) -> None:
    client = client_of(empty)
    for path in ("/crawl", "/api/crawl", "/nothing", "/static/phasa.css", "/metrics"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers


def test_pages_hold_nothing_that_the_policy_forbids(empty: Collection) -> None:
    client = client_of(empty)
    for path in ("/overview", "/crawl", "/feeds", "/collection", "/lab", "/login", "/nothing"):
        html = client.get(path).text
        html = html.replace('<script type="application/json"', "<data")  # no script to a browser
        assert not re.search(r"<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=|<style|(src|href|action)=.https?:", html), path
