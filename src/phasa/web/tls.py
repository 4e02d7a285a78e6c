"""Whom a fetch trusts over TLS: the authorities of the system, and one's own besides."""

from __future__ import annotations

import ssl
from pathlib import Path

from phasa.errors import SettingsError


def tls_context(ca_file: Path | None = None, *, verify: bool = True) -> ssl.SSLContext | bool:
    """What aiohttp takes as `ssl`: True for the system's authorities alone.

    `ca_file` (PEM) adds authorities, as an intranet has them; names and dates are checked all the same. Not `verify`,
    nothing is. Raises SettingsError for a file that cannot be read or holds no certificate.
    """
    if verify and ca_file is None:
        return True
    context = ssl.create_default_context()
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif ca_file is not None:
        try:
            context.load_verify_locations(cafile=ca_file)
        except ssl.SSLError:
            raise SettingsError(
                f"setting 'ca_file': {ca_file} holds no certificate; give a PEM file (-----BEGIN CERTIFICATE-----)"
            ) from None
        except OSError as problem:
            raise SettingsError(f"setting 'ca_file': {ca_file} cannot be read: {problem.strerror}") from None
    return context
