"""Every parser meets the same damaged inputs in each run; what once broke it stays mended. Hours: `make soak`."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.driver import run_worker
from tests.fuzz.minimise import shortened
from tests.fuzz.mutation import Mutator
from tests.fuzz.target import FINDS, Check
from tests.fuzz.targets import TARGETS
from tests.fuzz.worker import attempt, sign_of

KEPT = sorted(str(path.relative_to(FINDS)) for path in FINDS.rglob("*.bin"))


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_inputs_break_no_parser(name: str) -> None:
    outcome = run_worker(name, seed=1, count=TARGETS[name].tries, source="built-in", hang=60.0)
    assert outcome.finds == []
    assert outcome.inputs == TARGETS[name].tries


@pytest.mark.parametrize("find", KEPT)
def test_what_once_broke_a_parser_no_longer_does(find: str) -> None:
    outcome = run_worker(find.split("/")[0], source=str(FINDS / find), hang=30.0)
    assert [(found.kind, found.sign, found.what) for found in outcome.finds] == []


STRUCTURED = {
    "url": st.text(max_size=60).map(lambda text: f"http://{text}".encode("utf-8", "surrogatepass")),
    "date": st.datetimes().map(lambda moment: moment.isoformat().encode()),
    "host": st.from_regex(r"\A[\[\]a-z0-9.:@]{0,30}\Z").map(str.encode),
    "opml": st.integers(0, 300).map(
        lambda deep: b"<opml>" + b"<outline text='x'>" * deep + b"</outline>" * deep + b"</opml>"
    ),
    "segment-phasa": st.text("กขคงาำเแ่ๆ a\n", max_size=60).map(str.encode),
    "segment-lexto": st.text("กขคงาำเแ่ๆ a\n", max_size=60).map(str.encode),
    "normalise": st.text(max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass")),
    "arff": st.text("@atribue {},\n%'1.", max_size=80).map(str.encode),
    "trace": st.lists(st.tuples(st.text("ab", max_size=2), st.floats())).map(
        lambda posts: "".join(f"{feed}\t{when}\n" for feed, when in posts).encode()
    ),
    "settings": st.dictionaries(st.sampled_from(["connections", "tolerance"]), st.integers() | st.floats()).map(
        lambda table: "".join(f"{key} = {value}\n" for key, value in table.items()).encode()
    ),
}  # fmt: skip
_LOADED: dict[str, Check] = {}


@pytest.mark.parametrize("name", STRUCTURED)
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_laws_hold_for_inputs_that_are_nearly_right(name: str, data: st.DataObject) -> None:
    check = _LOADED.get(name) or _LOADED.setdefault(name, TARGETS[name].load())
    problem = attempt(check, data.draw(STRUCTURED[name] | st.binary(max_size=60)))
    assert problem is None, sign_of(problem)


# ── the tools themselves ─────────────────────────────────────────────────────────────────────────────


def test_the_same_seed_makes_the_same_inputs() -> None:
    one, other = (Mutator([b"hello world"], [b"x"], 500, 7) for _ in range(2))
    assert [one.next() for _ in range(300)] == [other.next() for _ in range(300)]


def test_a_crash_a_hang_and_an_exception_are_told_apart_with_their_input(tmp_path: Path) -> None:
    for kind in ("crash", "hang", "exception", "memory"):
        (tmp_path / kind).write_bytes(kind.encode())
        (find,) = run_worker("faulty", source=str(tmp_path / kind), hang=0.3).finds
        assert find.data == kind.encode()
        assert find.kind == ("exception" if kind == "memory" else kind)


def test_a_find_is_made_small() -> None:
    assert shortened(b"x" * 500 + b"BOOM" + b"y" * 300, lambda data: b"BOOM" in data, 1e12) == b"BOOM"
