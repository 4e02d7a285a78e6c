"""LSWC, the language-specific crawler of Somboonviwat et al. as the thesis rebuilt it (§4.10): servers are judged."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import msgspec
import numpy as np

from phasa.crawl.strategy import DROP, JudgedPage, Offers, Plain, Seed, same_priority
from phasa.errors import InputError
from phasa.web.url import authority


class ServerKind(IntEnum):
    """What is thought of a server; the number is its rank in the queue, 0 first."""

    TARGET = 0
    UNKNOWN = 1
    FOREIGN = 2


class Server(msgspec.Struct):
    """The judgement on one server so far."""

    kind: ServerKind = ServerKind.UNKNOWN
    others: int = 0


class Lswc(Plain):
    """Take whole servers of the language; elsewhere go at most `distance` links from the last page in the language.

    `distance` is T and `patience` is S of the specification. `drop_foreign` discards links to servers judged foreign
    instead of queueing them last. The note is the number of links since the last page in the language.
    """

    name = "lswc"

    def __init__(self, distance: int = 5, patience: int = 3, drop_foreign: bool = False) -> None:
        self.distance = distance
        self.patience = patience
        self.drop_foreign = drop_foreign
        self._servers: dict[str, Server] = {}

    def start(self, seeds: Sequence[Seed]) -> Offers:
        return same_priority(self._priority(ServerKind.UNKNOWN, 0), len(seeds), _note(0))

    def page(self, page: JudgedPage) -> Offers:
        since = self._judge_server(page)
        step = since + 1
        by_kind = [self._priority(kind, step) for kind in ServerKind]
        servers, unknown = self._servers, ServerKind.UNKNOWN
        kinds = [
            server.kind if (server := servers.get(authority(url))) is not None else unknown for url in page.links.urls
        ]
        priorities = np.array([by_kind[kind] for kind in kinds])
        return Offers(priorities, [_note(step)] * len(kinds))

    def save(self) -> bytes:
        return msgspec.msgpack.encode(self._servers)

    def load(self, state: bytes) -> None:
        try:
            self._servers = msgspec.msgpack.decode(state, type=dict[str, Server])
        except msgspec.DecodeError as problem:
            raise InputError(f"saved state of the strategy {self.name}: {problem}; delete it to start afresh") from None

    def _judge_server(self, page: JudgedPage) -> int:
        """Count the page for its server; links since the last page in the language, 0 when this one is."""
        server = self._servers.setdefault(authority(page.url), Server())
        if page.judgement.wanted:
            if server.kind != ServerKind.FOREIGN:
                server.kind = ServerKind.TARGET
            return 0
        server.others += 1
        if server.kind == ServerKind.UNKNOWN and server.others >= self.patience:
            server.kind = ServerKind.FOREIGN
        return int.from_bytes(page.note, "little")

    def _priority(self, kind: ServerKind, step: int) -> float:
        if kind == ServerKind.TARGET:
            return 0.0
        if step > self.distance or (kind == ServerKind.FOREIGN and self.drop_foreign):
            return DROP
        return -float(kind * (self.distance + 1) + step)


def _note(step: int) -> bytes:
    return step.to_bytes(2, "little")
