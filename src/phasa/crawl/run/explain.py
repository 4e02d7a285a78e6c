"""The story of one URL, told so that a person understands what happened to it."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from phasa.collection import Collection
from phasa.crawl.page_weights import PageWeights
from phasa.crawl.run.assembly import seen_by_models, unseen_file
from phasa.crawl.run.control import read_orders
from phasa.crawl.run.priority import made_of
from phasa.crawl.run.segment_table import segment_row
from phasa.errors import InputError
from phasa.frontier.origins import host_of
from phasa.frontier.protocol import REQUISITE, State, Story
from phasa.frontier.reader import NO_RULES, FrontierReader
from phasa.frontier.scope import SEEN, Scope
from phasa.frontier.traps import Traps
from phasa.frontiers import read_frontier
from phasa.web.url import Url, parse

MOST_SOURCES = 50
MOST_CAPTURES = 20


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """A story. `found_on` leads back to a seed, the nearest page first."""

    url: str
    state: str
    why: str
    found_on: tuple[str, ...] = ()
    links_from_seed: int | None = None
    priority: float | None = None
    made_of: tuple[str, ...] = ()
    """What made the priority, as the strategy says; for who asks for it."""
    attempts: int = 0
    fetched: str = ""
    status: int | None = None
    media_type: str = ""
    bytes: int | None = None
    language: str = ""
    wanted: bool | None = None
    score: float | None = None
    record: str = ""
    host: str = ""
    delay: str = ""
    """Seconds between two requests to its host, as the settings and orders say."""
    captures: tuple[str, ...] = ()
    """Its visits, the last ones last: when, what came, whether it had changed, and where it stands in the archive."""
    next_visit: str = ""
    """When it is due to be visited again, and how often it seems to change."""
    segment: str = ""
    """The directory that the address is in: its state, relevance degree, pages, what waits."""


def explain(
    collection: Collection, spelling: str, frontier: FrontierReader | None = None, *, thorough: bool = False
) -> Explanation:
    """The story of a URL in a collection. `frontier`: a reader that is open already. `thorough`: with what made its
    priority, which takes a moment. Raises InputError when it is no http(s) address."""
    url = parse(spelling)
    if url is None:
        near = parse(f"http://{spelling}") if "://" not in spelling and "." in spelling else None
        raise InputError(f"{spelling}: not an http or https address" + (f"; did you mean {near}?" if near else ""))
    if frontier is None:
        with read_frontier(collection) as opened:
            return explain(collection, url, opened, thorough=thorough)
    story = frontier.story(url)
    if story is None:
        return Explanation(url=url, state="unknown", why=_why_unknown(collection, url))
    around = segment_row(collection, url, frontier)
    way = tuple(frontier.way_back(url, MOST_SOURCES))
    told = _explanation(story, way, around.summary if around is not None else "")
    told = msgspec.structs.replace(
        told, delay=_delay(collection, story.host), **_over_time(collection, frontier, story)
    )
    if not thorough or story.note.startswith(REQUISITE):
        return told
    return msgspec.structs.replace(told, made_of=made_of(collection, frontier, story))


def _over_time(collection: Collection, frontier: FrontierReader, story: Story) -> dict[str, object]:
    """The captures of a page that is visited again, when it is due, and how much it is wanted."""
    found = frontier.captures(story.url, MOST_CAPTURES)
    if found is None:
        return {}
    lines = [
        f"{_time(one.at)} {one.status or 'no answer'}{_said(one.change)}{f'  {one.record}' if one.record else ''}"
        for one in found.captures
    ]
    often = f"{found.seen.changes:.1f} changes in {found.seen.seconds / 86400:.1f} days watched"
    due = f"none; {often}"
    if found.due is not None:
        due = f"{_time(found.due)}, or when the budget allows; {often}{_counts(collection, story)}"
    return {"captures": tuple(lines), "next_visit": due}


def _counts(collection: Collection, story: Story) -> str:
    """How much a visit of a page counts, and what makes it so; '' where it counts as any other."""
    weight = PageWeights(collection.settings.fresh).of(
        story.url, story.visit.judged if story.visit is not None else None
    )
    reasons = [f"set for {weight.name}"] if weight.name else []
    reasons += [f"score {weight.score:.2g}"] if weight.score != 1.0 else []
    return f"; counts {weight.times:.2g} times ({', '.join(reasons)})" if reasons else ""


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _said(change: float | None) -> str:
    if change is None:
        return ""
    return f", {change:.0%} of its text changed" if change else ", unchanged"


def _delay(collection: Collection, queue: str) -> str:
    seconds, name = read_orders(collection).manners(collection.settings).delay_of(host_of(queue))
    return f"{seconds:g} s, or what its robots.txt asks for" + (f" (set for {name})" if name else "")


def _why_unknown(collection: Collection, url: Url) -> str:
    settings = collection.settings
    if reason := Scope(settings.scope).refuses(url):
        return f"never found; it would be out of scope: {reason}"
    if evidence := Traps(settings.traps).suspects(url):
        return f"never found; it would be quarantined: {evidence}"
    model = unseen_file(collection)
    if model is not None and model.is_file() and (seen := seen_by_models(collection)) is not None and seen(url):
        return f"never offered: {model.parent.name}/{model.name} was learned from it ({SEEN})"
    return "no page that was fetched so far links to it, and it is not among the seeds"


def _explanation(story: Story, found_on: tuple[str, ...], segment: str) -> Explanation:
    visit = story.visit
    return Explanation(
        url=story.url,
        state=story.state.name.lower(),
        why=_why(story),
        found_on=found_on or ("the seeds",),
        links_from_seed=story.depth,
        priority=story.priority,
        attempts=story.attempts,
        fetched=datetime.fromtimestamp(visit.at, UTC).isoformat(timespec="seconds") if visit is not None else "",
        status=visit.status or None if visit is not None else None,
        media_type=visit.mime if visit is not None else "",
        bytes=visit.size if visit is not None else None,
        language=visit.language if visit is not None else "",
        wanted=visit.wanted if visit is not None else None,
        score=visit.score if visit is not None and visit.wanted is not None else None,
        record=visit.record if visit is not None else "",
        host=f"{story.host}: {story.host_note}" if story.host_note else story.host,
        segment=segment,
    )


def _why(story: Story) -> str:
    if story.note.startswith(REQUISITE):
        needed = f"needed to see {story.source}, never judged"
        return f"{needed}; {_why(msgspec.structs.replace(story, note=b''))}"
    if story.state is State.WAITING:
        tried = f"tried {story.attempts} times, last: {story.reason}; " if story.attempts else ""
        if story.host_note.startswith(NO_RULES):
            hour = datetime.fromtimestamp(story.host_until, UTC).isoformat(timespec="seconds")
            return (
                f"{tried}waits until the rules of its origin can be had ({story.host_note}; asked again from {hour} on)"
            )
        if story.visit is not None and not story.attempts:
            when = datetime.fromtimestamp(story.visit.at, UTC).isoformat(timespec="seconds")
            return f"fetched on {when}; waits to be visited again"
        return f"{tried}waits for its turn"
    if story.state is State.DONE:
        return f"fetched: {story.reason}"
    return story.reason or story.state.name.lower()
