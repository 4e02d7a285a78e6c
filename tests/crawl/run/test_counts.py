"""The counts say what the log says, however it was read, and pages of hosts leave nothing out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.collection import Collection
from phasa.crawl.run.counts import Counts, HostOrder, position_of
from phasa.crawl.run.crawl_log import line, read_log
from phasa.crawl.run.log_reader import LogReader
from phasa.frontier.protocol import Ending, Lease, State, Visit
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


def read(collection: Collection) -> Counts:
    """All that is logged, counted."""
    LogReader(collection, collection.path / "counts.db").catch_up()
    return Counts(collection.path / "counts.db")


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return Collection.create(tmp_path / "c")


@given(LINES, st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_counts_are_those_of_the_log_however_it_grew(lines: list[str], pieces: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        collection = Collection.create(Path(folder) / "c")
        text = "".join(lines).encode()
        for part in range(pieces):
            with collection.log_file.open("ab") as out:
                out.write(text[len(text) * part // pieces : len(text) * (part + 1) // pieces])
            read(collection).close()
        parsed = list(read_log(collection.log_file))
        assert len(parsed) == len(lines)
        counts = read(collection)
        judged = Counter(one.language for one in parsed if one.wanted is not None)
        assert {share.key: share.pages for share in counts.shares("language", 99)} == judged
        hosts = Counter(one.url.split("/")[2] for one in parsed)
        assert {host.name: host.fetches for host in counts.hosts("name", "", 99)} == hosts
        assert sum(share.bytes for share in counts.shares("status", 99)) == sum(one.size for one in parsed)
        assert Counter(one.outcome for one in parsed) == {
            share.key: share.fetches for share in counts.shares("status", 99)
        }
        assert counts.pages() == (sum(judged.values()), judged["th"])
        over = counts.over_time("language", ["th"], 10)
        assert sum(row.fetches for row in over) == sum(judged.values())
        for host, count in hosts.items():
            places = counts.lines("host", host, 1 << 62, 99)
            assert len(places) == count
            assert places == sorted(places, reverse=True)
            for place in places:
                assert f"http://{host}/" in text[place:].split(b"\n")[0].decode()
        counts.close()


@pytest.mark.parametrize("order", ["name", "pages", "wanted", "bytes", "last"])
def test_pages_of_hosts_hold_every_host_once_in_order(collection: Collection, order: HostOrder) -> None:
    text = "".join(logged(n, f"h{n * 7 % 53}.example.th", size=n % 5) for n in range(400))
    collection.log_file.write_text(text, encoding="utf-8")
    counts = read(collection)
    seen, after = [], ""
    while page := counts.hosts(order, after, 7):
        seen += page
        after = position_of(page[-1], order)
    assert len(seen) == len({host.name for host in seen}) == 53
    values = [getattr(host, order) for host in seen]
    assert order == "name" or values == sorted(values, reverse=True)
    counts.close()


def test_a_domain_means_itself_and_what_is_below_it(collection: Collection) -> None:
    collection.log_file.write_text("".join(logged(n, host) for n, host in enumerate(HOSTS)), encoding="utf-8")
    counts = read(collection)
    assert {host.name for host in counts.hosts("name", "", 9, "b.example.th")} == {"b.example.th", "www.b.example.th"}
    assert {host.name for host in counts.hosts("name", "", 9, "example.th")} == set(HOSTS[:3])
    assert counts.hosts("name", "", 9, "%") == []
    counts.close()


def test_top_hosts_and_segments_are_those_with_most_pages(collection: Collection) -> None:
    lines = [*(logged(n, "a.example.th") for n in range(6)), *(logged(3 * n, "b.example.th", "en") for n in range(3))]
    collection.log_file.write_text("".join([*lines, logged(9, "c.example.com", status=0)]), encoding="utf-8")
    counts = read(collection)
    assert [(host.name, host.pages, host.harvest) for host in counts.top_hosts(9)] == [
        ("a.example.th", 6, 1.0),
        ("b.example.th", 3, 0.0),
    ]  # a host without a page is no top host
    assert [share.language for share in counts.top_hosts(1)[0].languages] == ["th"]
    assert counts.segments("pages", 1)[0].name == "http://b.example.th/d0/"
    assert counts.segments("wanted", 1)[0].wanted == 2
    assert counts.wanted_hosts() == 1
    counts.close()


def test_a_new_log_is_counted_from_its_beginning(collection: Collection) -> None:
    read(collection).close()  # there is none yet
    collection.log_file.write_text(logged(1, "a.example.th") * 3, encoding="utf-8")
    read(collection).close()
    collection.log_file.write_text(logged(2, "b.example.th") * 3, encoding="utf-8")
    counts = read(collection)
    assert [host.name for host in counts.hosts("name", "", 9)] == ["b.example.th"]
    counts.close()


def test_torn_and_foreign_lines_are_passed_over(collection: Collection) -> None:
    good = logged(1, "a.example.th")
    torn = b"torn 200\n\xff\xfe junk\n" + b"x " * 700_000 + b"\n"
    collection.log_file.write_bytes(good.encode() + torn + good.encode() + b"half a li")
    counts = read(collection)
    assert [host.fetches for host in counts.hosts("name", "", 9)] == [2]
    assert counts.bookmark().read == collection.log_file.stat().st_size - len("half a li")
    counts.close()


def test_servers_cannot_make_the_counts_grow_with_names(collection: Collection) -> None:
    text = logged(1, "a.example.th")
    lines = (text.replace("text/html", f"x/{n}") for n in range(2000))
    collection.log_file.write_text("".join(lines), encoding="utf-8")
    counts = read(collection)
    types = counts.shares("type", 9999)
    assert len(types) <= 402
    assert sum(share.fetches for share in types) == 2000
    counts.close()
