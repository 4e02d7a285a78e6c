"""Personal data masked: what looks like it and, where it has check digits, proves to be it.

Digits of any script count. A mask names its kind: `<mail>`, `<phone>`, `<thai-id>`, `<iran-id>`, `<iban>`, `<card>`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from phasa.corpus.document import Document

_DIGITS = str.maketrans(
    {
        chr(zero + value): str(value)
        for zero in (0x0660, 0x06F0, 0x0E50, 0x0ED0, 0x17E0, 0x1040, 0x0966, 0x09E6, 0xFF10)
        for value in range(10)
    }
)
_HAS_DIGIT = re.compile(r"\d")
_MAIL = re.compile(
    r"(?<![\w.+-])[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.)+[A-Za-z]{2,24}(?![\w-])"
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
_CARD = re.compile(r"(?<![\d-])[3-69]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,7}(?!\d|-\d)")
_THAI = re.compile(r"(?<![\d-])[1-8](?:\d{12}|[ -]\d{4}[ -]\d{5}[ -]\d{2}[ -]\d)(?!\d|-\d)")
_IRAN = re.compile(r"(?<![\d+-])\d(?:\d{9}|\d{2}-\d{6}-\d)(?!\d|-\d)")
_PHONE = re.compile(
    r"(?<![\w+.-])(?:"
    r"(?:\+|00)(?:66|98|856|855|95|[1-9]\d{0,2})[ .-]?(?:\(0\))?[ .-]?\d(?:[ .-]?\d){6,11}"  # with the country
    r"|0[689]\d[ .-]?\d{3}[ .-]?\d{4}"  # Thai mobile
    r"|0[2-7]\d?[ .-]\d{3}[ .-]\d{3,4}"  # Thai line
    r"|09\d{2}[ .-]?\d{3}[ .-]?\d{2}[ .-]?\d{2}"  # Iranian mobile
    r"|0\d{2}[ .-]\d{4}[ .-]?\d{4}"  # Iranian line
    r")(?![\w-]|\.\d)"
)
# Length of the account number by country, of those that have one (ISO 13616).
_LENGTHS = (
    "NO15 BE16 DK18 FI18 FO18 GL18 NL18 MK19 SI19 AT20 BA20 EE20 KZ20 LT20 LU20 XK20 CH21 HR21 LI21 LV21 BG22 "
    "BH22 CR22 DE22 GB22 GE22 IE22 ME22 RS22 VA22 AE23 GI23 IL23 IQ23 TL23 AD24 CZ24 ES24 MD24 PK24 RO24 SA24 "
    "SE24 SK24 TN24 VG24 LY25 PT25 ST25 IR26 IS26 TR26 FR27 GR27 IT27 MC27 MR27 SM27 AL28 AZ28 BY28 CY28 DO28 "
    "GT28 HU28 LB28 PL28 SV28 BR29 EG29 PS29 QA29 UA29 JO30 KW30 MU30 MT31 SC31 LC32"
)
_IBAN_LENGTHS = {entry[:2]: int(entry[2:]) for entry in _LENGTHS.split()}


def is_thai_id(digits: str) -> bool:
    """Thirteen digits of which the last is 11 less the weighted sum of the others, modulo 11 and 10."""
    if len(digits) != 13:
        return False
    total = sum(int(digit) * (13 - place) for place, digit in enumerate(digits[:12]))
    return (11 - total % 11) % 10 == int(digits[12])


def is_iran_id(digits: str) -> bool:
    """Ten digits, not all the same, of which the last is the weighted sum modulo 11, or 11 less it when that is two or
    more."""
    if len(digits) != 10 or len(set(digits)) == 1:
        return False
    rest = sum(int(digit) * (10 - place) for place, digit in enumerate(digits[:9])) % 11
    return int(digits[9]) == (rest if rest < 2 else 11 - rest)


def is_card(digits: str) -> bool:
    """Thirteen to nineteen digits with Luhn's check digit."""
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    doubled = [int(digit) * 2 for digit in digits[-2::-2]]
    total = sum(int(digit) for digit in digits[-1::-2]) + sum(value - 9 if value > 9 else value for value in doubled)
    return total % 10 == 0


def is_iban(text: str) -> bool:
    """An account number as long as its country has them, whose remainder modulo 97 is 1."""
    plain = re.sub("[ -]", "", text)
    if _IBAN_LENGTHS.get(plain[:2]) != len(plain):
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def _bare(text: str) -> str:
    return re.sub(r"\D", "", text)


class Kind(NamedTuple):
    """A kind of personal data: what it looks like, and the check that proves it."""

    pattern: re.Pattern[str]
    proves: Callable[[str], bool]


# In the order in which they are masked: what has check digits comes before what only looks like something.
KINDS: dict[str, Kind] = {
    "mail": Kind(_MAIL, lambda found: True),
    "iban": Kind(_IBAN, is_iban),
    "card": Kind(_CARD, lambda found: is_card(_bare(found))),
    "thai-id": Kind(_THAI, lambda found: is_thai_id(_bare(found))),
    "phone": Kind(_PHONE, lambda found: 8 <= len(_bare(found)) <= 15),
    "iran-id": Kind(_IRAN, lambda found: is_iran_id(_bare(found))),
}


def mask(text: str, kinds: Sequence[str]) -> tuple[str, dict[str, int]]:
    """The text with all data of these kinds masked, and how many of each there were."""
    counts: Counter[str] = Counter()
    for name, kind in KINDS.items():
        if name not in kinds or not (
            (name == "mail" and "@" in text) or (name != "mail" and any(map(str.isdigit, text)))
        ):
            continue
        plain = text.translate(_DIGITS)
        parts, at = [], 0
        for found in kind.pattern.finditer(plain):
            if kind.proves(found[0]):
                parts += [text[at : found.start()], f"<{name}>"]
                at = found.end()
                counts[name] += 1
        text = "".join([*parts, text[at:]]) if parts else text
    return text, dict(counts)


class Mask:
    """The step that masks the title and every paragraph."""

    name = "personal"

    def __init__(self, kinds: Sequence[str]) -> None:
        self._kinds = tuple(kinds)

    def __call__(self, documents: Sequence[Document]) -> list[Document]:
        return [self._masked(one) for one in documents]

    def _masked(self, document: Document) -> Document:
        counts: Counter[str] = Counter()
        paragraphs = []
        for paragraph in document.paragraphs:
            text, found = mask(paragraph.text, self._kinds)
            counts.update(found)
            paragraphs.append(replace(paragraph, text=text) if found else paragraph)
        title, found = mask(document.title, self._kinds)
        counts.update(found)
        if not counts:
            return document
        before = mask(document.before, self._kinds)[0]
        return replace(
            document, title=title, paragraphs=tuple(paragraphs), masked=dict(sorted(counts.items())), before=before
        )
