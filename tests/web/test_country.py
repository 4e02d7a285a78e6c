"""The country of a server address."""

from __future__ import annotations

import subprocess
import sys

import pytest

from phasa.web.country import country_of


@pytest.mark.parametrize(("address", "country"), [("61.19.0.1", "TH"), ("5.160.0.1", "IR"), ("8.8.8.8", "US")])
def test_a_public_address_has_the_country_it_is_registered_in(address: str, country: str) -> None:
    assert country_of(address) == country


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "::1", "2001:db8::1", "", "no address"])
def test_what_is_not_public_or_not_an_address_has_none(address: str) -> None:
    assert country_of(address) == ""


def test_a_crawl_of_this_machine_never_reads_the_table() -> None:
    script = (
        "import sys; from phasa.web.country import country_of; country_of('127.0.0.1');"
        " print('geoip2fast' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"
