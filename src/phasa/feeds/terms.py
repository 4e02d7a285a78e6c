"""The rules of a collection's feeds and the terms of each, from the settings and from what feeds.db says."""

from __future__ import annotations

import datetime as dt
import zoneinfo

from phasa.errors import InputError
from phasa.feed_settings import FeedSettings
from phasa.feeds.manners import server_of
from phasa.feeds.policy import Pace, Rules, Terms, parse_policy
from phasa.feeds.rhythm import HOUR
from phasa.feeds.rows import FeedRow


def rules_of(settings: FeedSettings, per_day: float | None = None, per_feed: float | None = None) -> Rules:
    """What the settings ask of the policy; the numbers of polls may be given instead."""
    return Rules(
        per_day=settings.per_day if per_day is None else per_day,
        # A budget that is given for all replaces the polls of each that the settings name.
        per_feed=per_feed if per_feed is not None or per_day is not None else settings.per_feed,
        policy=parse_policy(settings.policy),
        pace=Pace(settings.least_gap, settings.window_share),
        bootstrap=settings.bootstrap_hours * HOUR,
        learn_days=settings.learn_days, update_days=settings.update_days, rs_days=settings.rs_days,
        at_start=settings.at_start,
    )  # fmt: skip


def terms_of(feed: FeedRow, settings: FeedSettings) -> Terms:
    """What holds for one feed."""
    return Terms(
        policy=parse_policy(feed.policy) if feed.policy else None,
        zone=zone_of(feed.zone or settings.zone),
        bootstrap=feed.bootstrap,
        entries=feed.entries,
        kin=feed.publisher or server_of(feed.url),
    )


def zone_of(name: str) -> dt.tzinfo:
    """The time zone of this name. Raises InputError for one that is not known."""
    if name in ("", "UTC"):
        return dt.UTC
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(f"unknown time zone '{name}'; use a name such as Asia/Bangkok") from None
