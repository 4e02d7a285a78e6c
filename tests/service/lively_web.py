"""A web for the Crawl page to look at: hosts of several languages, several segments each, slow enough to watch."""

from __future__ import annotations

from aiohttp import web
from tests.durability.small_web import ENGLISH, THAI, SmallWeb

PERSIAN = (
    "زبان فارسی زبان رسمی ایران است و میلیون‌ها نفر به آن سخن می‌گویند. امروز هوا خوب است و مردم در خیابان‌ها هستند. "
)
HOSTS = (
    "news.example.th",
    "www.university.ac.th",
    "blog.example.com",
    "travel.example.org",
    "shop.example.net",
    "fa.example.ir",
)
SEGMENTS = ("", "sport", "library", "2024")


class LivelyWeb(SmallWeb):
    """Page n is on host n mod 6; those of the first two hosts are in Thai, of the others now and then."""

    def __init__(self, pages: int, seconds: float = 0.02, wanted: str = THAI) -> None:
        super().__init__(pages, hosts=len(HOSTS), seconds=seconds)
        self.wanted = wanted

    def url(self, number: int) -> str:
        segment = SEGMENTS[number // 7 % len(SEGMENTS)]
        # Letters, not numbers: many numbered pages that look alike would be taken for a trap.
        return f"http://{HOSTS[number % len(HOSTS)]}/{segment}{'/' if segment else ''}p{_letters(number)}.html"

    def answer(self, host: str, path: str) -> web.Response:
        if path == "/robots.txt":
            return web.Response(status=404)
        number = _number(path.rsplit("/p", 1)[-1].removesuffix(".html"))
        if number >= self.pages:
            return web.Response(status=404)
        links = [
            number * 3 + 1,
            number * 3 + 2,
            number * 3 + 3,
            (number * 7 + 5) % self.pages,
            (number * 11) % self.pages,
        ]
        body = "".join(f'<a href="{self.url(to)}">หน้า {_letters(to)}</a> ' for to in links if to < self.pages)
        place = number % len(HOSTS)
        own = place < 2 or (place in (2, 3) and number % 5 < 2)
        text = (self.wanted if own else PERSIAN if place == 5 else ENGLISH) * (3 + number % 5)
        # Words of its own, so that no two pages are alike.
        text += " ".join(_letters(number * step) for step in range(2, 12))
        return web.Response(text=f"<html><title>{number}</title><p>{text}</p>{body}</html>", content_type="text/html")


def _letters(number: int) -> str:
    found = ""
    while True:
        found = chr(ord("a") + number % 26) + found
        number = number // 26
        if not number:
            return found


def _number(letters: str) -> int:
    found = 0
    for letter in letters:
        found = found * 26 + ord(letter) - ord("a")
    return found
