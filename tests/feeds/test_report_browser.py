"""The report on screens, in headless Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.feeds.test_report import NOW, a_feed

from phasa.feeds.report import write_report
from phasa.feeds.rows import ShownPost

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_fits_the_screen(browser: Browser, tmp_path: Path, width: int) -> None:
    file = tmp_path / "feeds.html"
    shown = ShownPost("f" * 90, "ข่าวยาวมาก" * 20, "http://a.example/", "", NOW, NOW)
    file.write_text(write_report([a_feed(), a_feed(failures=3, missing=2)], [shown], NOW), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("thead").is_visible() == (width > 960)
    page.close()
