"""Operators, roles, tokens and the audit: what is allowed, and what attackers try."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, expect
from starlette.testclient import TestClient
from tests.service.conftest import client_of, serving

from phasa.collection import Collection
from phasa.errors import InputError, SettingsError
from phasa.service import login
from phasa.service.application import create_app
from phasa.service.audit import Audit
from phasa.service.people import DAY, FILE, SESSION, People
from phasa.service.tries import LONGEST_PAUSE, WRONG, Tries
from phasa.service.who import ANYBODY

WORDS = {"ann": "ann-has-a-long-password", "bob": "bob-has-a-long-password", "cho": "cho-has-a-long-password"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login, "PAUSE", 0.0)


@pytest.fixture
def staffed(empty: Collection) -> Collection:
    people = People(empty.path / FILE)
    people.add("ann", "administer", WORDS["ann"])
    people.add("bob", "steer", WORDS["bob"])
    people.add("cho", "look", WORDS["cho"])
    return empty


def csrf_of(client: TestClient, path: str = "/login") -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', client.get(path).text)
    assert found
    return found[1]


def signed_in(collection: Collection, name: str, beside: TestClient | None = None) -> TestClient:
    """A client of an operator; `beside`: of the same application as another one."""
    client = client_of(collection)
    if beside is not None:
        client = TestClient(beside.app, base_url="http://127.0.0.1", follow_redirects=False)
    form = {"csrf": csrf_of(client), "name": name, "password": WORDS[name], "back": "/crawl"}
    assert client.post("/login", data=form).headers["location"] == "/crawl"
    return client


# ── roles ────────────────────────────────────────────────────────────────────────────────────────


def test_as_soon_as_there_are_operators_nobody_is_let_in_without_a_name(empty: Collection) -> None:
    client = client_of(empty)
    assert client.get("/api/crawl").status_code == 200
    client.app.state.service.people.add("ann", "administer", WORDS["ann"])  # type: ignore[attr-defined]
    assert client.get("/api/crawl").status_code == 401
    assert client.get("/crawl", headers={"accept": "text/html"}).headers["location"].startswith("/login")


@pytest.mark.parametrize(
    ("name", "looks", "steers", "administers"), [("cho", 200, 403, 403), ("bob", 200, 200, 403), ("ann", 200, 200, 200)]
)
def test_each_role_may_what_it_says_and_no_more(
    staffed: Collection, name: str, looks: int, steers: int, administers: int
) -> None:
    client = signed_in(staffed, name)
    assert client.get("/api/crawl").status_code == looks
    assert client.post("/api/crawl/seeds", json={"seeds": f"http://{name}.example/"}).status_code == steers
    assert client.get("/people").status_code == administers
    assert client.get("/api/people").status_code == administers
    removed = client.post("/api/people/remove", json={"name": "cho"}).status_code
    assert removed == administers
    assert (f"http://{name}.example/" in staffed.seeds()) is False or steers == 200
    assert ('href="/people"' in client.get("/crawl").text) == (administers == 200)


def test_every_post_of_the_api_needs_more_than_looking(staffed: Collection) -> None:
    client = signed_in(staffed, "cho")
    paths = client.get("/api/openapi.json").json()["paths"]
    posts = [path for path, methods in paths.items() if "post" in methods]
    assert len(posts) > 15
    for path in posts:
        assert client.post(path.replace("{id}", "1"), json={}).status_code == 403, path


def test_a_role_that_was_taken_away_is_gone_at_once(staffed: Collection) -> None:
    client = signed_in(staffed, "bob")
    people = People(staffed.path / FILE)
    people.add("bob", "look", WORDS["bob"])
    assert client.get("/api/crawl").status_code == 401  # signs in again
    people.remove("bob")
    assert people.sign_in("bob", WORDS["bob"]) is None


def test_there_is_always_somebody_who_may_administer(tmp_path: Path) -> None:
    people = People(tmp_path / FILE)
    with pytest.raises(InputError, match="administer"):
        people.add("bob", "look", WORDS["bob"])
    people.add("ann", "administer", WORDS["ann"])
    people.add("bob", "steer", WORDS["bob"])
    with pytest.raises(InputError, match="last who may administer"):
        people.remove("ann")
    with pytest.raises(InputError, match="administer"):
        people.add("ann", "look", WORDS["ann"])


# ── passwords and sessions ───────────────────────────────────────────────────────────────────────


def test_the_file_holds_no_password_no_session_and_no_token(staffed: Collection) -> None:
    people = People(staffed.path / FILE)
    session, token = people.sign_in("ann", WORDS["ann"]), people.make_token("ann", "look", 1.0)
    assert session
    kept = (staffed.path / FILE).read_bytes()
    for secret in (*WORDS.values(), session, token):
        assert secret.encode() not in kept
    assert stat.S_IMODE((staffed.path / FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("name", "password"), [("a b", "x" * 12), ("", "x" * 12), ("ann", "short"), ("x" * 81, "y" * 12)]
)
def test_bad_names_and_short_passwords_are_refused(tmp_path: Path, name: str, password: str) -> None:
    with pytest.raises(InputError):
        People(tmp_path / FILE).add(name, "administer", password)


def test_a_session_ends(staffed: Collection) -> None:
    people = People(staffed.path / FILE)
    secret = people.sign_in("ann", WORDS["ann"], now=1000.0)
    assert secret
    assert people.by_session(secret, now=1000.0 + SESSION - 1)
    assert people.by_session(secret, now=1000.0 + SESSION + 1) is None
    assert people.by_session(secret + "x", now=1001.0) is None


def test_signing_out_ends_the_session_for_whoever_copied_it(staffed: Collection) -> None:
    client = signed_in(staffed, "ann")
    copied = client.cookies.get("phasa_session")
    client.post("/logout", data={"csrf": csrf_of(client, "/crawl")})
    thief = client_of(staffed)
    thief.cookies.set("phasa_session", copied or "")
    assert thief.get("/api/crawl").status_code == 401


def test_the_cookie_of_a_session_cannot_be_read_by_scripts_or_sent_by_other_sites(staffed: Collection) -> None:
    client = client_of(staffed)
    form = {"csrf": csrf_of(client), "name": "ann", "password": WORDS["ann"]}
    cookie = client.post("/login", data=form).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


# ── attacks ──────────────────────────────────────────────────────────────────────────────────────


def test_guessing_a_password_is_stopped_also_when_the_right_one_comes(staffed: Collection) -> None:
    client = client_of(staffed)
    csrf = csrf_of(client)
    codes = [
        client.post("/login", data={"csrf": csrf, "name": "ann", "password": f"guess {n}"}).status_code
        for n in range(WRONG + 3)
    ]
    assert codes == [401] * WRONG + [429] * 3
    right = client.post("/login", data={"csrf": csrf, "name": "ann", "password": WORDS["ann"]})
    assert right.status_code == 429
    assert 0 < int(right.headers["retry-after"]) <= LONGEST_PAUSE
    assert "set-cookie" not in right.headers


def test_pauses_grow_by_address_and_by_name_and_are_forgotten() -> None:
    tries = Tries()
    for _ in range(WRONG):
        assert tries.wait("address a", "name x", now=0.0) == 0.0
        tries.failed("address a", "name x", now=0.0)
    first = tries.wait("address a", now=0.0)
    assert first > 0
    assert tries.wait("address b", "name x", now=0.0) == first  # another address does not help against one name
    assert tries.wait("address b", "name y", now=0.0) == 0.0
    tries.failed("name x", now=first)
    assert tries.wait("name x", now=first) == 2 * first
    assert tries.wait("name x", now=first + LONGEST_PAUSE) == 0.0
    for number in range(20_000):
        tries.failed(f"name {number}", now=1.0)
    assert len(tries._wrong) <= 10_000


def test_a_form_of_one_session_is_no_form_of_another(staffed: Collection) -> None:
    ann = signed_in(staffed, "ann")
    bob = signed_in(staffed, "bob", beside=ann)
    known_to_bob = csrf_of(bob, "/crawl")
    form = {"csrf": known_to_bob, "name": "cho", "back": "/people"}
    assert ann.post("/api/people/remove", data=form).status_code == 403
    form["csrf"] = csrf_of(ann, "/people")
    assert ann.post("/api/people/remove", data=form).status_code == 303


@pytest.mark.parametrize("headers", [{"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}])
def test_another_site_cannot_use_a_session(staffed: Collection, headers: dict[str, str]) -> None:
    client = signed_in(staffed, "ann")
    assert client.post("/api/people/remove", json={"name": "cho"}, headers=headers).status_code == 403
    assert len(People(staffed.path / FILE).everybody()) == 3


def test_tokens_have_a_scope_and_an_end(staffed: Collection) -> None:
    people = People(staffed.path / FILE)
    client = client_of(staffed)
    look = {"authorization": f"Bearer {people.make_token('ann', 'look', 1.0, 'backup')}"}
    assert client.get("/api/crawl", headers=look).status_code == 200
    assert client.post("/api/crawl/seeds", json={"seeds": "http://a.example/"}, headers=look).status_code == 403
    assert client.get("/api/people", headers=look).status_code == 403
    old = people.make_token("ann", "administer", 1.0, now=1000.0)
    assert people.by_token(old, now=1000.0 + DAY - 1)
    assert client.get("/api/crawl", headers={"authorization": f"Bearer {old}"}).status_code == 401
    people.revoke(next(token.id for token in people.tokens() if token.about == "backup"))
    assert client.get("/api/crawl", headers=look).status_code == 401


def test_a_token_never_may_more_than_its_operator(staffed: Collection) -> None:
    people = People(staffed.path / FILE)
    with pytest.raises(InputError, match="cannot administer"):
        people.make_token("bob", "administer", 1.0)
    token = people.make_token("bob", "steer", 1.0)
    people.add("bob", "look", WORDS["bob"])
    found = people.by_token(token)
    assert found is not None
    assert found.role == "look"
    people.remove("bob")
    assert people.by_token(token) is None
    for days in (0.0, -1.0, 1e9, float("nan")):
        with pytest.raises(InputError):
            people.make_token("ann", "look", days)


def with_proxies(text: str, proxies: str) -> str:
    return text.replace('proxy_header = ""', 'proxy_header = "X-Remote-User"').replace(
        "proxies = []", f"proxies = {proxies}"
    )


def proxied(collection: Collection, proxies: str, client: str) -> TestClient:
    text = collection.settings_file.read_text(encoding="utf-8")
    text = with_proxies(text, proxies)
    collection.settings_file.write_text(text, encoding="utf-8")
    app = create_app(Collection.open(collection.path))
    return TestClient(app, base_url="http://127.0.0.1", client=(client, 50000), follow_redirects=False)


def test_a_trusted_proxy_names_who_signed_in(staffed: Collection) -> None:
    client = proxied(staffed, '["10.0.0.0/8"]', "10.1.2.3")
    assert client.get("/api/crawl", headers={"x-remote-user": "cho"}).status_code == 200
    assert client.get("/api/people", headers={"x-remote-user": "cho"}).status_code == 403
    assert client.get("/api/people", headers={"x-remote-user": "ann"}).status_code == 200
    assert client.get("/api/crawl", headers={"x-remote-user": "nobody"}).status_code == 401
    assert client.get("/api/crawl").status_code == 401


@pytest.mark.parametrize("address", ["11.0.0.1", "127.0.0.1", "::1", "testclient"])
def test_a_header_from_anywhere_else_is_not_believed(staffed: Collection, address: str) -> None:
    client = proxied(staffed, '["10.0.0.0/8"]', address)
    forged = {"x-remote-user": "ann", "x-forwarded-for": "10.1.2.3", "forwarded": "for=10.1.2.3"}
    assert client.get("/api/crawl", headers=forged).status_code == 401


def test_the_server_takes_no_address_from_a_header(staffed: Collection) -> None:
    text = staffed.settings_file.read_text(encoding="utf-8")
    text = with_proxies(text, '["10.0.0.1"]')
    staffed.settings_file.write_text(text, encoding="utf-8")
    with serving(Collection.open(staffed.path)) as link:
        forged = {"x-remote-user": "ann", "x-forwarded-for": "10.0.0.1"}
        with pytest.raises(HTTPError, match="401"):
            urlopen(Request(f"{link}/api/crawl", headers=forged))


def test_a_header_that_everybody_could_send_is_refused_at_the_start(staffed: Collection) -> None:
    with pytest.raises(SettingsError, match="proxies"):
        proxied(staffed, "[]", "10.1.2.3")
    with pytest.raises(SettingsError, match="not an address"):
        proxied(staffed, '["everybody"]', "10.1.2.3")


# ── audit ────────────────────────────────────────────────────────────────────────────────────────


def test_every_change_leaves_a_line_without_secrets(staffed: Collection) -> None:
    ann, cho = signed_in(staffed, "ann"), signed_in(staffed, "cho")
    ann.post("/api/crawl/seeds", json={"seeds": "http://a.example/"})
    ann.post("/api/people", json={"name": "dee", "role": "look", "password": "dee-has-a-long-password"})
    cho.post("/api/crawl/pause", json={})
    wrong = client_of(staffed)
    wrong.post("/login", data={"csrf": csrf_of(wrong), "name": "bob", "password": "wrong wrong wrong"})
    lines = Audit(staffed.path / "audit.jsonl").latest(10)
    said = [(line.who, line.what, line.status) for line in lines]
    assert ("cho", "POST /api/crawl/pause", 403) in said
    assert ("ann", "POST /api/crawl/seeds", 200) in said
    assert ("ann", "POST /login", 200) in said
    assert ("", "POST /login", 401) in said
    text = (staffed.path / "audit.jsonl").read_text()
    assert "long-password" not in text
    assert "wrong wrong" not in text
    assert "http://a.example/" in text
    assert "dee" in ann.get("/people").text


def test_a_torn_audit_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    audit = Audit(tmp_path / "audit.jsonl")
    audit.write(ANYBODY, "127.0.0.1", "POST /x", {"a": "b" * 1000}, 200)
    with (tmp_path / "audit.jsonl").open("ab") as file:
        file.write(b'{"time": 1, "who"')
    lines = audit.latest(5)
    assert [line.what for line in lines] == ["POST /x"]
    assert len(lines[0].values["a"]) == 300


@pytest.mark.browser
@pytest.mark.parametrize(("locale", "button"), [("th-TH", "เข้าสู่ระบบ"), ("fa-IR", "ورود"), ("en-GB", "Log in")])
def test_an_operator_signs_in_and_makes_a_token_in_three_languages(
    browser: Browser, staffed: Collection, locale: str, button: str
) -> None:
    with serving(staffed) as link:
        context = browser.new_context(locale=locale, viewport={"width": 390, "height": 800})
        page = context.new_page()
        page.goto(f"{link}/people")
        page.locator("input[name=name]").fill("ann")
        page.locator("input[name=password]").fill(WORDS["ann"])
        page.get_by_role("button", name=button).first.click()
        page.wait_for_url("**/people")
        page.locator("form[data-token] button").click()
        expect(page.locator("#made code")).to_contain_text("phasa_")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        context.close()
