"""Brings the file of an older frontier up to date. Inside the caller's transaction; the index is filled again after it,
as after a crash."""

from __future__ import annotations

from sqlite3 import Connection

from phasa.frontier.index import next_key, url_keys

_SECURE = "url.url LIKE 'https://%'"
_AT_ONCE = 50_000


def split_origins(db: Connection) -> None:
    """Up to format 4 both origins of a host shared one row of `host`, named without a scheme: the https one gets a row
    of its own, and its URLs with it."""
    mixed = db.execute(
        f"SELECT host, max({_SECURE}), min({_SECURE}), sum({_SECURE} AND state = 1) FROM url GROUP BY host"
    ).fetchall()
    for host, some, every, done in mixed:
        if every:
            db.execute("UPDATE host SET name = 'https://' || name WHERE id = ?", (host,))
        elif some:
            db.execute(
                "INSERT INTO host(name, site, worker, until, rest, address, done)"
                " SELECT 'https://' || name, site, worker, until, rest, address, ? FROM host WHERE id = ?",
                (done, host),
            )
            db.execute("UPDATE host SET done = done - ? WHERE id = ?", (done, host))
    moved = (
        "SELECT url.id, s.id, url.url FROM url JOIN host h ON h.id = url.host"
        f" JOIN host s ON s.name = 'https://' || h.name WHERE {_SECURE} AND url.id > ? ORDER BY url.id LIMIT ?"
    )
    last = 0
    while rows := db.execute(moved, (last, _AT_ONCE)).fetchall():
        keys = url_keys([row[1] for row in rows], [row[2] for row in rows])
        db.executemany(
            "UPDATE url SET host = ?, key = ? WHERE id = ?",
            [(host, key, id) for (id, host, _), key in zip(rows, keys, strict=True)],
        )
        last = rows[-1][0]
    _tell_apart(db)
    # The heads are found again together with the queues.
    db.execute("UPDATE host SET rank = NULL, head = NULL")


def _tell_apart(db: Connection) -> None:
    """URLs that have the same key now: the later ones get the next keys that are free."""
    taken: dict[int, int] = {}
    same = "SELECT key FROM url GROUP BY key HAVING count(*) > 1"
    for id, key in db.execute(f"SELECT id, key FROM url WHERE key IN ({same}) ORDER BY id").fetchall():
        free = key
        while free in taken or (free != key and _is_taken(db, free)):
            free = next_key(free)
        taken[free] = id
        if free != key:
            db.execute("UPDATE url SET key = ? WHERE id = ?", (free, id))


def _is_taken(db: Connection, key: int) -> bool:
    return db.execute("SELECT 1 FROM url WHERE key = ? LIMIT 1", (key,)).fetchone() is not None
