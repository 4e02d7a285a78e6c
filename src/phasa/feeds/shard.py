"""Which feeds one of several daemons polls: all feeds of a registered domain go to the same one, as hosts of a fleet's
crawl do, so that no server is asked by two machines."""

from __future__ import annotations

import re
from typing import NamedTuple

from xxhash import xxh3_64_intdigest

from phasa.errors import InputError
from phasa.web.url import Url, registered_domain


class Shard(NamedTuple):
    """The `number`th of so many parts."""

    number: int = 1
    of: int = 1

    def has(self, url: str) -> bool:
        """Whether a feed is in this part."""
        if self.of == 1:
            return True
        return xxh3_64_intdigest(registered_domain(Url(url)).encode()) % self.of == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


EVERY = Shard()


def parse_shard(text: str) -> Shard:
    """`2/3` is the second of three parts; nothing is everything. Raises InputError."""
    if not text:
        return EVERY
    found = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise InputError(f"--shard {text}: write 2/3 for the second of three parts")
    return Shard(int(found[1]), int(found[2]))
