"""Pages of a world as HTML, with menus, sidebars, adverts, related links, comments and footers around the text.

A page is written from its number alone. `Gold` says what its content, keywords and section are, exactly: extraction,
keyword picking and segment crawling can be scored on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from phasa.lab.chance import Dice
from phasa.lab.claims import UNDECLARED, WRONG
from phasa.lab.extras import CALENDAR, SOFT
from phasa.lab.links import Role
from phasa.lab.sentences import Sentence, write_sentence, write_title
from phasa.lab.topics import TOPICS
from phasa.lab.world import World

# Python's names for the declared encodings; a Thai page declared as Latin is one that lies, as they do.
_CODECS = {"tis-620": "cp874", "windows-874": "cp874", "iso-8859-11": "cp874", "windows-1256": "cp1256",
           "iso-8859-1": "latin-1", "windows-1252": "cp1252", "us-ascii": "ascii"}  # fmt: skip
_LYING = {"th": "cp874", "fa": "cp1256"}
NOT_FOUND = Sentence("Sorry, the page you are looking for could not be found.", "en", 10, ())


@dataclass(frozen=True)
class Gold:
    """What is true of a generated page."""

    url: str
    title: str
    text: str
    """The paragraphs of the main content, one a line."""
    language: str
    topic: str
    keywords: tuple[str, ...]
    """Words of the topic in the content, most frequent first."""
    segment: str
    """Directory of the page."""
    author: str
    date: str


@dataclass(frozen=True)
class Written:
    """A page as it is served."""

    body: bytes
    charset: str
    """As declared, '' where none is."""
    codec: str
    """How the bytes are encoded, as Python names it."""
    gold: Gold


def write_page(world: World, page: int) -> Written:
    """The page of that number."""
    text, gold = _Writer(world, page).write()
    usual = _charset(world, page)
    codec = _CODECS.get(usual, usual)
    if usual in ("iso-8859-1", "windows-1252") and gold.language == world.recipe.target:
        codec = _LYING.get(gold.language, codec)
    return Written(text.encode(codec, "xmlcharrefreplace"), declared_charset(world, page), codec, gold)


def declared_charset(world: World, page: int) -> str:
    """The encoding that a page declares, '' where it declares none."""
    usual, shown = _charset(world, page), world.shown(page)
    fault = int(world.charset_faults[shown]) if shown < len(world.pages) else 0
    wrong = "utf-8" if usual != "utf-8" else "iso-8859-1"
    return "" if fault == UNDECLARED else wrong if fault == WRONG else usual


def _charset(world: World, page: int) -> str:
    """The encoding of the table for a page; the table's 'others' are Latin-2 here."""
    shown = world.shown(page)
    if shown >= len(world.pages):
        return "utf-8"
    name = world.pages.charsets[int(world.pages.charset[shown])]
    return "iso-8859-2" if name == "others" else name


class _Writer:
    """One page in the making."""

    def __init__(self, world: World, page: int) -> None:
        self.world, self.page = world, page
        # A mirror shows a page of its site, with links of its own.
        self.shown = world.shown(page)
        self.is_page = self.shown < len(world.pages)
        self.site = world.site(page)
        graph = world.graph
        self.language = graph.languages[int(graph.language[page])]
        # A copy has the content of its original and the surroundings of its own.
        original = int(world.copy_of[self.shown]) if self.is_page else -1
        self.content = original if original >= 0 else self.shown
        self.topic = topic_of(world, self.content) if self.is_page else 0
        self.dice = Dice(world.seed, "page", self.content)
        self.look = Dice(world.seed, "look", world.site(self.shown)).below(4)
        self.known = self.total = 0

    def write(self) -> tuple[str, Gold]:
        """The document and what is true of it."""
        blocks = self._links()
        title = write_title(self.dice, self.language, self.topic)
        author = f"Editor {self.dice.between(1, 40)}"
        date = f"{2005 + self.dice.below(5)}-{self.dice.between(1, 12):02d}-{self.dice.between(1, 28):02d}"
        paragraphs = self._paragraphs()
        inner = self._article(title, author, date, paragraphs, blocks)
        document = self._document(title, inner, blocks)
        counts: dict[str, int] = {}
        for paragraph in paragraphs:
            for sentence in paragraph:
                for word in sentence.topic_words:
                    counts[word] = counts.get(word, 0) + 1
        keywords = tuple(sorted(counts, key=lambda word: (-counts[word], word)))
        url = self.world.url(self.page)
        joint = "" if self.language in ("zh", "ja") else " "
        content = "\n".join(joint.join(sentence.text.strip() for sentence in one) for one in paragraphs)
        segment = url[: url.rindex("/") + 1]
        return document, Gold(url, title, content, self.language, TOPICS[self.topic], keywords, segment, author, date)

    def _links(self) -> dict[Role, list[str]]:
        """The links of the page by their place on it."""
        world, graph = self.world, self.world.graph
        names = ("", *graph.languages)
        found: dict[Role, list[str]] = {role: [] for role in Role}
        rows = graph.links(self.page)
        for link in range(rows.start, rows.stop):
            anchor = graph.anchor(link)
            if graph.phrases is not None and graph.phrase is not None:
                share = float(graph.phrases.similarity[int(graph.phrase[link])])
                size = max(1, len(anchor.split()))
                self.known += round(share * size)
                self.total += size
            hint = names[int(graph.hint[link])] if graph.hint is not None else ""
            attribute = f' hreflang="{hint}"' if hint else ""
            inside = escape(anchor) if anchor else f'<img src="/img/{link % 97}.png" alt="">'
            target = escape(world.url(int(graph.targets[link])))
            found[Role(int(world.links.roles[link]))].append(f'<a href="{target}"{attribute}>{inside}</a>')
        return found

    def _paragraphs(self) -> list[list[Sentence]]:
        """Paragraphs whose words bring the whole page near its similarity Γ."""
        world, dice = self.world, self.dice
        if world.is_soft(self.page):
            return [[NOT_FOUND]]
        if not self.is_page:
            return [[write_sentence(dice, "en", 0)]]
        aim = float(world.graph.similarity[self.page])
        own = self.language == world.recipe.target
        count = 1 if own and bool(world.poor[self.content]) else dice.between(3, 9)
        filler = "en" if own else self.language
        paragraphs: list[list[Sentence]] = []
        known, total = self.known, self.total
        for _ in range(count):
            sentences: list[Sentence] = []
            for _ in range(dice.between(2, 5)):
                language = world.recipe.target if known < aim * (total + 12) else filler
                sentence = write_sentence(dice, language, self.topic)
                total += sentence.words
                known += sentence.words if language == world.recipe.target else 0
                sentences.append(sentence)
            paragraphs.append(sentences)
        return paragraphs

    def _article(
        self, title: str, author: str, date: str, paragraphs: list[list[Sentence]], blocks: dict[Role, list[str]]
    ) -> str:
        parts = [f"<h1>{escape(title)}</h1>", f'<p class="byline">{author} · <time>{date}</time></p>']
        inside = list(blocks[Role.CONTENT])
        joint = "" if self.language in ("zh", "ja") else " "
        for number, paragraph in enumerate(paragraphs):
            parts.append(f"<p>{joint.join(escape(sentence.text.strip()) for sentence in paragraph)}</p>")
            share = -(-len(inside) // (len(paragraphs) - number))
            if share:
                parts.append('<p class="links">' + " ".join(inside[:share]) + "</p>")
                inside = inside[share:]
        if blocks[Role.LIST]:
            parts.append("<ul>" + "".join(f"<li>{link}</li>" for link in blocks[Role.LIST]) + "</ul>")
        if blocks[Role.NEXT]:
            parts.append('<div class="pager">' + " ".join(blocks[Role.NEXT]) + "</div>")
        return "\n".join(parts)

    def _document(self, title: str, inner: str, blocks: dict[Role, list[str]]) -> str:
        look, host = self.look, self.world.styles[self.site].host
        box = ("div", "section", "div", "div")[look]
        main = ("article", "div", "div", "main")[look]
        names = (
            ("nav", "side", "ad-box", "related", "footer", "content"),
            ("menu", "sidebar", "banner", "more", "bottom", "entry"),
            ("top", "left", "sponsor", "see-also", "copyright", "text"),
            ("navbar", "widget", "promo", "read-next", "foot", "post"),
        )[look]
        told = int(self.world.declared[self.shown]) if self.is_page else 0
        declared = self.world.pages.languages[told - 1] if told else ""
        charset = declared_charset(self.world, self.page)
        head = [f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">'] if charset else []
        head.append(f"<title>{escape(title)} - {host}</title>")
        if declared and look % 2:
            head.append(f'<meta http-equiv="Content-Language" content="{declared}">')
        if has_feed(self.world, self.site):
            head.append('<link rel="alternate" type="application/rss+xml" href="/feed.xml">')
        body = [
            f'<div class="{names[0]}"><b>{host}</b> ' + " | ".join(blocks[Role.MENU]) + "</div>",
            f'<{box} class="{names[2]}">' + " ".join(blocks[Role.ADVERT]) + f"</{box}>",
            f'<{main} class="{names[5]}">\n{inner}\n</{main}>',
            f'<div class="{names[3]}"><h3>+</h3>' + "<br>".join(blocks[Role.RELATED]) + "</div>",
            f'<{box} class="{names[1]}">' + "<br>".join(blocks[Role.SIDEBAR]) + f"</{box}>",
            self._comments(),
            f'<div class="{names[4]}">© {2005 + self.site % 5} {host} ' + " ".join(blocks[Role.FOOTER]) + "</div>",
        ]
        if look == 2:
            # The layout of many sites of those years: everything in one table.
            body = ["<table>", *(f"<tr><td>{part}</td></tr>" for part in body), "</table>"]
        opening = f'<html lang="{declared}">' if declared and look % 2 == 0 else "<html>"
        return "\n".join(["<!DOCTYPE html>", opening, "<head>", *head, "</head>", "<body>", *body, "</body></html>"])

    def _comments(self) -> str:
        dice = Dice(self.world.seed, "comments", self.shown)
        if not self.is_page or dice.chance(0.6):
            return ""
        lines = [
            f'<div class="comment"><b>user{dice.below(999)}</b> '
            f"{escape(write_sentence(dice, self.language, self.topic).text)}</div>"
            for _ in range(dice.between(1, 4))
        ]
        return '<div class="comments">' + "\n".join(lines) + "</div>"


def topic_of(world: World, page: int) -> int:
    """The topic of a page: that of its section, mostly."""
    dice = Dice(world.seed, "topic", int(world.pages.site[page]), int(world.pages.section[page]))
    section = dice.below(len(TOPICS))
    own = Dice(world.seed, "own topic", page)
    return section if own.chance(0.8) else own.below(len(TOPICS))


def has_feed(world: World, site: int) -> bool:
    """Whether a site has a news feed; false hosts have none."""
    return site < len(world.sites) and Dice(world.seed, "feed", site).chance(world.recipe.feeds)


def is_page(world: World, page: int) -> bool:
    """Whether an address answers with a page: one of the world, of an endless calendar, of a false host, or one that
    says that there is none."""
    if len(world.pages) <= page < world.base:
        return int(world.extras.kind[page - len(world.pages)]) in (CALENDAR, SOFT)
    return True
