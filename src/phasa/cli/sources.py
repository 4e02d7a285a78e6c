"""Pages as the commands take them: a file, a URL, or `-` for standard input."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from phasa import __version__
from phasa.cli.inputs import read_bytes
from phasa.errors import InputError

if TYPE_CHECKING:
    from phasa.web.fetch import Fetcher
    from phasa.web.url import Url

USER_AGENT = f"phasa/{__version__} (a person asked for this page)"


class Source(NamedTuple):
    """The bytes of a page, where they are from, and the Content-Type that came with them ('' for a file)."""

    name: str
    body: bytes
    content_type: str = ""


def is_address(name: str) -> bool:
    return name.startswith(("http://", "https://"))


def web_address(name: str) -> Url:
    """The address that a word on the command line means. Raises InputError for a broken one."""
    from phasa.web.url import parse

    url = parse(name)
    if url is None:
        raise InputError(f"{name}: not a usable web address")
    return url


def read_source(name: str, *, allow_private: bool = False) -> Source:
    """The page of that name. Raises InputError when it cannot be fetched, OSError when it cannot be read."""
    if not is_address(name):
        return Source(name, read_bytes(name))
    import asyncio

    return asyncio.run(_fetch(web_address(name), allow_private))


def page_fetcher(*, allow_private: bool = False) -> Fetcher:
    """A fetcher for single pages. PHASA_SERVER=address:port in the environment leads it to a web on this machine."""
    from phasa.web.fetch import Fetcher

    server = os.environ.get("PHASA_SERVER", "")
    return Fetcher(user_agent=USER_AGENT, allow_private=allow_private, server=server)


async def _fetch(url: Url, allow_private: bool) -> Source:
    async with page_fetcher(allow_private=allow_private) as fetcher:
        answer = await fetcher.fetch(url)
    if answer.outcome == "blocked_address":
        raise InputError(f"{url}: an address of this machine or its network; --allow-private permits it")
    if not answer.ok:
        from phasa.web.http import failure_in_words

        raise InputError(f"{url}: {failure_in_words(answer)}")
    return Source(answer.final_url, answer.body, answer.header("content-type") or "")
