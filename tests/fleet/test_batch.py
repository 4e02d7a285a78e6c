"""Batch work on a real Ray cluster of this machine: the same bytes as without, whatever dies in between."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.cli.test_crawl import phasa
from tests.corpus.pages import bytes_of, options, page, thai, write_warc

from phasa.corpus import sources
from phasa.corpus.build import build
from phasa.errors import InputError
from phasa.extras import ExtraError
from phasa.fleet import batch
from phasa.fleet.batch import Cluster, ClusterError, cluster


@pytest.fixture(scope="module")
def ray() -> Iterator[Cluster]:
    """One cluster for all, with two cores; tasks find the tests."""
    root = str(Path(__file__).parents[2])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]))
        patch.delenv("RAY_ADDRESS", raising=False)
        with cluster(2) as running:
            yield running


def square(number: int) -> int:
    return number * number


def refuse(number: int) -> int:
    if number == 3:
        raise InputError(f"{number}: is no number for me")
    return number


def die_once(folder: Path, number: int) -> int:
    """Killed in the first attempt, in the middle of its work."""
    mark = folder / f"{number}.begun"
    if not mark.exists():
        mark.write_bytes(b"")
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_every_item_is_done_once_and_order_is_kept_where_it_is_asked_for(ray: Cluster) -> None:
    assert dict(ray.each(square, range(20))) == {number: number * number for number in range(20)}
    assert list(ray.in_order(square, range(20))) == [number * number for number in range(20)]
    assert list(ray.each(square, [])) == []


def test_what_a_task_raises_is_raised_here_as_it_was(ray: Cluster) -> None:
    with pytest.raises(InputError, match=r"^3: is no number for me$"):
        list(ray.each(refuse, range(6)))


def test_a_task_that_was_killed_is_done_again(ray: Cluster, tmp_path: Path) -> None:
    assert sorted(number for number, _ in ray.each(partial(die_once, tmp_path), range(2))) == [0, 1]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_task_that_always_dies_ends_it_in_one_line(ray: Cluster) -> None:
    with pytest.raises(ClusterError, match=r"^a task died 4 times, perhaps for want of memory .*same command again$"):
        list(ray.each(die, [1]))


def test_a_machine_with_another_phasa_is_refused(ray: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "__version__", "0.0.1")
    with pytest.raises(ClusterError, match=r"a machine of the cluster has phasa .*, this one 0\.0\.1; make them"):
        list(ray.each(square, [1]))


@pytest.fixture
def warc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive of several units."""
    monkeypatch.setattr(sources, "RANGE", 3000)
    pages = [(f"http://{n % 3}.example/{n}", page(f"เรื่อง {n}", thai(n % 9), thai(n + 1000))) for n in range(16)]
    return write_warc(tmp_path / "pages.warc.gz", pages)


def test_a_corpus_of_a_cluster_has_the_same_bytes(ray: Cluster, warc: Path, tmp_path: Path) -> None:
    alone = build([str(warc)], tmp_path / "alone", options(), workers=1)
    assert alone.summary.units > 3
    together = build([str(warc)], tmp_path / "together", options(), run=ray.each)
    assert together.summary == alone.summary
    assert bytes_of(tmp_path / "together") == bytes_of(tmp_path / "alone")


def test_a_unit_that_was_done_before_its_task_was_lost_is_taken_as_it_is(warc: Path, tmp_path: Path) -> None:
    """What Ray does to a task whose machine went away after the rename: it is done a second time."""

    def twice(job, items, workers):  # type: ignore[no-untyped-def]
        for item in items:
            job(item)
            job(item)
            yield item, None

    build([str(warc)], tmp_path / "once", options(), workers=1)
    build([str(warc)], tmp_path / "twice", options(), run=twice)
    assert bytes_of(tmp_path / "twice") == bytes_of(tmp_path / "once")


def test_the_commands_say_the_same_with_and_without_a_cluster(
    ray: Cluster, warc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["lab", "run", "--world", "1-2:3000", "--strategies", "lswc,bfs", "--pages", "100", "--json"]
    code, alone, _ = phasa(capsys, *words)
    assert (code, alone) == (0, phasa(capsys, *words, "--cluster")[1])
    for name, more in (("a", ["--workers", "1"]), ("b", ["--cluster"])):
        code, _, err = phasa(capsys, "corpus", warc, "-o", tmp_path / name, "--lang", "th", *more)
        assert code == 0, err
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")


def test_without_ray_and_without_a_cluster_it_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ray.is_initialized", lambda: False)
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")
    words = ["lab", "run", "--world", "1:3000", "--strategies", "bfs", "--cluster"]
    code, _, err = phasa(capsys, *words)
    assert code == 1
    assert err == "phasa: no Ray cluster at 127.0.0.1:9 (RAY_ADDRESS): [Errno 111] Connection refused\n"
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "ray", None)
        with pytest.raises(ExtraError, match=r"^--cluster needs ray: pip install 'phasa\[cluster\]'$"), cluster():
            pass
