"""Requisites in the crawl: what a wanted page needs to be seen is fetched in its own turn, kept, and never judged.

They wait in the one frontier with the priority of the page that needs them, under the same guard, manners and robots;
their notes say what they are (`frontier.protocol.REQUISITE`), so that a crawl that was killed still knows.
"""

from __future__ import annotations

from phasa.archive_settings import ArchiveSettings
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.judge import Judgement
from phasa.frontier.protocol import REQUISITE, Frontier, Lease, Offer

SPENT = "requisite: the budget of requisites is spent"


class Requisites:
    """The requisites of one process: one of so many `workers`, with its share of the budget."""

    DEEPEST = 5
    """Documents between a page and a requisite: a style sheet may import another, a frame may have styles."""
    FIRST = 1e12
    """The priority of those that are still fetched when no page may be any more."""

    def __init__(self, settings: ArchiveSettings, frontier: Frontier, workers: int = 1) -> None:
        self._settings = settings
        self._left = float("inf")
        if settings.requisite_requests:
            self._left = (settings.requisite_requests - frontier.stats().requisites) / workers

    def offers(self, lease: Lease, answer: Answer, judgement: Judgement | None) -> list[Offer]:
        """What an answer asks for: that of a wanted page, or of a requisite of one."""
        level = lease.note[len(REQUISITE)] if lease.is_requisite else 0
        if not lease.is_requisite and (judgement is None or not judgement.wanted):
            return []
        if level >= self.DEEPEST:
            return []
        most = self._settings.requisites_per_page or len(answer.needs)
        note = REQUISITE + bytes((level + 1,))
        return [Offer(url, lease.priority, lease.depth + 1, lease.url, note) for url in answer.needs[:most]]

    def refuse(self, lease: Lease) -> Answer | None:
        """The answer to a lease that the budget does not pay for; None when it may be asked for, which is counted."""
        if not lease.is_requisite:
            return None
        if self._left < 1:
            return Answer(Kind.REFUSED, SPENT)
        self._left -= 1
        return None

    def hurry(self, frontier: Frontier) -> None:
        """Let the requisites that wait come before everything else."""
        frontier.commit()
        waiting = [one.url for one in frontier.queue() if one.note.startswith(REQUISITE)]
        frontier.reprioritise([(url, self.FIRST) for url in waiting])
        frontier.commit()
