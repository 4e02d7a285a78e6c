"""How much a generated web lies about language: one share per sort of lie.

The shares are those of the real web where they could be measured (`python bench/lie_shares.py DATA` prints them, on
622 pages and 184,322 hosts of 2018); the others say where they come from. Lies are laid over a drawn web: sites, pages,
languages and links stay the same, whatever the shares, so that webs that lie more and less can be compared.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from phasa.settings import Settings


class Lies(Settings, frozen=True):
    """Shares of what is not as it says."""

    address: Annotated[
        float, Meta(description="Pages under the code of another language, on sites that write codes into addresses.")
    ] = 0.25
    """Not measured: 3 of 11 hreflang and 22 of 29 first labels of hosts are wrong; in Debian's documentation whole
    folders are (/de/ of apache 91 %)."""
    hreflang: Annotated[float, Meta(description="Values of hreflang that name another language.")] = 0.27
    """3 of 11 to hosts whose language is known."""
    language: Annotated[float, Meta(description="Pages that declare another language than theirs.")] = 0.15
    """91 of 615; 57 of 243 Thai pages say 'en'."""
    charset: Annotated[float, Meta(description="Pages that declare another encoding than theirs.")] = 0.013
    """8 of 622."""
    undeclared: Annotated[float, Meta(description="Pages that declare no encoding.")] = 0.03
    """19 of 622."""
    names: Annotated[float, Meta(description="Sites whose name says nothing of their language.")] = 0.2
    """On the careful side: the letters of a name then tell Thai sites from others with an AUC of .62 and Persian ones
    with .78, those of real hosts with .81 and .90. As soon as the share is above 0 no number tells any more."""
    mixed: Annotated[
        float, Meta(description="Target pages mostly in English, and other pages with traces of the target language.")
    ] = 0.17
    """40 of 241 pages with Thai letters have more of others."""
    soft: Annotated[float, Meta(description="Sites that answer 200 where there is no page.")] = 0.25
    """A quarter of dead links, after Bar-Yossef, Broder, Kumar and Tomkins, 'Sic transit gloria telae' (2004)."""
    parked: Annotated[float, Meta(description="Hosts with nothing but adverts, for each site.")] = 0.1
    """Not measured."""
    mirrors: Annotated[float, Meta(description="Sites that stand under a second name as well.")] = 0.07
    """2,917 of 40,536 hosts have the links and the size of another."""

    def __bool__(self) -> bool:
        """Whether anything lies."""
        return any(msgspec.structs.astuple(self))


_HALF = frozenset({"address", "hreflang", "language"})
"""What would tell the truth again, turned round, if it lied more often than every second time."""


def scaled(lies: Lies, times: float) -> Lies:
    """The same lies so many times as often, as far as shares can grow."""
    shares = msgspec.structs.asdict(lies)
    return Lies(
        **{name: min(share * times, max(share, 0.5) if name in _HALF else 1.0) for name, share in shares.items()}
    )


NO_LIES = scaled(Lies(), 0.0)
