"""The ledger says what the log says, however it was read, and its pages of hosts leave nothing out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from tests.service.conftest import client_of

from phasa.collection import Collection
from phasa.crawl.run.crawl_log import line, parse_line
from phasa.frontier.protocol import Ending, Lease, State, Visit
from phasa.service.following import Following
from phasa.service.ledger import Ledger, Order, place_of
from phasa.web.url import Url

HOSTS = ("a.example.th", "b.example.th", "www.b.example.th", "c.example.com", "192.0.2.7", "example.th.evil.example")


def logged(number: int, host: str, language: str = "th", status: int = 200, size: int = 1000) -> str:
    at = 1_790_000_000.0 + number * 40_000
    visit = Visit(at, status, "text/html", size, language == "th", 0.5, language, record="w:1", charset="utf-8")
    lease = Lease(number, Url(f"http://{host}/d{number % 3}/{number}"), host, 1.0, 1, "", b"", 0, at)
    return line(lease, Ending(State.DONE if status else State.DROPPED, "ok", at, visit=visit if status else None))


LINES = st.lists(
    st.builds(
        logged,
        st.integers(0, 200),
        st.sampled_from(HOSTS),
        st.sampled_from(("th", "en", "fa")),
        st.sampled_from((0, 200, 404)),
        st.integers(0, 10**6),
    ),
    max_size=60,
)


@given(LINES, st.integers(1, 5))
@settings(max_examples=40)
def test_counts_are_those_of_the_log_however_it_grew(lines: list[str], pieces: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        log, file = Path(folder) / "crawl.log", Path(folder) / "ledger.db"
        text = "".join(lines).encode()
        for part in range(pieces):
            with log.open("ab") as out:
                out.write(text[len(text) * part // pieces : len(text) * (part + 1) // pieces])
            Following(log, file).catch_up()
        parsed = [found for each in lines if (found := parse_line(each))]
        assert len(parsed) == len(lines)
        ledger = Ledger(file)
        judged = Counter(one.language for one in parsed if one.wanted is not None)
        assert {share.key: share.pages for share in ledger.shares("language", 99)} == judged
        hosts = Counter(one.url.split("/")[2] for one in parsed)
        assert {host.name: host.fetches for host in ledger.hosts("name", "", 99)} == hosts
        assert sum(share.bytes for share in ledger.shares("status", 99)) == sum(one.size for one in parsed)
        over = ledger.over_time("language", ["th"], 10)
        assert sum(row.fetches for row in over) == sum(judged.values())
        for host, count in hosts.items():
            places = ledger.places("host", host, 1 << 62, 99)
            assert len(places) == count
            assert places == sorted(places, reverse=True)
            for place in places:
                assert f"http://{host}/" in text[place:].split(b"\n")[0].decode()
        ledger.close()


@pytest.mark.parametrize("order", ["name", "pages", "wanted", "bytes", "last"])
def test_pages_of_hosts_hold_every_host_once_in_order(tmp_path: Path, order: Order) -> None:
    log = tmp_path / "crawl.log"
    log.write_text("".join(logged(n, f"h{n * 7 % 53}.example.th", size=n % 5) for n in range(400)), encoding="utf-8")
    Following(log, tmp_path / "l.db").catch_up()
    ledger = Ledger(tmp_path / "l.db")
    seen, after = [], ""
    while page := ledger.hosts(order, after, 7):
        seen += page
        after = place_of(page[-1], order)
    assert len(seen) == len({host.name for host in seen}) == 53
    values = [getattr(host, order) for host in seen]
    assert order == "name" or values == sorted(values, reverse=True)
    ledger.close()


def test_a_domain_means_itself_and_what_is_below_it(tmp_path: Path) -> None:
    log = tmp_path / "crawl.log"
    log.write_text("".join(logged(n, host) for n, host in enumerate(HOSTS)), encoding="utf-8")
    Following(log, tmp_path / "l.db").catch_up()
    ledger = Ledger(tmp_path / "l.db")
    assert {host.name for host in ledger.hosts("name", "", 9, "b.example.th")} == {"b.example.th", "www.b.example.th"}
    assert {host.name for host in ledger.hosts("name", "", 9, "example.th")} == set(HOSTS[:3])
    assert ledger.hosts("name", "", 9, "%") == []
    ledger.close()


def test_a_new_log_is_counted_from_its_beginning(tmp_path: Path) -> None:
    log, following = tmp_path / "crawl.log", Following(tmp_path / "crawl.log", tmp_path / "l.db")
    following.catch_up()  # there is none yet
    log.write_text(logged(1, "a.example.th") * 3, encoding="utf-8")
    following.catch_up()
    log.write_text(logged(2, "b.example.th") * 3, encoding="utf-8")
    following.catch_up()
    ledger = Ledger(tmp_path / "l.db")
    assert [host.name for host in ledger.hosts("name", "", 9)] == ["b.example.th"]
    ledger.close()


def test_torn_and_foreign_lines_are_passed_over(tmp_path: Path) -> None:
    log = tmp_path / "crawl.log"
    good = logged(1, "a.example.th")
    torn = b"torn 200\n\xff\xfe junk\n" + b"x " * 700_000 + b"\n"
    log.write_bytes(good.encode() + torn + good.encode() + b"half a li")
    following = Following(log, tmp_path / "l.db")
    following.catch_up()
    ledger = Ledger(tmp_path / "l.db")
    assert [host.fetches for host in ledger.hosts("name", "", 9)] == [2]
    assert following.read == log.stat().st_size - len("half a li")
    ledger.close()


def test_servers_cannot_make_the_ledger_grow_with_names(tmp_path: Path) -> None:
    log = tmp_path / "crawl.log"
    text = logged(1, "a.example.th")
    log.write_text("".join(text.replace("text/html", f"x/{n}") for n in range(2000)), encoding="utf-8")
    Following(log, tmp_path / "l.db").catch_up()
    ledger = Ledger(tmp_path / "l.db")
    types = ledger.shares("type", 9999)
    assert len(types) <= 402
    assert sum(share.fetches for share in types) == 2000
    ledger.close()


def cost_of_getting(client: TestClient, path: str) -> float:
    begun = process_time()
    client.get(path)
    return process_time() - begun


def test_ten_thousand_pages_cost_each_page_of_the_application_little(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "large")
    lines = [logged(n, f"h{n % 997}.example.th", "th" if n % 3 else "en") for n in range(10_000)]
    collection.log_file.write_text("".join(lines), encoding="utf-8")
    with client_of(collection) as client:
        client.app.state.service.following.catch_up()  # type: ignore[attr-defined]
        for path in (
            *("/overview", "/collection", "/collection/hosts?order=bytes", "/collection/hosts?domain=example.th"),
            *("/collection/pages?by=language&key=th", "/collection/pages?by=host&key=h5.example.th", "/metrics"),
            *("/api/collection", "/api/collection/times?kind=domain", "/api/overview/choices"),
        ):
            assert client.get(path).status_code == 200, path
            # A busy machine may make one try dear, not three.
            assert any(cost_of_getting(client, path) <= 0.3 for _ in range(3)), path
