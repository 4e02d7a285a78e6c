"""What an answer means for the next poll of a feed: when at the earliest, under which address, or never again.

Hard orders (Retry-After, cache lifetimes, 410) and the publisher's hints (ttl, sy:*, skipHours, skipDays) both hold;
each is capped, so that one wrong header cannot silence a feed for good. Nothing here reads a clock or a socket.
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

from phasa.feeds.post import Hints
from phasa.feeds.rhythm import DAY, HOUR, MONDAY, WEEK
from phasa.feeds.rows import Hold
from phasa.web.exchange import Exchange, http_date
from phasa.web.http import PERMANENT_REDIRECTS
from phasa.web.url import Url, host, registered_domain

# The longest that an order or a hint may keep us away, and the longest pause after failures: seconds.
LONGEST_ORDER = 7 * DAY
LONGEST_HINT = 1 * DAY
FIRST_PAUSE = 1 * HOUR
LONGEST_PAUSE = 7 * DAY

_MAX_AGE = re.compile(r"(?:^|[,\s])max-age\s*=\s*\"?(\d{1,10})", re.IGNORECASE)
_NO_CACHE = re.compile(r"(?:^|[,\s])no-(?:cache|store)\b", re.IGNORECASE)
_WORDS = {
    "blocked_address": "a private address, refused; allow_private = true in collection.toml permits it",
    "dns_error": "no such host", "connect_error": "no connection", "tls_error": "no secure connection",
    "timeout_connect": "no connection in time", "timeout_first_byte": "no answer in time",
    "redirect_loop": "redirects in a circle", "redirect_limit": "too many redirects",
}  # fmt: skip


class Wait(NamedTuple):
    """Seconds to stay away, who wants it, and the words for it."""

    seconds: float = 0.0
    hold: Hold = Hold.NOBODY
    why: str = ""


class HostPauses:
    """The moments from which servers may be asked again. Addresses of one registered domain are one server."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    def rest(self, url: str, until: float) -> None:
        """Leave the server of this address alone until then, or longer if it rests longer already."""
        server = server_of(url)
        self._until[server] = max(until, self._until.get(server, 0.0))

    def free_at(self, url: str) -> float:
        return self._until.get(server_of(url), 0.0)


def server_of(url: str) -> str:
    """The name under which requests to one server are spaced."""
    return registered_domain(Url(url)) or host(Url(url))


def ordered_wait(answer: Exchange, now: float) -> Wait:
    """How long the server forbids to ask again: Retry-After of a refusal, else the lifetime of the answer."""
    if answer.status >= 400:
        asked = answer.retry_after(now)
        return _capped(asked, LONGEST_ORDER, Hold.RETRY_AFTER, "Retry-After") if asked is not None else Wait()
    control = answer.header("cache-control") or ""
    if _NO_CACHE.search(control):
        return Wait()
    if found := _MAX_AGE.search(control):
        return _capped(float(found.group(1)) - _age(answer), LONGEST_HINT, Hold.CACHE, "Cache-Control: max-age")
    expires = http_date(answer.header("expires"))
    if expires is not None:
        # The server's own clock says how long that is; ours may differ.
        lifetime = expires - (http_date(answer.header("date")) or now) - _age(answer)
        return _capped(lifetime, LONGEST_HINT, Hold.CACHE, "Expires")
    return Wait()


def hinted_wait(hints: Hints, now: float) -> Wait:
    """How long the document asks to be left alone."""
    asked, why = hints.seconds or 0.0, "ttl or sy:updatePeriod"
    if hints.period and hints.base is not None:
        coming = hints.period - (now - hints.base) % hints.period
        if coming > asked:
            asked, why = coming, "sy:updateBase"
    return _capped(asked, LONGEST_HINT, Hold.HINT, why)


def out_of_skipped(moment: float, hints: Hints) -> float:
    """The first moment from the given one on that is in no skipped hour (GMT) or day."""
    for _ in range(8 * 24):
        day = int((moment - MONDAY) % WEEK // DAY)
        if day in hints.skip_days:
            moment = (moment // DAY + 1) * DAY
        elif int(moment % DAY // HOUR) in hints.skip_hours:
            moment = (moment // HOUR + 1) * HOUR
        else:
            break
    return moment


def pause_after(failures: int, name: str) -> float:
    """Seconds to wait after so many failures in a row: an hour, doubled each time up to a week, spread by ± 25 %.

    The spread depends on the feed and the failure only, so feeds that fail together do not come back together.
    """
    pause = min(float(LONGEST_PAUSE), FIRST_PAUSE * 2.0 ** (min(failures, 30) - 1))
    digest = hashlib.sha256(f"{name}\0{failures}".encode()).digest()
    return pause * (0.75 + 0.5 * int.from_bytes(digest[:4], "big") / 2**32)


def permanent_address(answer: Exchange) -> str | None:
    """Where the feed has moved for good: the last of the leading hops that are all 301 or 308; None when it stays."""
    moved = None
    addresses = [*(hop.url for hop in answer.redirects[1:]), answer.final_url]
    for hop, following in zip(answer.redirects, addresses, strict=False):
        if hop.status not in PERMANENT_REDIRECTS:
            break
        moved = str(following)
    return moved


def spoken(seconds: float) -> str:
    """A time as people say it: 40 s, 56 min, 3.5 h, 6 days."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    size, name = (HOUR, "h") if seconds < 2 * DAY else (DAY, "days")
    return f"{seconds / size:.1f}".removesuffix(".0") + f" {name}"


def _age(answer: Exchange) -> float:
    value = (answer.header("age") or "").strip()
    return float(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0.0


def _capped(seconds: float, most: float, hold: Hold, why: str) -> Wait:
    if seconds <= 0:
        return Wait()
    return Wait(min(seconds, most), hold, why if seconds <= most else f"{why} ({seconds:.0f} s, held to {most:.0f})")
