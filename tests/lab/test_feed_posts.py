"""Feeds of a world: rhythms that can be learned, posts that do not depend on when one asks."""

from __future__ import annotations

import numpy as np
import pytest

from phasa.lab.feed_posts import HOUR, feeds_of, posts, rhythm_of, write_feed
from phasa.lab.world import World

DAY = 24 * HOUR
START = 1_700_000_000 // DAY * DAY


def test_posts_of_a_span_are_those_of_its_parts(thai_world: World) -> None:
    site = feeds_of(thai_world)[0]
    whole = posts(thai_world, site, START, START + 5 * DAY)
    cut = START + 2 * DAY + 1234
    assert whole == posts(thai_world, site, START, cut) + posts(thai_world, site, cut, START + 5 * DAY)
    assert whole == sorted(whole, key=lambda post: post.at)


def test_rates_and_hours_follow_the_rhythm(thai_world: World) -> None:
    busy = max(feeds_of(thai_world), key=lambda site: rhythm_of(thai_world, site).per_day)
    rhythm = rhythm_of(thai_world, busy)
    found = posts(thai_world, busy, START, START + 70 * DAY)
    expected = rhythm.per_day * (50 + 20 * rhythm.weekend)
    assert len(found) == pytest.approx(expected, abs=5 * np.sqrt(expected))
    hours = np.bincount([post.at // HOUR % 24 for post in found], minlength=24) / len(found)
    assert np.abs(hours - np.array(rhythm.hours)).max() < 0.05


def test_guids_are_unique_and_links_are_pages(thai_world: World) -> None:
    site = feeds_of(thai_world)[0]
    found = posts(thai_world, site, START, START + 40 * DAY)
    assert len({post.guid for post in found}) == len(found)
    assert all(thai_world.find(post.url) >= 0 for post in found[:20])


def test_the_feed_shows_the_latest_first(thai_world: World) -> None:
    site = feeds_of(thai_world)[0]
    text = write_feed(thai_world, site, START + 20 * DAY, items=3)
    last = posts(thai_world, site, START, START + 20 * DAY)[-3:]
    shown = [text.index(post.guid) for post in reversed(last)]
    assert shown == sorted(shown)
    assert text.count("<item>") <= 3
