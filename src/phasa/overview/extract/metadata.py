"""Title, author and date of a page, from its head, its JSON-LD records and, failing those, its visible markup."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from resiliparse.parse.html import DOMNode, HTMLTree

from phasa.overview.extract.evidence import Evidence, plain

_TITLE = ("og:title", "twitter:title", "dc.title", "citation_title", "headline")
_AUTHOR = ("author", "article:author", "dc.creator", "citation_author", "sailthru.author", "parsely-author", "byl")
_DATE = (
    "article:published_time",
    "og:article:published_time",
    "datepublished",
    "date",
    "dc.date",
    "dc.date.issued",
    "dcterms.created",
    "pubdate",
    "publishdate",
    "publish-date",
    "citation_publication_date",
    "sailthru.date",
    "parsely-pub-date",
    "article:modified_time",
)
_DESCRIPTION = ("description", "og:description", "twitter:description", "dc.description")
_ISO = re.compile(r"(?<!\d)((?:19|20|25)\d\d)-(\d{1,2})-(\d{1,2})(?!\d)")
_IN_PATH = re.compile(r"/((?:19|20)\d\d)/(\d{1,2})/(\d{1,2})(?:/|$|-)")
_SITE_NAME = re.compile(r"\s+[|\-–—·»:•]+\s+")
_BYLINE = '[rel="author"],[itemprop="author"],.byline,.author-name,.author'
_ADDRESS = re.compile(r"^\s*(?:https?:)?//", re.I)
_WRITTEN_BY = re.compile(r"^(?:by|von|par|por|di|door|av|autor|text|โดย|نویسنده)\b[:\s]*", re.I)
_BUDDHIST_OFFSET = 543
_HOME = re.compile(r"https?://[^/?#]+/?(?:index\.\w{2,5})?$", re.I)


class Metadata(NamedTuple):
    """What a page declares about itself; '' for what it does not say. `date` is YYYY-MM-DD, `language` as declared."""

    title: str
    author: str
    date: str
    language: str
    evidence: Evidence


def read_metadata(tree: HTMLTree, url: str = "") -> Metadata:
    """The metadata of a parsed page. Never raises for what a page contains."""
    metas, scripts, headings, canonical = _head(tree)
    named = _meta(metas)
    records = list(_records(scripts))
    h1 = _clean(headings[0].text) if headings else ""
    # Not `tree.title`: asking for it after a script's text makes the parser crash on some pages.
    title = _title(named, records, _text_of(tree, "title"), h1)
    description = next((named[key] for key in _DESCRIPTION if key in named), "")
    body = max((_text(record.get("articleBody")) for record in records), key=len, default="")
    return Metadata(
        title=title,
        author=_author(tree, named, records),
        date=_date(tree, named, records, url),
        language=_language(tree),
        evidence=Evidence(
            title=title or h1,
            description=description,
            record=_unmarked(body),
            home=_HOME.match(url or canonical or named.get("og:url", "")) is not None,
            article=named.get("og:type", "").lower() == "article" and not any(map(_is_of_a_list, scripts)),
        ),
    )


def _text_of(tree: HTMLTree, selector: str) -> str:
    element = tree.document.query_selector(selector) if tree.document is not None else None
    return _clean(element.text) if element is not None else ""


def _head(tree: HTMLTree) -> tuple[list[DOMNode], list[DOMNode], list[DOMNode], str]:
    """The <meta> elements, the JSON-LD scripts, the first headings and the canonical address, in one search."""
    found: dict[str, list[DOMNode]] = {"meta": [], "script": [], "h1": [], "link": []}
    if tree.document is not None:
        for element in tree.document.query_selector_all(
            'meta[content],script[type="application/ld+json"],h1,link[rel="canonical"]'
        ):
            found[element.tag].append(element)
    canonical = found["link"][0].getattr("href") if found["link"] else None
    return found["meta"], found["script"], found["h1"], canonical or ""


def _meta(elements: list[DOMNode]) -> dict[str, str]:
    out: dict[str, str] = {}
    for element in elements:
        name = element.getattr("property") or element.getattr("name") or element.getattr("itemprop")
        if name and (content := _clean(element.getattr("content") or "")):
            out.setdefault(name.lower(), content)
    return out


def _records(scripts: list[DOMNode]) -> Iterator[dict[str, Any]]:
    """The objects of the page's JSON-LD that describe something written; broken JSON is passed over."""
    for script in scripts:
        try:
            value = json.loads(script.text, strict=False)
        except (ValueError, RecursionError):
            continue
        queue = [value]
        for _ in range(200):  # a page may nest its records as deep as it likes
            if not queue:
                break
            item = queue.pop(0)
            if isinstance(item, list):
                queue += item[:50]
            elif isinstance(item, dict):
                if "headline" in item or "articleBody" in item or "datePublished" in item:
                    yield item
                if isinstance(item.get("@graph"), list):
                    queue += item["@graph"][:50]
                if isinstance(item.get("mainEntity"), dict):
                    queue.append(item["mainEntity"])


def _is_of_a_list(script: DOMNode) -> bool:
    return "CollectionPage" in script.text  # the type of schema.org; some sites call their lists articles elsewhere


def _title(named: dict[str, str], records: list[dict[str, Any]], page: str, h1: str) -> str:
    """The declared title without the site's name; the first heading where it agrees with it or is alone."""
    for record in records:
        if headline := _clean(_text(record.get("headline"))):
            return _without_site(headline, h1)
    for key in _TITLE:
        if named.get(key):
            return _without_site(named[key], h1)
    return _without_site(page, h1) if page else h1


def _without_site(title: str, h1: str) -> str:
    if h1 and len(h1) > 8 and plain(h1) in plain(title):
        return h1
    parts = _SITE_NAME.split(title)
    return max(parts, key=len) if len(parts) > 1 and len(max(parts, key=len)) > 0.5 * len(title) else title


def _author(tree: HTMLTree, named: dict[str, str], records: list[dict[str, Any]]) -> str:
    for record in records:
        if names := _people(record.get("author")):
            return "; ".join(names)
    for key in _AUTHOR:
        if (name := named.get(key)) and not _ADDRESS.match(name):
            return name
    if tree.body is not None and (element := tree.body.query_selector(_BYLINE)) is not None:
        name = _WRITTEN_BY.sub("", _clean(element.text))
        if 2 < len(name) < 80:
            return name
    return ""


def _people(value: object) -> list[str]:
    if isinstance(value, list):
        return list(dict.fromkeys(name for item in value[:20] for name in _people(item)))
    if isinstance(value, dict):
        value = value.get("name")
        return _people(value) if isinstance(value, (str, list)) else []
    name = _clean(value) if isinstance(value, str) else ""
    return [name] if name and not _ADDRESS.match(name) else []


def _date(tree: HTMLTree, named: dict[str, str], records: list[dict[str, Any]], url: str) -> str:
    said = [_text(record.get(key)) for record in records for key in ("datePublished", "dateCreated")]
    said += [named[key] for key in _DATE if key in named]
    for value in said:
        if found := _iso(value):
            return found
    element = tree.body.query_selector("time[datetime]") if tree.body is not None else None
    if element is not None and (found := _iso(element.getattr("datetime") or "")):
        return found
    if match := _IN_PATH.search(url):
        return _checked(*match.groups())
    return ""


def _iso(value: str) -> str:
    match = _ISO.search(value.replace("/", "-"))
    return _checked(*match.groups()) if match else ""


def _checked(year: str, month: str, day: str) -> str:
    """YYYY-MM-DD, or '' when there is no such month or day. Buddhist years (25xx) become common ones."""
    y, m, d = int(year), int(month), int(day)
    if y >= 2500:
        y -= _BUDDHIST_OFFSET
    return f"{y:04}-{m:02}-{d:02}" if 1 <= m <= 12 and 1 <= d <= 31 else ""


def _language(tree: HTMLTree) -> str:
    root = tree.document.query_selector("html") if tree.document is not None else None
    return ((root.getattr("lang") or root.getattr("xml:lang") or "") if root is not None else "").strip().lower()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _unmarked(text: str) -> str:
    """A declared body may be escaped HTML."""
    if "&" in text:
        from html import unescape  # most pages do without

        text = unescape(text)
    return re.sub(r"<[^>]{0,300}>", " ", text) if "<" in text else text


def _clean(text: str) -> str:
    return " ".join(text.split())
