"""Where untrusted bytes are read: processes of their own, whose death costs one page and nothing else (DESIGN §3.11).

`run(read_page, body, url)` calls a function there and waits; `pool.Pool` is the same for an event loop. Any function of
a module will do whose return annotation msgspec can decode. What comes back is data, never code: a parser that was
taken over by a page can lie about that page, and do no more.

One process (`process`) has loaded the parsers; it forks workers, which are therefore there at once when one has died.
A worker is given its memory and, for each call, its processor time by the operating system. A call that ends its worker
is tried once more in a fresh one, since what harmed the worker may have been a call before it; then it has crashed.
"""

from __future__ import annotations

from phasa.errors import ParserCrashedError
from phasa.sandbox.apart import run
from phasa.sandbox.bounds import Bounds

__all__ = ["Bounds", "ParserCrashedError", "run"]
