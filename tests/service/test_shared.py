"""Read once for all who ask at the same time."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from phasa.collection import Collection
from phasa.crawl.run.status import Status, read_status
from phasa.service.crawl import _events
from phasa.service.section import Nothing
from phasa.service.service import Service
from phasa.service.shared import Shared


def test_many_who_ask_at_once_are_given_one_reading() -> None:
    readings: list[int] = []
    begun, may_end = threading.Event(), threading.Event()

    def read() -> int:
        readings.append(1)
        begun.set()
        may_end.wait(10)
        return len(readings)

    shared, found = Shared(read, 60.0), list[int]()
    threads = [threading.Thread(target=lambda: found.append(shared.get())) for _ in range(20)]
    for thread in threads:
        thread.start()
    begun.wait(10)
    may_end.set()
    for thread in threads:
        thread.join()
    assert found == [1] * 20


def test_what_is_old_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter(range(9))
    shared = Shared(lambda: next(numbers), 60.0)
    assert [shared.get(), shared.get()] == [0, 0]
    later = time.monotonic() + 61
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert [shared.get(), shared.get()] == [1, 1]


def test_a_reading_that_failed_is_not_kept() -> None:
    answers = iter([None, 5])

    def read() -> int:
        answer = next(answers)
        if answer is None:
            raise ValueError("not now")
        return answer

    shared = Shared(read, 60.0)
    with pytest.raises(ValueError, match="not now"):
        shared.get()
    assert shared.get() == 5


def test_all_who_follow_a_crawl_are_given_one_reading_of_its_numbers(
    empty: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings: list[Collection] = []

    def read(collection: Collection) -> Status:
        readings.append(collection)
        return read_status(collection)

    monkeypatch.setattr("phasa.service.service.read_status", read)
    monkeypatch.setattr("phasa.service.service.LOOK_EVERY", 60.0)
    service = Service(empty)

    async def follow(number: int) -> set[str]:
        streams = [_events(service, Nothing()) for _ in range(number)]
        return {(await anext(stream)).name for stream in streams}

    assert asyncio.run(follow(20)) == {"now"}
    assert readings == [empty]
