"""What made the priority of a URL: its strategy scores it again, with what was learned, from the page it stood on."""

from __future__ import annotations

import math
from pathlib import Path

from phasa import sandbox
from phasa.archive.reader import get
from phasa.collection import Collection
from phasa.crawl.answer import OutLinks
from phasa.crawl.judge import Judgement
from phasa.crawl.live import out_links
from phasa.crawl.run.assembly import strategy_of
from phasa.crawl.run.upkeep import StrategyState
from phasa.crawl.strategy import Explaining, JudgedPage, Seed
from phasa.errors import PhasaError
from phasa.frontier.protocol import Story
from phasa.frontier.reader import FrontierReader
from phasa.web.body import read_body
from phasa.web.html import unpack
from phasa.web.limits import Limits
from phasa.web.url import Url

_LIMITS = Limits()


def made_of(collection: Collection, frontier: FrontierReader, story: Story) -> tuple[str, ...]:
    """What made the priority of a URL, in words, the most telling first."""
    strategy = strategy_of(collection, collection.profile)
    source = frontier.story(Url(story.source)) if story.source else None
    found = _found(source) if source is not None else "it is a seed" if not story.source else ""
    if not isinstance(strategy, Explaining):
        return (f"strategy {strategy.name}: {found}",) if found else ()
    StrategyState(collection.models_folder, strategy, 0).load()
    if source is None:
        strategy.start([Seed(story.url)])
    else:
        visit = source.visit
        judgement = Judgement(bool(visit and visit.wanted), visit.score if visit is not None else 0.0)
        strategy.page(JudgedPage(source.url, judgement, _links(collection.archive_folder, source.url, story.url)))
    reasons = strategy.explain(story.url)
    odds = sum(reason.worth for reason in reasons)
    likely = 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))
    return (
        f"strategy {strategy.name}; {found}",
        f"scored now, from that page alone: {odds:+.2f} log odds, a likelihood of {likely:.1%}",
        *(f"{reason.worth:+.2f}  {reason.what}" for reason in reasons),
    )


def _found(source: Story) -> str:
    """What is known of the page that a link stood on."""
    visit = source.visit
    if visit is None or visit.wanted is None:
        return f"{source.url} leads to it" + (f" ({visit.status})" if visit is not None and visit.status else "")
    return f"found on a page that is {'' if visit.wanted else 'not '}wanted (score {visit.score:.2f})"


def _links(archive: Path, page: Url, link: Url) -> OutLinks:
    """The links of a page as they stood there, with their words, if the archive still has it; else the link alone."""
    try:
        stored = get(archive, page) if archive.is_dir() else None
        if stored is not None:
            coding = next((value for name, value in stored.headers if name.lower() == "content-encoding"), "")
            body = sandbox.run(read_body, stored.body, coding, page, stored.content_type, None, _LIMITS, True)
            links = out_links(unpack(body.page)) if body.page is not None else OutLinks([])
            if link in links.urls:
                return links
    except PhasaError:
        pass  # a damaged archive is told elsewhere
    return OutLinks([link])
