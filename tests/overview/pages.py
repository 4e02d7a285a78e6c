"""Small generated pages with exact gold, for the tests of extraction and matching."""

from __future__ import annotations

from random import Random

_WORDS = [
    "river",
    "market",
    "festival",
    "council",
    "harvest",
    "bridge",
    "garden",
    "railway",
    "school",
    "winter",
    "museum",
    "teacher",
    "island",
    "border",
]


def sentence(random: Random, words: int = 14) -> str:
    """A made-up English sentence."""
    return " ".join(random.choice(_WORDS) for _ in range(words)).capitalize() + "."


def thai_sentence(random: Random, words: int = 30) -> str:
    """A made-up run of Thai without spaces between words."""
    thai = [
        "แม่น้ำ",
        "ตลาด",
        "เทศกาล",
        "สภา",
        "สะพาน",
        "สวน",
        "โรงเรียน",
        "ฤดูหนาว",
        "พิพิธภัณฑ์",
        "ครู",
        "เกาะ",
        "ชายแดน",
        "การเก็บเกี่ยว",
        "ประชาชน",
    ]
    return "".join(random.choice(thai) for _ in range(words))


def persian_sentence(random: Random, words: int = 14) -> str:
    """A made-up Persian sentence."""
    persian = ["رودخانه", "بازار", "جشنواره", "شورا", "پل", "باغ", "مدرسه", "زمستان", "موزه", "معلم", "جزیره", "مردم"]
    return " ".join(random.choice(persian) for _ in range(words)) + "."


def article(random: Random, paragraphs: int = 6, thai: bool = False) -> list[str]:
    """The paragraphs of an article."""
    return [
        " ".join((thai_sentence if thai else sentence)(random) for _ in range(random.randint(3, 6)))
        for _ in range(paragraphs)
    ]


def news_page(random: Random, paragraphs: list[str], title: str, template_noise: bool = False) -> str:
    """A page of an easy template: menu, article, related links, footer; with noise of the template when asked."""
    menu = "".join(f'<li><a href="/s{n}">Section {n}</a></li>' for n in range(12))
    related = "".join(f'<li><a href="/r{n}">{sentence(random, 8)}</a></li>' for n in range(6))
    noise = (
        "<div><p>Vote for this story</p><p>Search the archive here</p><p>Top of the page</p>"
        "<p>Readers of this site may write to the editor about any story</p></div>"
        if template_noise
        else ""
    )
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return (
        f"<html><head><title>{title} | The Daily</title></head><body>"
        f'<div class="menu"><ul>{menu}</ul></div>'
        f"<div><h1>{title}</h1>{body}</div>{noise}"
        f'<div class="related"><ul>{related}</ul></div>'
        f"<div><span>Copyright 2012 The Daily</span><span>Powered by Press</span></div></body></html>"
    )
