"""Whom a fetch trusts over TLS. That an own authority is trusted by a crawl: tests/bench/test_debian_web.py."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from phasa.errors import SettingsError
from phasa.web.fetch import Fetcher
from phasa.web.tls import tls_context


def test_the_system_is_trusted_by_default() -> None:
    assert tls_context() is True


def test_without_verification_nothing_is_checked() -> None:
    context = tls_context(verify=False)
    assert isinstance(context, ssl.SSLContext)
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_NONE, False)


@pytest.mark.parametrize(("text", "said"), [(None, "cannot be read: No such file"), ("no PEM", "holds no certificate")])
def test_a_file_that_is_none_is_named(tmp_path: Path, text: str | None, said: str) -> None:
    file = tmp_path / "ca.pem"
    if text is not None:
        file.write_text(text)
    with pytest.raises(SettingsError, match=said) as raised:
        Fetcher(ca_file=file)
    assert str(file) in str(raised.value)
    assert "'ca_file'" in str(raised.value)
