"""Thai pages with exact gold, in the templates that specs/content-overview.md §5.1 and Figures 2.1 to 3.5 describe.

Menu, advertisement, article, tools, teasers, comments, related links, footer. How much of each stands on a page is set
per site after the precision that was published for its kind; which of it the rules and ECM remove is what is measured.
"""

from __future__ import annotations

from functools import cache
from html import escape
from typing import NamedTuple

from phasa.lab.chance import Dice
from phasa.lab.sentences import write_sentence, write_title
from phasa.lab.topics import TOPICS

LANGUAGE = "th"
TOOLS = ("โหวตข่าวนี้", "ค้นหาข่าวเก่าได้ที่นี่", "ขึ้นไปด้านบนของหน้า", "พิมพ์หน้านี้", "ส่งข่าวนี้ให้เพื่อนอ่าน", "แสดงความคิดเห็นของท่าน")
PLAYER = ".getflashtoseethisplayer."  # what hidden markup left on two pages of the source's Table 3.3


class Site(NamedTuple):
    """A site of one template. Numbers are per page: tool lines, teasers out of a pool that all pages share, texts that
    only this page has (comments, teasers seen nowhere else), paragraphs."""

    name: str
    tools: int = 0
    teasers: int = 0
    pool: int = 30
    own: int = 0
    paragraphs: tuple[int, int] = (5, 9)
    edits: bool = False  # an edit link at every heading, as wikis have
    in_table: bool = False


class Page(NamedTuple):
    """A page and what a reader takes for its content."""

    html: str
    gold: list[str]


def write_site(site: Site, seed: int, pages: int) -> list[Page]:
    """The first pages of a site. Same arguments, same pages."""
    return [_write(site, seed, number) for number in range(pages)]


@cache
def _teaser(site: str, seed: int, number: int) -> str:
    """A headline that is a link, and a line about it that is not."""
    dice = Dice(seed, "teaser", site, number)
    topic = dice.below(len(TOPICS))
    title, text = write_title(dice, LANGUAGE, topic), write_sentence(dice, LANGUAGE, topic).text.strip()
    return f'<div class="t"><a href="/n/{number}">{escape(title[:30])}</a><p>{escape(text)}</p></div>'


def _write(site: Site, seed: int, number: int) -> Page:
    dice = Dice(seed, "overview", site.name, number)
    topic = dice.below(len(TOPICS))
    title = write_title(dice, LANGUAGE, topic)
    gold, article = [title], [f"<h1>{escape(title)}</h1>"]
    for place in range(dice.between(*site.paragraphs)):
        if site.edits and place % 2:
            heading = write_title(dice, LANGUAGE, topic)
            gold.append(heading)
            article.append(f'<h2>{escape(heading)} <span>[<a href="/e/{place}">แก้ไข</a>]</span></h2>')
        sentences = [write_sentence(dice, LANGUAGE, topic).text.strip() for _ in range(dice.between(2, 5))]
        gold.append(" ".join(sentences))
        linked = f'{escape(sentences[0])} <a href="/w/{place}">{escape(write_title(dice, LANGUAGE, topic)[:20])}</a> '
        if site.edits:
            gold[-1] = " ".join((_plain(linked), *sentences[1:]))
            article.append(f"<p>{linked}{escape(' '.join(sentences[1:]))}</p>")
        else:
            article.append(f"<p>{escape(gold[-1])}</p>")
    tools = "".join(f"<p>{line}</p>" for line in TOOLS[: site.tools])
    teasers = "".join(_teaser(site.name, seed, dice.below(site.pool)) for _ in range(site.teasers))
    own = "".join(f"<p>{escape(write_sentence(dice, LANGUAGE, topic).text.strip())}</p>" for _ in range(site.own))
    parts = [
        '<ul class="menu">' + "".join(f'<li><a href="/s/{n}">หมวด {n}</a></li>' for n in range(18)) + "</ul>",
        '<div class="ad"><a href="/ad"><img src="/ad.gif"></a></div>',
        f'<div class="main">{"".join(article)}</div>',
        f'<div class="tools">{tools}</div>',
        f'<div class="teasers">{teasers}</div>',
        f'<div class="comments">{own}</div>',
        '<ul class="related">' + "".join(f'<li><a href="/r/{n}">ข่าวเก่า {n}</a></li>' for n in range(8)) + "</ul>",
        f"<div><span>Copyright 2012 {site.name}</span> <span>Powered by press</span></div>",
    ]
    if site.in_table:
        parts = ["<table>", *(f"<tr><td>{part}</td></tr>" for part in parts), "</table>"]
    return Page(f"<html><head><title>{escape(title)}</title></head><body>{''.join(parts)}</body></html>", gold)


def _plain(markup: str) -> str:
    """The text of a sentence with one link in it."""
    before, _, rest = markup.partition("<")
    return before + rest.partition(">")[2].replace("</a>", "").strip()
