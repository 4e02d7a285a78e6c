"""Numbers, sizes, times and days as the reader's language writes them: digits, separators, units and calendar."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime

from markupsafe import Markup, escape

from phasa.service.catalogue import Words

NONE = "–"
BUDDHIST = 543
_DAYS_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


@dataclass(frozen=True)
class Figures:
    """Filters of the templates in one language."""

    words: Words

    def number(self, value: float | None, digits: int = 0) -> str:
        """1,234 or 0.42; a dash for what is not known."""
        return NONE if value is None else self.words.digits(f"{value:,.{digits}f}")

    def percent(self, value: float | None, digits: int = 1) -> str:
        """A share of one as per cent."""
        if value is None:
            return NONE
        sign = "٪" if self.words.code == "fa" else "\N{NO-BREAK SPACE}%" if self.words.code == "en" else "%"
        return self.words.digits(f"{value * 100:.{digits}f}") + sign

    def size(self, value: float | None) -> str:
        """Bytes as a person says them."""
        if value is None:
            return NONE
        for unit in ("B", "kB", "MB", "GB", "TB"):
            if abs(value) < 1000 or unit == "TB":
                text = f"{value:,.0f}" if unit == "B" or abs(value) >= 100 else f"{value:.1f}"
                return str(self.words(f"common.{unit}", n=self.words.digits(text)))
            value /= 1000
        return NONE

    def hours(self, value: float | None) -> str:
        """Hours as a person says them."""
        if value is None:
            return NONE
        if value >= 48.0:
            return self._of("common.days", f"{value / 24.0:.1f}")
        if value >= 1.0:
            return self._of("common.hours_short", f"{value:.1f}")
        return self._of("common.minutes_short", f"{value * 60.0:.0f}")

    def short(self, value: float) -> str:
        """A large number in few letters, for an axis."""
        for size, unit in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"), (1e3, "thousand")):
            if value >= size:
                return self._of(f"common.{unit}", f"{value / size:.3g}")
        return self.words.digits(f"{value:.0f}")

    def when(self, moment: float | None) -> Markup:
        """A moment as UTC, which the page's script turns into the reader's own time."""
        if not moment:
            return escape(NONE)
        try:
            at = datetime.fromtimestamp(moment, UTC)
        except (ValueError, OverflowError, OSError):
            return escape(NONE)
        shown = f"{self.day(at.strftime('%Y-%m-%d'))} {self.words.digits(at.strftime('%H:%M'))}"
        return Markup('<time datetime="{}">{}</time>').format(
            at.isoformat(timespec="seconds").replace("+00:00", "Z"), shown
        )

    def stamp(self, text: str | None) -> Markup:
        """A moment of the crawl log (ISO 8601)."""
        try:
            return self.when(datetime.fromisoformat(text or "").timestamp())
        except ValueError:
            return escape(NONE)

    def capture(self, digits: str) -> Markup:
        """A moment of the archive's index (14 digits)."""
        try:
            return self.when(datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp())
        except ValueError:
            return escape(NONE)

    def day(self, text: str) -> str:
        """A day (2026-11-17) or month (2026-11) in the reader's calendar; other text as it is."""
        try:
            at = date.fromisoformat(text if len(text) == 10 else f"{text}-01")
        except ValueError:
            return text
        if self.words.code == "th":
            year, month, day = at.year + BUDDHIST, at.month, at.day
        elif self.words.code == "fa":
            year, month, day = jalali(at)
        else:
            return text
        # As Persian writes it; after a letter a hyphen would let the three numbers stand from right to left.
        parted = "/" if self.words.code == "fa" else "-"
        return self.words.digits(parted.join([f"{year:04}", f"{month:02}", f"{day:02}"][: len(text) // 3]))

    def _of(self, key: str, figure: str) -> str:
        return str(self.words(key, n=self.words.digits(figure)))


def jalali(at: date) -> tuple[int, int, int]:
    """Year, month and day of the Iranian solar calendar (Birashk's rule of 33 years, right from 1799 to 2256)."""
    leap_from = at.year + 1 if at.month > 2 else at.year
    days = 355_666 + 365 * at.year + (leap_from + 3) // 4 - (leap_from + 99) // 100 + (leap_from + 399) // 400
    days += at.day + _DAYS_BEFORE[at.month - 1]
    year = -1595 + 33 * (days // 12_053)
    days %= 12_053
    year += 4 * (days // 1461)
    days %= 1461
    if days > 365:
        year += (days - 1) // 365
        days = (days - 1) % 365
    if days < 186:
        return year, 1 + days // 31, 1 + days % 31
    return year, 7 + (days - 186) // 30, 1 + (days - 186) % 30
