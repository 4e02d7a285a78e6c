"""Everything new as one feed, for any reader: Atom and JSON Feed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

import msgspec

from phasa.feeds.mend import writable
from phasa.feeds.post import headline
from phasa.feeds.rows import ShownPost


def atom(posts: Sequence[ShownPost], title: str, address: str) -> str:
    """The posts as an Atom feed (RFC 4287) with this title, to be found at this address."""
    updated = max((post.first_seen for post in posts), default=0.0)
    entries = "\n".join(_entry(post) for post in posts)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<title>{_text(title)}</title><id>{_text(address)}</id><updated>{_time(updated)}</updated>"
        f'<link rel="self" href={quoteattr(writable(address))}/><generator>phasa</generator>\n{entries}\n</feed>\n'
    )


def _entry(post: ShownPost) -> str:
    link = f"<link href={quoteattr(writable(post.link))}/>" if _is_link(post.link) else ""
    category = f"<category term={quoteattr(writable(post.category))}/>" if post.category else ""
    return (
        f"<entry><id>{_text(_identity(post))}</id><title>{_text(headline(post.title) or '(no title)')}</title>{link}"
        f"<updated>{_time(post.first_seen)}</updated><published>{_time(post.at)}</published>{category}"
        f"<author><name>{_text(headline(post.publisher or post.feed))}</name></author>"
        f"<summary>{_text(headline(post.description, 2000))}</summary></entry>"
    )


def json_feed(posts: Sequence[ShownPost], title: str, address: str) -> bytes:
    """The posts as a JSON Feed 1.1."""
    items = [
        {
            "id": _identity(post), "title": headline(post.title), "content_text": headline(post.description, 2000),
            "date_published": _time(post.at), "tags": [post.category] if post.category else [],
            "authors": [{"name": headline(post.publisher or post.feed)}],
        } | ({"url": post.link} if _is_link(post.link) else {})
        for post in posts
    ]  # fmt: skip
    return msgspec.json.encode(
        {"version": "https://jsonfeed.org/version/1.1", "title": title, "feed_url": address, "items": items}
    )


def _identity(post: ShownPost) -> str:
    return f"{post.feed_url}#post-{post.number}"


def _is_link(link: str) -> bool:
    return link.startswith(("http://", "https://"))


def _text(text: str) -> str:
    return escape(writable(text))


def _time(moment: float) -> str:
    return dt.datetime.fromtimestamp(max(0.0, moment), dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
