"""The country of a server address, from the table inside the geoip2fast package: no network, IPv4 only.

The table takes about 40 MB and a fifth of a second; it is read when the first public address is asked about.
"""

from __future__ import annotations

from functools import cache, lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from geoip2fast import GeoIP2Fast


@lru_cache(maxsize=4096)
def country_of(address: str) -> str:
    """ISO 3166 code of the country that an address is registered in, upper-case; '' when unknown or not public."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return ""
    if not parsed.is_global or parsed.version != 4:
        return ""
    code = str(_table().lookup(address).country_code or "")
    return code if len(code) == 2 and code.isalpha() else ""


@cache
def _table() -> GeoIP2Fast:
    from geoip2fast import GeoIP2Fast

    return GeoIP2Fast()
