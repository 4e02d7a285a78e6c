"""What a feed document asks of pollers: ttl, sy:*, skipHours, skipDays, and the hub that pushes instead."""

from __future__ import annotations

import re

from phasa.feeds.moment import usual_moment
from phasa.feeds.post import Hints

_ITEM = re.compile(rb"<(?:\w+:)?(?:item|entry)[\s>]", re.IGNORECASE)
# Where no item begins within so many bytes, none is looked for.
_LONGEST_HEAD = 1_000_000
_TTL = re.compile(r"<ttl>\s*([\d.]{1,12})\s*</ttl>", re.IGNORECASE)
_PERIOD = re.compile(r"<\w{1,20}:updatePeriod>\s*([A-Za-z]{1,20})\s*</", re.IGNORECASE)
_FREQUENCY = re.compile(r"<\w{1,20}:updateFrequency>\s*([\d.]{1,12})\s*</", re.IGNORECASE)
_BASE = re.compile(r"<\w{1,20}:updateBase>\s*([\w:+.-]{4,40})\s*</", re.IGNORECASE)
_SKIP = re.compile(r"<skip(Hours|Days)\b[^>]*>(.{0,2000}?)</skip", re.IGNORECASE | re.DOTALL)
_ENTRY = re.compile(r"<(?:hour|day)>\s*(\w{1,12})\s*</", re.IGNORECASE)
_LINK = re.compile(r"<(?:\w+:)?link\b([^<>]{1,4000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\b(rel|href)\s*=\s*["']([^"'<>]{1,2048})["']""", re.IGNORECASE)

_HOURS = {"hourly": 1, "daily": 24, "dayly": 24, "weekly": 168, "monthly": 720, "yearly": 8760}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def hints_of(head: str) -> Hints:
    """The hints in the words around a feed's items. What makes no sense (`always`, zero) is no hint."""
    asked: list[float] = []
    period = base = None
    if found := _TTL.search(head):
        asked.append(_number(found.group(1)) * 60.0)
    if (found := _PERIOD.search(head)) and (hours := _HOURS.get(found.group(1).lower())):
        often = _FREQUENCY.search(head)
        period = hours * 3600.0 / ((_number(often.group(1)) if often else 1.0) or 1.0)
        begun = _BASE.search(head)
        base = usual_moment(begun.group(1)) if begun else None
        if base is None:
            asked.append(period)
    skipped: set[int] = set()
    days: set[int] = set()
    for kind, block in _SKIP.findall(head):
        for entry in _ENTRY.findall(block):
            if kind.lower() == "hours" and entry.isdecimal() and int(entry) <= 24:
                skipped.add(int(entry) % 24)
            elif kind.lower() == "days" and entry.lower() in _DAYS:
                days.add(_DAYS.index(entry.lower()))
    # Whoever forbids everything has made a mistake.
    return Hints(
        max((seconds for seconds in asked if seconds > 0), default=None),
        frozenset(skipped) if len(skipped) < 24 else frozenset(),
        frozenset(days) if len(days) < 7 else frozenset(),
        period,
        base,
    )


def related(head: str) -> tuple[str, str]:
    """(hub, self): the addresses that the feed's own links of these relations name, "" where there is none."""
    hub = itself = ""
    for attributes in _LINK.findall(head):
        told = {name.lower(): value for name, value in _ATTRIBUTE.findall(attributes)}
        relations = told.get("rel", "").lower().split()
        if "hub" in relations:
            hub = hub or told.get("href", "")
        elif "self" in relations:
            itself = itself or told.get("href", "")
    return hub.replace("&amp;", "&"), itself.replace("&amp;", "&")


def around_items(data: bytes) -> str:
    """What a document in UTF-8 says before its first and after its last item: the words about the feed itself."""
    first = _ITEM.search(data, 0, _LONGEST_HEAD)
    if first is None:
        return data[:20_000].decode("utf-8", "ignore")
    last = data.rfind(b"</item>" if b"item" in first.group() else b"</entry>")
    tail = data[last : last + 4000] if last > 0 else b""
    return (data[max(0, first.start() - 20_000) : first.start()] + tail).decode("utf-8", "ignore")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
