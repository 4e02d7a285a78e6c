"""Posts for those who read them: in the order they were found, searched, filtered, marked. SQL on feeds.db."""

from __future__ import annotations

from phasa.feeds.database import transaction
from phasa.feeds.rows import ShownPost
from phasa.feeds.search_words import query_of, words_of
from phasa.feeds.store import POSTED, SHOWN_POST, FeedStore, shown

INDEXED_AT_ONCE = 500


class Shelf:
    """The posts of a store."""

    def __init__(self, store: FeedStore) -> None:
        self._db = store.db

    def since(self, number: int, count: int = 100, category: str = "", past: bool = False) -> list[ShownPost]:
        """Posts found after the one of this number, in the order of finding: the cursor of the next call is the number
        of the last. What was there before its feed was watched only with `past`."""
        where = "number > ?" + ("" if past else " AND NOT catalogue") + _in_category(category)
        values = (number, *_category_values(category), count)
        return [shown(row) for row in self._db.execute(f"{SHOWN_POST} WHERE {where} ORDER BY number LIMIT ?", values)]

    def last(self) -> int:
        """The number of the post found last, 0 without any."""
        return int(self._db.execute("SELECT coalesce(max(number), 0) FROM post").fetchone()[0])

    def latest(
        self, count: int = 50, category: str = "", starred: bool = False, unread: bool = False, words: str = ""
    ) -> list[ShownPost]:
        """The newest posts, latest first: of a category and those below it, starred, unread, with these words."""
        where, values = "1" + _in_category(category), [*_category_values(category)]
        where += " AND star > 0" if starred else ""
        where += " AND read = 0" if unread else ""
        if words.strip():
            if not (query := query_of(words)):
                return []
            where += " AND number IN (SELECT rowid FROM words WHERE words MATCH ?)"
            values.append(query)
        rows = self._db.execute(
            f"{SHOWN_POST} WHERE {where} ORDER BY {POSTED} DESC, number DESC LIMIT ?", (*values, count)
        )
        return [shown(row) for row in rows]

    def categories(self) -> list[str]:
        """The categories of feeds and those above them, in their order: to ask for one is to ask for all below it."""
        rows = self._db.execute("SELECT DISTINCT category FROM feed WHERE category != '' AND retired = ''")
        levels = (row[0].split("/") for row in rows)
        return sorted({"/".join(parts[: k + 1]) for parts in levels for k in range(len(parts))} - {""})

    def mark(self, number: int, now: float, read: bool | None = None, star: bool | None = None) -> bool:
        """Mark a post as read or starred, or take the mark away. False when there is no such post."""
        changes = [
            (name, now if given else 0.0) for name, given in (("read", read), ("star", star)) if given is not None
        ]
        known = self._db.execute("SELECT 1 FROM post WHERE number = ?", (number,)).fetchone()
        for name, value in changes:
            self._db.execute(f"UPDATE post SET {name} = ? WHERE number = ?", (value, number))
        return known is not None

    def index(self) -> int:
        """Make what was found since the last time searchable; how many posts that was."""
        total = 0
        while True:
            with transaction(self._db):
                done = self._db.execute("SELECT rowid FROM words ORDER BY rowid DESC LIMIT 1").fetchone()
                rows = self._db.execute(
                    "SELECT number, title, description FROM post WHERE number > ? ORDER BY number LIMIT ?",
                    (done[0] if done else 0, INDEXED_AT_ONCE),
                ).fetchall()
                self._db.executemany(
                    "INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)",
                    [(number, words_of(title), words_of(body)) for number, title, body in rows],
                )
            total += len(rows)
            if len(rows) < INDEXED_AT_ONCE:
                return total


def _in_category(category: str) -> str:
    return " AND (category = ? OR category LIKE ? ESCAPE '\\')" if category else ""


def _category_values(category: str) -> tuple[str, ...]:
    """A category holds what is below it: News holds News/Thai."""
    escaped = category.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return (category, f"{escaped}/%") if category else ()
