"""Links that repeat what is known need not be offered: that would change nothing."""

from __future__ import annotations

from contextlib import closing
from itertools import zip_longest
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Ending, Offer, Rediscovery, State
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import SqliteFrontier
from phasa.web.url import Url

A, B, NEW = (Url(f"http://{name}.example/") for name in ("a", "b", "new"))
PAGES = [Url(f"http://h{number % 3}.example/{number}") for number in range(9)]
FOUND = st.lists(st.tuples(st.sampled_from(PAGES), st.sampled_from([0.0, 0.5, 1.0])), max_size=5)
STEP = st.tuples(st.booleans(), FOUND)
"""Whether the pages before this one are committed first; what the page links to."""


@given(steps=st.lists(STEP, max_size=8), rule=st.sampled_from(Rediscovery))
@settings(max_examples=60, deadline=None)
def test_what_repeats_need_not_be_offered(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[bool, list[tuple[Url, float]]]], rule: Rediscovery
) -> None:
    def crawled(*, sparing: bool) -> list[tuple[str, float]]:
        rules = Rules(rediscovery=rule, manners=Politeness(delay=0.0, address_delay=0.0))
        with closing(SqliteFrontier(tmp_path_factory.mktemp("f") / "f.db", rules)) as frontier:
            frontier.offer([Offer(page, 0.5) for page in PAGES[:6]])
            leases = frontier.lease(0.0, 3)
            for number, (commits, found) in enumerate(steps):
                if commits:
                    frontier.commit()
                    leases += frontier.lease(float(number), 3)
                if leases:
                    repeats = frontier.repeats(*map(list, zip(*found, strict=True))) if sparing and found else []
                    kept = [link for link, gone in zip_longest(found, repeats) if not gone]
                    ending = Ending(State.DONE, "200", float(number), 0.0)
                    frontier.finish(leases.pop(0), ending, [Offer(*link) for link in kept])
            frontier.commit()
            return [(waiting.url, waiting.priority) for waiting in frontier.queue()]

    assert crawled(sparing=True) == crawled(sparing=False)


def test_what_is_known_to_be_no_better_repeats(tmp_path: Path) -> None:
    said = {}
    for rule in Rediscovery:
        with closing(SqliteFrontier(tmp_path / f"{rule.value}.db", Rules(rediscovery=rule))) as frontier:
            frontier.offer([Offer(A, 0.5), Offer(B, 0.9)])
            frontier.lease(0.0)
            said[rule] = frontier.repeats([A, A, A, B, NEW], [0.4, 0.5, 0.6, 1.0, 1.0])
    assert said == {
        Rediscovery.FIRST: [True, True, True, True, False],
        Rediscovery.HIGHER: [True, True, False, True, False],
        Rediscovery.LATEST: [False, False, False, True, False],
    }
