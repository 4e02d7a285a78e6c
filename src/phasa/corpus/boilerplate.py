"""Paragraphs that a site repeats from page to page: cookie notices, slogans, lists of sections.

Counted over the documents that were kept, so that a page captured twice repeats nothing. A paragraph is boilerplate
when it stands on at least FEWEST documents and at least SHARE of all documents of its host.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from phasa.corpus.duplicates import KEPT, read_decisions
from phasa.corpus.workspace import Plan, UnitFiles, Workspace

FEWEST = 5
SHARE = 0.02
_AT_ONCE = 4_000_000
"""Paragraphs that are counted together; more are counted in several rounds, by their keys."""
Keys = NDArray[np.uint64]


def repeated_paragraphs(workspace: Workspace, plan: Plan) -> Keys:
    """The keys of all boilerplate, ascending."""
    hosts: dict[int, int] = {}
    total = 0
    for keys, _, host_of_document in _kept(workspace, plan):
        total += len(keys)
        for host, count in zip(*np.unique(host_of_document, return_counts=True), strict=True):
            hosts[int(host)] = hosts.get(int(host), 0) + int(count)
    rounds = max(1, -(-total // _AT_ONCE))
    found = [_round(workspace, plan, hosts, number, rounds) for number in range(rounds)]
    return np.sort(np.concatenate(found))


def _round(workspace: Workspace, plan: Plan, hosts: dict[int, int], number: int, rounds: int) -> Keys:
    keys: list[Keys] = []
    homes: list[Keys] = []
    for these, host_of_key, _ in _kept(workspace, plan):
        mine = these % np.uint64(rounds) == number
        keys.append(these[mine])
        homes.append(host_of_key[mine])
    if not keys:
        return np.zeros(0, np.uint64)
    unique, first, counts = np.unique(np.concatenate(keys), return_index=True, return_counts=True)
    many = np.flatnonzero(counts >= FEWEST)
    home = np.concatenate(homes)[first[many]]
    wanted = np.array([max(FEWEST, SHARE * hosts[int(host)]) for host in home])
    return np.asarray(unique[many[counts[many] >= wanted]]) if len(many) else np.zeros(0, np.uint64)


def _kept(workspace: Workspace, plan: Plan) -> Iterator[tuple[Keys, Keys, Keys]]:
    """Of each unit: the paragraphs of its kept documents, each once a document; their hosts; the documents' hosts."""
    for unit in plan.units:
        files = UnitFiles(workspace.unit(unit.number))
        keys, ends = files.paragraphs()
        hosts = files.hosts()
        stays = read_decisions(workspace, unit.number)["source"] == KEPT
        lengths = np.diff(np.concatenate((np.zeros(1, np.uint64), ends))).astype(np.int64)
        owner = np.repeat(np.arange(len(lengths)), lengths)
        chosen = stays[owner] if len(owner) else np.zeros(0, bool)
        pairs = np.unique(np.stack([owner[chosen].astype(np.uint64), keys[chosen]], axis=1), axis=0)
        yield pairs[:, 1], hosts[pairs[:, 0].astype(np.int64)], hosts[stays]


def is_boilerplate(keys: Keys, boilerplate: Keys) -> NDArray[np.bool_]:
    """Which of the keys are among the boilerplate."""
    if not len(boilerplate):
        return np.zeros(len(keys), np.bool_)
    places = np.minimum(np.searchsorted(boilerplate, keys), len(boilerplate) - 1)
    return np.asarray(boilerplate[places] == keys)
