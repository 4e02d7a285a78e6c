"""The frontier of a collection, in one SQLite file. A collection has one owner (its lock), and its workers never share
a host (`stored`)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from phasa.frontier.database import Database
from phasa.frontier.inbox import ALONE as ALONE
from phasa.frontier.inbox import Inbox
from phasa.frontier.inbox import Partition as Partition
from phasa.frontier.index import IndexOptions, UrlIndex
from phasa.frontier.outbox import Journal, Outbox
from phasa.frontier.revisits import RevisitTable
from phasa.frontier.rules import Rules
from phasa.frontier.stored import StoredFrontier, Tables, nothing
from phasa.frontier.tables import HostTable, UrlTable

log = logging.getLogger(__name__)


class SqliteFrontier(StoredFrontier):
    """See `phasa.frontier.protocol.Frontier`. Raises CollectionError when the file is not a frontier.

    `partition`: the sites of this process when it is one of several workers. `index` and `ready_hosts` are sizes, which
    tests make small. `journal` gets the lines of what was committed. Opening a frontier takes it over: who had it open
    before cannot write any more (`SupersededError`). `epoch`: the owner that started this worker, to write for it."""

    def __init__(
        self,
        path: Path,
        rules: Rules | None = None,
        *,
        partition: Partition = ALONE,
        before_commit: Callable[[], None] = nothing,
        journal: Journal | None = None,
        epoch: int | None = None,
        index: IndexOptions | None = None,
        ready_hosts: int = 1_024,
    ) -> None:
        db = self._file = Database(path)
        self._entries = UrlIndex(db.connection, partition.worker, index)
        hosts = HostTable(db, partition.owner)
        tables = Tables(
            *(db, self._entries, hosts, UrlTable(db, hosts, self._entries), Inbox(db, partition)),
            RevisitTable(db, lambda: partition.worker),
            Outbox(db, partition.worker, journal),
        )
        super().__init__(tables, rules or Rules(), partition, before_commit, ready_hosts)
        self._open(epoch)
        if self.rules.traps is not None:
            self.rules.traps.barren.update(db.templates())

    def _open(self, epoch: int | None) -> None:
        """Repair what a crash left and give hosts to workers; only the first worker does, before the others start."""
        if epoch is not None or self._partition.worker:
            self._file.join_epoch(epoch)
        with self._transaction():
            if epoch is None and self._partition.worker == 0:
                self._file.take_epoch()
                self.outbox.recover()
            if self._partition.worker == 0:
                for host, head in self._entries.recover(self._partition.workers):
                    self._hosts.set_head(host, head)
                self._inbox.open_addresses()
                if (before := self._db.meta("workers") or 1) != self._partition.workers:
                    log.info("giving the hosts of %s workers to %d", before, self._partition.workers)
                    self._hosts.assign(self._partition.workers)
                    self._inbox.repartition()
            if self.rules.budgets.queue:
                self._index.keep_worst()
