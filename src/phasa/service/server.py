"""The HTTP server around the application."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable

import uvicorn

from phasa.collection import Collection
from phasa.errors import InputError
from phasa.service.application import create_app


def run(
    collection: Collection,
    *,
    address: str = "127.0.0.1",
    port: int = 8080,
    token: str | None = None,
    names: Iterable[str] = (),
    replay: str = "",
    ready: Callable[[str], None] = lambda link: None,
) -> None:
    """Serve until Ctrl-C. `ready` is told the link. Raises InputError when the address cannot be bound."""
    app = create_app(collection, token=token, address=address, names=names, replay=replay)
    bound = bind(address, port)
    settings = uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=2)
    ready(link_of(bound))
    uvicorn.Server(settings).run(sockets=[bound])


def bind(address: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((address, port))
        made.listen(128)
    except OSError as problem:
        made.close()
        raise InputError(
            f"{address}:{port}: cannot listen there ({(problem.strerror or str(problem)).lower()}); try another --port"
        ) from None
    return made


def link_of(bound: socket.socket) -> str:
    """The address to open in a browser."""
    host, port = bound.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}/"
