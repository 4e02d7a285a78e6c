"""Untrusted bytes are read where a crash costs one page: real processes, real deaths."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from tests.sandbox import deeds

from phasa import sandbox
from phasa.errors import InputError, PhasaError, SettingsError
from phasa.sandbox import Bounds, ParserCrashedError
from phasa.sandbox.pool import Pool
from phasa.web.html import read_page
from phasa.web.url import Url

HERE = Url("http://a.example/")
SMALL = Bounds(seconds=0.5, megabytes=64)
ROOT = Path(__file__).parents[2]


def test_a_call_gives_what_the_function_gives() -> None:
    html = b"<html lang=th><title>t</title><p>before <a href=/x rel=next>here</a> after <a href=/y><img alt=z></a>"
    assert sandbox.run(read_page, html, HERE) == read_page(html, HERE)
    assert sandbox.run(deeds.who) != os.getpid()


def test_what_many_calls_have_in_common_goes_with_the_function() -> None:
    tags = frozenset(("a",))
    read = partial(read_page, hint="th", tags=tags)
    for page in (b"<a href=/x>1</a><img src=z>", b"<a href=/y>2</a>"):
        assert sandbox.run(read, page, HERE) == read_page(page, HERE, hint="th", tags=tags)
    with pytest.raises(ParserCrashedError, match="an answer that is none"):
        sandbox.run(partial(deeds.lie))


def test_what_is_refused_on_purpose_is_refused_in_the_same_words() -> None:
    with pytest.raises(SettingsError, match="setting 'x': is not y"):
        sandbox.run(deeds.refuse)


def test_a_page_that_ends_the_parser_costs_that_page_alone() -> None:
    with pytest.raises(ParserCrashedError, match="parser_crashed: SIGSEGV"):
        sandbox.run(read_page, deeds.CRASH, HERE)
    assert isinstance(ParserCrashedError(""), InputError), "whoever skips what is no page skips it"
    assert sandbox.run(read_page, b"<title>next</title>", HERE).title == "next"


def test_an_exception_that_nobody_planned_is_a_crash_with_its_place() -> None:
    with pytest.raises(ParserCrashedError, match=r"IndexError.*deeds\.py, line"):
        sandbox.run(deeds.err)


def test_an_answer_of_another_type_than_promised_is_not_believed() -> None:
    with pytest.raises(ParserCrashedError, match="an answer that is none"):
        sandbox.run(deeds.lie)


def test_half_a_surrogate_pair_does_not_stop_an_answer() -> None:
    assert sandbox.run(deeds.echo, "a\ud800b") == "a?b"


async def test_the_pool_survives_every_death_and_answers_everything_else() -> None:
    async with Pool(2, SMALL) as pool:
        for words, deed in deeds.DEEDS.items():
            calls = [pool.call(deeds.double, number) for number in range(20)]
            calls.insert(7, pool.call(deed))
            answers = await asyncio.gather(*calls, return_exceptions=True)
            crash = answers.pop(7)
            assert isinstance(crash, ParserCrashedError)
            assert words in str(crash)
            assert answers == [2 * number for number in range(20)]


async def test_a_worker_that_was_harmed_before_does_not_condemn_the_next_page() -> None:
    """What leaks leaves too little memory for a page that would do with it: it is read by a fresh worker."""
    async with Pool(1, SMALL) as pool:
        first = await pool.call(deeds.grow, 25)
        second = await pool.call(deeds.grow, 50)
        assert second != first
        with pytest.raises(ParserCrashedError, match="more than 64 MB"):
            await pool.call(deeds.grow, 100)


async def test_a_pool_whose_nursery_was_killed_starts_another() -> None:
    async with Pool(2, SMALL) as pool:
        worker = await pool.call(deeds.who)
        os.kill(_parent(worker), signal.SIGKILL)
        assert await asyncio.gather(*(pool.call(deeds.double, number) for number in range(9))) == list(range(0, 18, 2))
        assert await pool.call(deeds.who) != worker


async def test_a_busy_worker_ends_with_the_process_that_forked_it() -> None:
    """It does not look at its socket, and nobody is left who would bury it."""
    async with Pool(1, Bounds(600.0, 64)) as pool:
        worker = await pool.call(deeds.who)
        busy = asyncio.ensure_future(pool.call(deeds.hang))
        await asyncio.sleep(0.2)
        os.kill(_parent(worker), signal.SIGKILL)
        for _ in range(1000):
            if _is_gone(worker):
                break
            await asyncio.sleep(0.02)
        assert _is_gone(worker)
        busy.cancel()


def _is_gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


async def test_a_pool_that_cannot_live_says_so() -> None:
    async with Pool(1, SMALL) as pool:

        async def kill_it_again_and_again() -> None:
            for _ in range(20):
                with suppress(ProcessLookupError, FileNotFoundError):
                    os.kill(_parent(await pool.call(deeds.who)), signal.SIGKILL)

        with pytest.raises(PhasaError, match="processes that read pages"):
            await kill_it_again_and_again()


def test_after_an_event_loop_of_libuv_calls_are_still_answered() -> None:
    """libuv closes its own files in every copy of a process, by their numbers: `crawl`, then `links`, never ended."""
    program = (
        "import asyncio, uvloop\nheld = open('/dev/null'), open('/dev/null')\n"
        "from tests.sandbox import deeds\nfrom phasa import sandbox\n"
        "async def main():\n"
        "    await (await asyncio.create_subprocess_exec('true')).wait()\n"
        "uvloop.run(main())\n"
        "print(sandbox.run(deeds.double, 21))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert (done.stdout, done.stderr) == ("42\n", "")


async def test_a_worker_that_ends_without_an_answer_is_a_crash_whatever_it_says() -> None:
    with pytest.raises(ParserCrashedError, match="exit status 0"):
        sandbox.run(deeds.go)
    async with Pool(1, SMALL) as pool:
        with pytest.raises(ParserCrashedError, match="exit status 0"):
            await pool.call(deeds.go)


def test_nothing_is_left_when_its_owner_is_killed(tmp_path: Path) -> None:
    program = (
        "import asyncio\nfrom tests.sandbox import deeds\nfrom phasa.sandbox import Bounds\n"
        "from phasa.sandbox.pool import Pool\n"
        "async def main():\n"
        "    async with Pool(1, Bounds(600.0, 64)) as pool:\n"
        "        print(await pool.call(deeds.who), flush=True)\n"
        "        await pool.call(deeds.hang)\n"
        "asyncio.run(main())\n"
    )
    owner = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert owner.stdout is not None
    worker = int(owner.stdout.readline())
    nursery = _parent(worker)
    owner.kill()
    owner.wait()
    for _ in range(200):
        if not any(_lives(pid) for pid in (worker, nursery)):
            break
        time.sleep(0.05)
    assert not _lives(worker)
    assert not _lives(nursery)


def _parent(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("PPid"))


def _lives(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
