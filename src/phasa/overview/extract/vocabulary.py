"""What tag names and the words in class and id attributes say about a part of a page, as bits of one integer."""

from __future__ import annotations

import re
from typing import Final


def _listed(words: str, by: str | None = None) -> list[str]:
    return words.split(by)


# How the walk treats an element. Whatever is not named here is a block. A gap is seen but has no text: what stands on
# both sides of a picture or button is never one word.
TEXT, INLINE, LINK, BREAK, SKIP, BLOCK, GAP = range(7)

_INLINE: Final = (
    "abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small "
    "span strike strong sub sup time tt u var wbr "
    # the scaffolding of a table: its cells stand directly in it, so that ancestors say more
    "tbody thead tfoot tr colgroup"
)
_SKIP: Final = (
    "#comment #cdata-section !doctype script style noscript template source track map area option optgroup datalist "
    "head link meta title base param frame frameset noframes"
)
_GAP: Final = (
    "svg iframe object embed applet canvas video audio img picture select textarea input button progress meter math"
)
# Elements that exist to hold what is not content: left out unless a page has nothing else.
_APART: Final = "nav footer menu dialog"
EVERYTHING: Final[dict[str, int]] = {
    "#text": TEXT,
    "a": LINK,
    "br": BREAK,
    "hr": BREAK,
    **dict.fromkeys(_INLINE.split(), INLINE),
    **dict.fromkeys(_SKIP.split(), SKIP),
    **dict.fromkeys(_GAP.split(), GAP),
}
TREATMENT: Final[dict[str, int]] = {**EVERYTHING, **dict.fromkeys(_APART.split(), SKIP)}

# The element a block of text stands in, as the scorer sees it.
TAGS: Final[tuple[str, ...]] = ("div", "p", "heading", "li", "cell", "quote", "pre", "caption", "term")
TAG_KIND: Final[dict[str, int]] = {
    "p": 1,
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), 2),
    "li": 3,
    **dict.fromkeys(("td", "th", "caption", "table"), 4),
    "blockquote": 5,
    "pre": 6,
    "figcaption": 7,
    **dict.fromkeys(("dt", "dd", "summary"), 8),
}

# Bits: where a block stands, by the tags and names of its ancestors.
ROLES: Final[tuple[str, ...]] = (
    "article",
    "main",
    "header",
    "footer",
    "nav",
    "aside",
    "form",
    "figure",
    "table",
    "list",
    "body",
    "content",
    "comment",
    "related",
    "share",
    "side",
    "meta",
    "media",
    "advert",
    "offer",
    "hidden",
    "card",
    "author",
    "title",
    "tags",
    "lead",
)
BIT: Final[dict[str, int]] = {role: 1 << number for number, role in enumerate(ROLES)}

# Parts of a page that are seldom content.
NOT_CONTENT: Final = sum(
    BIT[role]
    for role in ("footer", "nav", "aside", "comment", "related", "share", "side", "advert", "offer", "hidden", "card")
)

TAG_ROLE: Final[dict[str, int]] = {
    "article": BIT["article"],
    "main": BIT["main"],
    "header": BIT["header"],
    "footer": BIT["footer"],
    "nav": BIT["nav"],
    "aside": BIT["aside"],
    "form": BIT["form"],
    "fieldset": BIT["form"],
    "figure": BIT["figure"],
    "figcaption": BIT["figure"],
    "table": BIT["table"],
    "ul": BIT["list"],
    "ol": BIT["list"],
    "dl": BIT["list"],
    "menu": BIT["nav"],
    "dialog": BIT["offer"],
    "address": BIT["meta"],
}

_WORDS: Final[dict[str, str]] = {
    "article": "article",
    "main": "main primary page-content",
    "header": "header head masthead topbar hdr top banner",
    "footer": "footer foot ftr colophon bottom copyright legal imprint impressum disclaimer footnote",
    "nav": "nav navi navbar navigation menu submenu breadcrumb breadcrumbs crumb crumbs pagination pager paging toc "
    "tabs sitemap skip next prev previous",
    "aside": "aside",
    "form": "form search login signin register",
    "figure": "figure",
    "body": "articlebody articletext articlecontent storybody storycontent storytext postbody postcontent posttext "
    "entrycontent entrytext bodytext body richtext paragraph text prose longform fulltext maintext newstext",
    "content": "content story post entry news blog single detail details inhalt inner",
    "comment": "comment comments commentlist commenting disqus respond reply replies discussion kommentar kommentare "
    "feedback review reviews forum livefyre",
    "related": "related relatedposts recommended recommend recommendation recommendations recirc recirculation popular "
    "trending trend latest similar suggested suggestions outbrain taboola teaser teasers readmore more upnext "
    "mostread mostpopular mostviewed associated further weitere verwandte headlines ticker carousel slider also",
    "share": "share sharing sharedaddy shares social socials follow facebook whatsapp addthis addtoany "
    "print email like likes sociable",
    "side": "sidebar side rail right left column widget widgets secondary",
    "meta": "meta byline date time timestamp published posted info infos kicker dateline updated credit credits source "
    "location subline publication readtime details-meta postmeta",
    "media": "caption wpcaption image images photo photos picture gallery slideshow slide video player media thumb "
    "thumbnail img lightbox poster audio podcast embed",
    "advert": "ad ads adv advert advertisement advertising adsense dfp sponsor sponsored sponsors promo promotion "
    "promoted banner werbung anzeige affiliate commercial adbox adunit",
    "offer": "newsletter subscribe subscription signup paywall cookie cookies consent gdpr modal popup overlay dialog "
    "donate donation membership cta alert notification notice toast app offer premium regwall optin privacy",
    "hidden": "hidden hide invisible sr-only sronly screenreader visuallyhidden noscript noprint print-only",
    "card": "card cards item items list listing grid feed archive tile results product products shop cart price",
    "author": "author authors bio biography profile avatar about vcard contributor writer aboutauthor authorbox",
    "title": "title headline heading hed subtitle",
    "tags": "tag tags tagcloud category categories cat topics topic keywords labels hashtag",
    "lead": "lead lede intro summary teasertext standfirst dek excerpt abstract description vorspann",
}
_WORD_BITS: Final[dict[str, int]] = {}
for _role, _words in _WORDS.items():
    for _word in _words.split():
        _WORD_BITS[_word] = _WORD_BITS.get(_word, 0) | BIT[_role]

# Names written in one piece ("relatedArticlesBox" is cut, "relatedarticlesbox" is not) are read by how they begin.
_BEGINNINGS: Final[dict[str, int]] = {
    word[:6]: bits
    for word, bits in _WORD_BITS.items()
    if len(word) >= 6 and bits & ~(BIT["content"] | BIT["meta"] | BIT["body"] | BIT["main"])
}

# How a block begins that invites the reader to go elsewhere, and one that ends a page; in lower case.
INVITATIONS: Final = tuple(
    _listed(
        "read more|read also|read next|see also|related|share|sign up|subscribe|newsletter|follow us|follow me|"
        "login|log in|click here|comment|cookie|advert|sponsored|more on|more from|more news|more stories|"
        "lesen sie|mehr zum|mehr zu|weiterlesen|anzeige|teilen|abonnieren|kommentar|werbung|partager|lire aussi|"
        "à lire|abonnez|publicité|leer más|te puede|compartir|suscr|leggi anche|condividi|iscriviti|leia mais|"
        "leia também|compartilh|czytaj|zobacz|udostępnij|อ่านเพิ่ม|อ่านต่อ|ข่าวที่เกี่ยวข้อง|เรื่องที่เกี่ยวข้อง|"
        "แชร์|ติดตาม|สมัครสมาชิก|بیشتر بخوانید|مطالب مرتبط|اخبار مرتبط|اشتراک|عضویت|نظر|ادامه مطلب",
        "|",
    )
)
FOOTERS: Final = ("©", "(c)", "copyright", "powered by", "all rights", "สงวนลิขสิทธิ์", "کلیه حقوق", "تمامی حقوق")

# Words of notices that stand among the text of a page without being part of it.
NOTICES: Final = frozenset(
    _listed(
        "cookie cookies cookies. privacy datenschutz datenschutzerklärung subscribe subscription abonnieren "
        "abonnement newsletter newsletter. sign login log-in password passwort javascript browser browser. "
        "advertisement advertising terms rights reserved reserved. copyright © e-mail email e-mail-adresse click "
        "klicken facebook twitter whatsapp instagram telegram comment comments kommentar kommentare کوکی حریم "
        "کلیک خبرنامه رمز عضویت نظرات คุกกี้ ลิขสิทธิ์ สมัครสมาชิก"
    )
)

_cut = re.compile(r"[A-Z]?[a-z]+|[A-Z]{2,}(?![a-z])").findall
_KEPT_NAMES: Final = 20_000
_MOST_NAMES: Final = 30


class Names:
    """Reads class and id attributes into role bits, and remembers what it read: a site repeats its names."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {"": 0}

    def roles(self, names: str) -> int:
        """The role bits of the words in `names` (a class attribute, an id, or both)."""
        bits, seen = 0, self._seen
        for name in names.split(None, _MOST_NAMES):
            known = seen.get(name)
            bits |= self._learn(name) if known is None else known
        return bits

    def _learn(self, name: str) -> int:
        bits = 0
        for word in _cut(name[:200]):
            word = word.lower()
            known = _WORD_BITS.get(word)
            if known is None and len(word) > 5:
                known = _BEGINNINGS.get(word[:6])
            if known:
                bits |= known
        if len(self._seen) > _KEPT_NAMES:
            self._seen.clear()
        self._seen[name] = bits
        return bits
