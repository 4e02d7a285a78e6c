"""Countries of hosts that nothing was fetched from yet, by DNS, asked in the background (feature 3, §4.6)."""

from __future__ import annotations

import socket
from concurrent.futures import Future, ThreadPoolExecutor

from phasa.web.country import country_of

_AT_ONCE = 4
_MOST = 50_000


class AskedCountries:
    """`of(host)` is '' until the answer is there; nobody waits for it. The first `_MOST` hosts are asked for."""

    def __init__(self) -> None:
        self._asked: dict[str, Future[str]] = {}
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="countries")

    def of(self, host: str) -> str:
        """The country of a host (with or without a port), as an ISO code."""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        found = self._asked.get(name)
        if found is None and len(self._asked) < _MOST:
            found = self._asked[name] = self._threads.submit(country_by_name, name)
        return found.result() if found is not None and found.done() else ""


def country_by_name(host: str) -> str:
    """The country of the first address of a host; '' when it has none."""
    try:
        addresses = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ""
    return country_of(str(addresses[0][4][0])) if addresses else ""
