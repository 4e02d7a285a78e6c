"""The HTTP server around the application."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from functools import partial
from typing import cast

import uvicorn
from starlette.types import ASGIApp

from phasa.collection import Collection
from phasa.errors import InputError
from phasa.service.application import create_app
from phasa.service.connection import Connection
from phasa.service_settings import ServiceSettings
from phasa.web.room import share_memory


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
    share_memory()
    app = create_app(collection, token=token, address=address, names=names, replay=replay)
    bound = bind(address, port)
    ready(link_of(bound))
    uvicorn.Server(server_config(app, collection.settings.service)).run(sockets=[bound])


def server_config(app: ASGIApp, bounds: ServiceSettings) -> uvicorn.Config:
    """How uvicorn serves the application: plain HTTP, on connections that are bounded in number and in time."""
    unasked: dict[Connection, None] = {}
    protocol = cast("type[Connection]", partial(Connection, bounds=bounds, unasked=unasked))
    return uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        log_level="error",
        server_header=False,
        timeout_graceful_shutdown=2,
        proxy_headers=False,  # the address of a client is that of its connection, whatever a header says
    )


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
