"""Dates as feeds write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime, parsedate_to_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.feeds.dates import parse_date, parse_usual_date

ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TIMES = st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1), timezones=ZONES).map(
    lambda t: t.replace(microsecond=0)
)


@given(TIMES)
def test_the_quick_form_agrees_with_the_library_on_rfc_822(at: datetime) -> None:
    written = format_datetime(at)
    assert parse_usual_date(written) == at.timestamp() == parsedate_to_datetime(written).timestamp()


@given(TIMES)
def test_iso_8601_is_read(at: datetime) -> None:
    assert parse_usual_date(at.isoformat()) == at.timestamp()
    assert parse_usual_date(at.astimezone(UTC).isoformat().replace("+00:00", "Z")) == at.timestamp()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Thu, 17 Mar 2011 10:25:49 EDT", "2011-03-17T14:25:49+00:00"),
        ("Thu,28 Jul 2022 4:35:5 GMT+9", "2022-07-27T19:35:05+00:00"),
        ("17 March 2011 10:25 +0700", "2011-03-17T03:25:00+00:00"),
        ("Thu, 17 Mar 2011 10:25:49 -0030", "2011-03-17T10:55:49+00:00"),
        ("2011-03-17 10:25:49", "2011-03-17T10:25:49+00:00"),
        ("2011-03-17", "2011-03-17T00:00:00+00:00"),
        ("Thu Mar 17 10:25:49 2011", "2011-03-17T10:25:49+00:00"),
        ("Thu, 17 Mar 2011 10:25:49", "2011-03-17T10:25:49+00:00"),
    ],
)
def test_forms_that_publishers_use(written: str, meant: str) -> None:
    assert parse_date(written) == datetime.fromisoformat(meant).timestamp()


@pytest.mark.parametrize("written", ["", "yesterday", "x" * 1000, "99 Foo 2011 10:25:49 GMT", None, 7, "12:61:00"])
def test_what_is_not_a_date_is_none(written: object) -> None:
    assert parse_date(written) is None


@given(st.text(max_size=90))
def test_nothing_raises(text: str) -> None:
    parse_date(text)
