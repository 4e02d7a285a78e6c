"""Origins (scheme, host, port): what has a queue, rules, rests and failures of its own.

The http and the https side of a host are two servers: one may be broken while the other answers. Manners are those of
the host all the same: it is asked for one thing at a time, and rests after each, whatever the scheme.
"""

from __future__ import annotations

from phasa.web.url import authority

_SECURE = "https://"


def queue_of(url: str) -> str:
    """The name of the origin of a URL: `a.example`, or `https://a.example`; with its port where that is not the usual
    one, without credentials."""
    name = authority(url)
    return _SECURE + name if url.startswith(_SECURE) else name


def host_of(queue: str) -> str:
    """The host (with its port) that an origin belongs to."""
    return queue.removeprefix(_SECURE)


def other_origin(queue: str) -> str:
    """The origin of the same host with the other scheme."""
    return queue[len(_SECURE) :] if queue.startswith(_SECURE) else _SECURE + queue
