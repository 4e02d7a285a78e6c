"""Charset labels as the web writes them, brought to one name."""

from __future__ import annotations

# Spelling on the web -> the name we use. Labels of Thai and Arabic-script charsets and the Unicode ones.
_NAMES = {
    "tis620": "tis-620",
    "tis6202533": "tis-620",
    "windows874": "windows-874",
    "cp874": "windows-874",
    "xwindows874": "windows-874",
    "dos874": "windows-874",
    "iso885911": "iso-8859-11",
    "windows1256": "windows-1256",
    "cp1256": "windows-1256",
    "xcp1256": "windows-1256",
    "iso88596": "iso-8859-6",
    "arabic": "iso-8859-6",
    "utf8": "utf-8",
    "unicode11utf8": "utf-8",
    "xunicode20utf8": "utf-8",
}


def charset_name(label: str) -> str:
    """The one name of a charset: lower case, well-known spellings joined (`TIS620` -> `tis-620`)."""
    plain = "".join(character for character in label.lower() if character.isalnum())
    return _NAMES.get(plain, label.strip().lower())
