"""Slow connections, on real sockets: they are closed in time, and a good client is served meanwhile."""

from __future__ import annotations

import socket
import time
import urllib.request
from contextlib import ExitStack

import msgspec
import pytest
from tests.service.conftest import serving

from phasa.collection import Collection

LONG = 60.0
POST = b"POST /api/feeds HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


def bounded(collection: Collection, **bounds: float) -> Collection:
    service = msgspec.convert(
        msgspec.structs.asdict(collection.settings.service) | bounds, type(collection.settings.service)
    )
    return Collection(collection.path, msgspec.structs.replace(collection.settings, service=service))


def connect(link: str, stack: ExitStack, first: bytes = b"") -> socket.socket:
    host, port = link.removeprefix("http://").split(":")
    made = stack.enter_context(socket.create_connection((host, int(port)), timeout=LONG))
    made.sendall(first)
    return made


def is_closed(sock: socket.socket) -> bool:
    """Waits until the other side closes it or sends something."""
    try:
        return sock.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
        POST + b"Content-Length: 900\r\n\r\n{",
        POST + b"Transfer-Encoding: chunked\r\n\r\n",
    ],
    ids=["silent", "half a header", "half a body", "no chunk"],
)
def test_a_client_that_does_not_ask_in_time_is_closed(empty: Collection, sent: bytes) -> None:
    with serving(bounded(empty, header_seconds=0.2, request_seconds=0.3)) as link, ExitStack() as stack:
        assert is_closed(connect(link, stack, sent))


def test_bytes_one_at_a_time_do_not_put_the_end_off(empty: Collection) -> None:
    with serving(bounded(empty, header_seconds=0.3)) as link, ExitStack() as stack:
        slow = connect(link, stack, b"GET / HTTP/1.1\r\nX: ")
        with pytest.raises(OSError):  # noqa: PT012 - the first byte after the end may still seem to be sent
            for _ in range(int(LONG * 20)):
                slow.sendall(b"x")
                time.sleep(0.05)


def test_a_client_that_does_not_read_its_answer_is_closed(empty: Collection) -> None:
    lines = [f"http://a.example/{'x' * 900}/{k}" for k in range(15_000)]
    from phasa.feeds.opml import Outline
    from phasa.feeds.store import FeedStore

    with FeedStore(empty.path / "feeds.db") as store:
        store.add_list([Outline(line, "", "") for line in lines], 0.0, 50_000)
    with serving(bounded(empty, answer_seconds=0.3)) as link, ExitStack() as stack:
        slow = connect(link, stack)
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.sendall(b"GET /api/feeds/opml HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        time.sleep(3)  # the answer is made, the buffers of the system are full, and nobody reads
        got = 0
        try:
            while piece := slow.recv(1 << 20):
                got += len(piece)
                assert got < 13_000_000, "all of the answer came although nobody read it for seconds"
        except ConnectionResetError:
            pass


def test_beyond_the_bound_the_oldest_slow_connection_makes_room_and_good_clients_are_served(empty: Collection) -> None:
    with serving(bounded(empty, connections=20, header_seconds=LONG)) as link, ExitStack() as stack:
        slow = [connect(link, stack, b"GET / HT") for _ in range(60)]
        assert all(is_closed(sock) for sock in slow[:40])
        for _ in range(5):
            with urllib.request.urlopen(f"{link}/api/feeds", timeout=LONG) as answer:
                assert answer.status == 200
        slow[-1].setblocking(False)
        with pytest.raises(BlockingIOError):  # the newest still has its time
            slow[-1].recv(1)


def test_a_request_that_comes_in_pieces_is_answered(empty: Collection) -> None:
    with serving(empty) as link, ExitStack() as stack:
        sock = connect(link, stack, b"GET /api/feeds HT")
        time.sleep(0.1)
        sock.sendall(b"TP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert sock.recv(15) == b"HTTP/1.1 200 OK"
        sock.recv(100_000)
        sock.sendall(b"GET /api/feeds HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        assert sock.recv(15) == b"HTTP/1.1 200 OK"
