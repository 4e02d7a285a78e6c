"""What there is only so much of, whatever servers do: memory for bodies under way, open files for connections."""

from __future__ import annotations

import asyncio
import ctypes
import resource
from collections import deque
from contextlib import suppress

FREE = 64 * 1024
"""Bytes that every body may have without asking."""
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # M_MMAP_THRESHOLD and M_ARENA_MAX of malloc.h
_OTHER_FILES = 96  # archive, frontier, logs, processes that read pages
_ENOUGH_FILES = 16 * 1024


class Room:
    """Memory that all bodies under way share. A quarter is kept for small bodies: those of a thirty-second of it. When
    it is full, one body at a time goes on, so that it always empties; the others wait, first come, first served, small
    ones before large ones: many large bodies take each other's room and nobody else's."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.used = 0
        self._small = most // 32
        self._for_large = most - most // 4
        self._privileged = 0  # the `id` of a share, not the share: it must be free to go
        self._waiting: tuple[_Queue, _Queue] = (deque(), deque())

    @property
    def full(self) -> bool:
        """Whether a body that wants more may have to wait."""
        return any(self._waiting) or self.used + 8 * FREE > self._for_large

    async def take(self, share: Share, size: int) -> bool:
        """Give a body so many bytes more; whether it had to wait."""
        queue = self._waiting[self._is_large(share, size)]
        if (id(share) == self._privileged or not queue) and self._fits(share, size):
            return False
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (turn, share, size)
        queue.append(entry)
        try:
            await turn
        except asyncio.CancelledError:
            if entry in queue:
                queue.remove(entry)
            raise
        return True

    def give_back(self, share: Share) -> None:
        """A body is gone."""
        self.used -= share.size
        share.size = 0
        if self._privileged == id(share):
            self._privileged = 0
        for queue in self._waiting:
            while queue and self._fits(*queue[0][1:]):
                turn = queue.popleft()[0]
                with suppress(RuntimeError):  # its loop has ended
                    if not turn.done():
                        turn.set_result(None)

    def _is_large(self, share: Share, size: int) -> bool:
        return share.size + size > self._small

    def _fits(self, share: Share, size: int) -> bool:
        most = self._for_large if self._is_large(share, size) else self.most
        if self._privileged == id(share) or self.used + size <= most:
            pass
        elif not self._privileged:
            self._privileged = id(share)
        else:
            return False
        share.size += size
        self.used += size
        return True


class Share:
    """What one body has of the room; given back when nothing refers to it any more."""

    __slots__ = ("_room", "size")

    def __init__(self, room: Room) -> None:
        self._room = room
        self.size = 0

    async def grow(self, size: int) -> bool:
        """Have so many bytes more; whether that took a wait."""
        return await self._room.take(self, size)

    def __del__(self) -> None:
        if self.size:
            self._room.give_back(self)


class Idle:
    """Connections that wait for another request: when there are more than `most`, the oldest is closed."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._open: dict[asyncio.BaseTransport, None] = {}

    def add(self, transport: asyncio.BaseTransport) -> None:
        """A request on this connection has ended well."""
        self._open[transport] = None
        while len(self._open) > self.most:
            oldest = next(iter(self._open))
            del self._open[oldest]
            oldest.close()

    def remove(self, transport: asyncio.BaseTransport) -> None:
        """It is used again, or closed."""
        self._open.pop(transport, None)

    def __len__(self) -> int:
        return len(self._open)


_Queue = deque[tuple[asyncio.Future[None], Share, int]]


def file_room() -> int:
    """How many files may be open for connections: the limit of this process, raised as far as the system lets it."""
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    hard = _ENOUGH_FILES if most == resource.RLIM_INFINITY else most
    if soft != resource.RLIM_INFINITY and soft < min(hard, _ENOUGH_FILES):
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, _ENOUGH_FILES), most))
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = _ENOUGH_FILES if soft == resource.RLIM_INFINITY else soft
    return max(files - _OTHER_FILES, 8)


def give_memory_back() -> None:
    """Let memory of large blocks go back to the system as soon as they are free: the C library would keep some of it
    from the first large body on, in pieces that later ones do not fit into."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, 4 * FREE)


def share_memory() -> None:
    """Let the threads of this process take memory from two stocks: the C library would give almost each its own, and
    what one has freed is of no use to the others then. For the begin of a program with many threads."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 2)
