"""A web that does not change, as arrays: what a replay reads. Made from a world, a stored web graph or real data.

Pages are numbers here. `Graph.url` and `Graph.find` lead from numbers to addresses and back; links are in compressed
rows; what a page is (language, similarity Γ, encoding) is one column each, so a million pages fit in memory easily.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from phasa.lab.phrases import Phrases

OK = 200


class Addresses(Protocol):
    """The addresses of the pages, in the order of their numbers."""

    def __len__(self) -> int: ...

    def url(self, page: int) -> str:
        """The address of a page."""

    def urls(self, pages: Sequence[int]) -> list[str]:
        """The addresses of several pages."""

    def find(self, url: str) -> int:
        """The page of an address, -1 when there is none."""


class AddressList:
    """Addresses that are simply kept."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._urls = urls
        self._numbers = {url: number for number, url in enumerate(urls)}

    def __len__(self) -> int:
        return len(self._urls)

    def url(self, page: int) -> str:
        return self._urls[page]

    def urls(self, pages: Sequence[int]) -> list[str]:
        urls = self._urls
        return [urls[page] for page in pages]

    def find(self, url: str) -> int:
        return self._numbers.get(url, -1)


@dataclass(frozen=True)
class Graph:
    """A web that does not change. Columns have one row per page (`len(graph)`) or per link (`len(graph.targets)`)."""

    target: str
    """BCP 47 code of the language that crawls of this web are after."""
    addresses: Addresses
    offsets: NDArray[np.int64]
    targets: NDArray[np.int32]
    language: NDArray[np.uint8]
    languages: tuple[str, ...]
    similarity: NDArray[np.float32]
    """Γ of each page with regard to the target language."""
    status: NDArray[np.uint16]
    moved: NDArray[np.int32]
    """Where a redirect leads, -1 elsewhere."""
    charset: NDArray[np.uint8]
    charsets: tuple[str, ...]
    threshold: float = 0.1
    phrase: NDArray[np.uint16] | NDArray[np.uint32] | None = None
    """The anchor text of each link, as a number of `phrases`."""
    phrases: Phrases | None = None
    around: Callable[[int], Sequence[str]] | None = None
    """The text around each link of a page, where the web has it."""
    hint: NDArray[np.uint8] | None = None
    """hreflang of each link as index of `languages` + 1; 0 where there is none."""
    country: NDArray[np.uint8] | None = None
    """Country of the server of each page, index into `countries`."""
    countries: tuple[str, ...] = ("",)
    trained: NDArray[np.bool_] | None = None
    """Pages that a knowledge base was learned from: no measurement may count them."""
    declared: NDArray[np.bool_] | None = None
    """Pages that declare the target language in a tag."""
    content: NDArray[np.bool_] | None = None
    """Pages that the content test of the Persian cascade finds: enough text in an encoding it reads."""
    copy_of: NDArray[np.int32] | None = None
    labels: NDArray[np.bool_] | None = None
    """Pages that a judge wanted, where one was asked; None: those whose similarity reaches the threshold."""

    def __len__(self) -> int:
        return len(self.language)

    def url(self, page: int) -> str:
        return self.addresses.url(page)

    def find(self, url: str) -> int:
        return self.addresses.find(url)

    @property
    def wanted(self) -> NDArray[np.bool_]:
        """Pages in the target language: P_r of the coverage."""
        return np.asarray(
            (self.status == OK) & (self.similarity >= self.threshold if self.labels is None else self.labels)
        )

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Pages that a measurement may count."""
        readable = self.status == OK
        return np.asarray(readable if self.trained is None else readable & ~self.trained)

    def links(self, page: int) -> slice:
        """The rows of the links of a page."""
        return slice(int(self.offsets[page]), int(self.offsets[page + 1]))

    def page_behind(self, address: int) -> int:
        """The page that an address leads to, by way of any redirects; itself when there is none, or they go round."""
        seen: set[int] = set()
        while self.status[address] != OK and int(self.moved[address]) >= 0 and address not in seen:
            seen.add(address)
            address = int(self.moved[address])
        return address

    def anchor(self, link: int) -> str:
        """The anchor text of a link."""
        if self.phrases is None or self.phrase is None:
            return ""
        return self.phrases.texts[int(self.phrase[link])]
