"""Numbers and days as each language writes them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from playwright.sync_api import Browser

from phasa.service.catalogue import words
from phasa.service.figures import Figures, jalali

EN, TH, FA = (Figures(words(code)) for code in ("en", "th", "fa"))


def test_numbers_as_people_say_them() -> None:
    said = [
        EN.number(1234),
        EN.number(None),
        EN.percent(0.123),
        EN.size(0),
        EN.size(999),
        EN.size(1500),
        EN.size(2.5e9),
    ]
    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in said] == [
        *("1,234", "–", "12.3 %", "0 B", "999 B", "1.5 kB", "2.5 GB"),
    ]
    assert 'datetime="1970-01-01T00:00:10Z"' in EN.when(10)
    assert EN.when(None) == EN.when(1e30) == EN.stamp("x") == EN.capture("1") == "–"


def test_persian_has_its_own_digits_and_separators() -> None:
    assert [FA.number(1234.5, 1), FA.percent(0.5, 0), FA.size(1500), FA.hours(72.0)] == [
        *("۱٬۲۳۴٫۵", "۵۰٪", "۱٫۵ کیلوبایت", "۳٫۰ روز"),
    ]


def test_thai_counts_years_of_the_buddhist_era() -> None:
    assert TH.day("2026-11-17") == "2569-11-17"
    assert TH.day("2026-11") == "2569-11"
    assert EN.day("2026-11-17") == "2026-11-17"
    assert TH.day("not a day") == "not a day"


def test_known_days_of_the_iranian_calendar() -> None:
    assert jalali(date(2026, 3, 21)) == (1405, 1, 1)
    assert jalali(date(2025, 3, 20)) == (1403, 12, 30)  # a leap year
    assert jalali(date(1979, 2, 11)) == (1357, 11, 22)
    assert FA.day("2026-11-17") == "۱۴۰۵/۰۸/۲۶"


@pytest.mark.browser
def test_the_iranian_calendar_is_that_of_the_browser(browser: Browser) -> None:
    days = [date(1999, 1, 1) + timedelta(days=37 * step) for step in range(500)]
    script = """days => days.map(day => new Intl.DateTimeFormat("en-u-ca-persian-nu-latn",
      {year: "numeric", month: "numeric", day: "numeric", timeZone: "UTC"}).formatToParts(new Date(day))
      .filter(part => part.type !== "literal" && part.type !== "era")
      .reduce((all, part) => Object.assign(all, {[part.type]: Number(part.value)}), {}))"""
    page = browser.new_page()
    found = page.evaluate(script, [day.isoformat() for day in days])
    page.close()
    assert [(one["year"], one["month"], one["day"]) for one in found] == [jalali(day) for day in days]
