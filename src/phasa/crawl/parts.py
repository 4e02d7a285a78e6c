"""What a crawl is made of: the five nouns (DESIGN §1), as far as the loop knows them, and its clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from phasa.crawl.answer import Answer, Web
from phasa.crawl.clock import Clock
from phasa.crawl.judge import Judgement
from phasa.crawl.strategy import Strategy
from phasa.frontier.protocol import Ending, Frontier, Lease


class Archive(Protocol):
    """Keeps what came back."""

    def keep(self, answer: Answer, judgement: Judgement | None) -> str:
        """Write what came back, on disk before this returns; where it stands."""
        ...


class PageJudge(Protocol):
    """Is this page wanted?"""

    def judge(self, answer: Answer) -> Judgement:
        """The judgement of a page that came."""
        ...


@runtime_checkable
class QuickJudge(Protocol):
    """A judge that is quicker with several pages together."""

    def judge_many(self, answers: Sequence[Answer]) -> list[Judgement]:
        """The judgement of each page."""
        ...


class Log(Protocol):
    """Hears of every ended lease."""

    def write(self, lease: Lease, ending: Ending) -> None: ...


class Parts(NamedTuple):
    """The five nouns of a crawl, and its clock."""

    web: Web
    judge: PageJudge
    strategy: Strategy
    frontier: Frontier
    clock: Clock
    archive: Archive | None = None
    log: Log | None = None
