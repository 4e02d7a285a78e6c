"""Dates as feeds write them, to Unix time: the two usual forms by pattern, what else is seen by patient readers."""

from __future__ import annotations

import calendar
import re
from datetime import UTC, date, datetime
from email.utils import mktime_tz, parsedate_tz

# Longer than any date; what is longer is not read.
_LONGEST = 80
_RFC822 = re.compile(
    r"(?:[A-Za-z]{3,9},?\s*)?(\d{1,2})[\s-]([A-Za-z]{3})[a-z]*[\s-](\d{4})\s+(\d\d?):(\d\d?)(?::(\d\d?))?"
    r"\s*(?:(?:GMT|UTC)?([+-]\d\d?)(?::?(\d\d))?|([A-Z]{1,3}))",
    re.ASCII,
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d|\d\d[-/ ][A-Za-z]{3}|[A-Za-z]{3}[-/ ]\d\d")
_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_abbr) if number}
_HOURS_OFF = {
    "GMT": 0, "UTC": 0, "UT": 0, "Z": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8,
    "PDT": -7,
}  # fmt: skip
_EPOCH = date(1970, 1, 1).toordinal()
_FIRST, _LAST = ((edge.toordinal() - _EPOCH) * 86400.0 for edge in (date(1, 1, 3), date(9999, 12, 30)))


def parse_date(text: object) -> float | None:
    """Unix time of a date in a feed: ISO 8601, RFC 822 or another form that publishers use; None when unreadable."""
    if not isinstance(text, str):
        return None
    usual = parse_usual_date(text)
    return usual if usual is not None else parse_odd_date(text)


def _in_calendar(moment: float) -> float | None:
    """The moment, or None where no calendar of Python's, in whatever zone, has a day for it."""
    return moment if _FIRST < moment < _LAST else None


def parse_usual_date(text: str) -> float | None:
    """The same for RFC 822 with a zone and ISO 8601 only, in a microsecond or two."""
    if not text or len(text) > _LONGEST:
        return None
    if found := _RFC822.fullmatch(text):
        return _civil(*found.groups())
    try:
        at = datetime.fromisoformat(text)
        return _in_calendar((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return None


def parse_odd_date(text: str) -> float | None:
    """The same for what is left: RFC 822 with parts missing, and the many forms that feedparser knows. Slow."""
    # Without a year, readers of dates put today's in its place.
    if len(text) > _LONGEST or not _YEAR.search(text):
        return None
    at = _rfc822(text)
    if at is not None:
        return at
    from feedparser.datetimes import _parse_date

    try:
        fields = _parse_date(text.strip())
        return _in_calendar(float(calendar.timegm(fields))) if fields else None
    except Exception:  # noqa: BLE001 -- a date that its many readers stumble over is not a date
        return None


def _rfc822(text: str) -> float | None:
    """Unix time of an RFC 822 date as feeds write it, with a named zone or an offset; None when it is not one."""
    fields = parsedate_tz(text)
    if fields is None:
        return None
    try:
        return _in_calendar(float(mktime_tz(fields)))
    except (ValueError, OverflowError):
        return None


def _civil(
    day: str, month: str, year: str, hour: str, minute: str, second: str | None,
    hours_off: str | None, minutes_off: str | None, zone: str | None,
) -> float | None:  # fmt: skip
    try:
        days = date(int(year), _MONTHS[month.lower()], int(day)).toordinal() - _EPOCH
        offset = _HOURS_OFF[zone] * 60 if zone else int(hours_off or 0) * 60
    except (ValueError, KeyError):
        return None
    if minutes_off:
        offset += int(minutes_off) if offset >= 0 and hours_off != "-00" else -int(minutes_off)
    h, m, sec = int(hour), int(minute), int(second or 0)
    if h > 23 or m > 59 or sec > 60:
        return None
    return _in_calendar(float(days * 86400 + h * 3600 + (m - offset) * 60 + sec))
