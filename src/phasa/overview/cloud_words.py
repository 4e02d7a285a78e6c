"""What a cloud says besides its own words, in the languages that come first here, with the digits of the language."""

from __future__ import annotations

from typing import Final

WORDS: Final = {
    "en": {
        "x": "top share of unique weights",
        "y": "keywords",
        "said": "{count} keywords at {percent} %",
        "words": "{count} words",
        "share": "the top {percent} % of all weights",
        "control": "Number of words",
        "facts": "{pages} pages, {terms} words to choose from",
        "fact": "1 page, {terms} words to choose from",
        "times": "occurrences: {times}, pages: {pages}, sites: {sites}",
        "course": "Over time",
        "sites": "Sites",
        "where": "In the text",
        "close": "Close",
        "print": "Print",
        "ask": "Choose a word to see where it stands.",
    },
    "th": {
        "x": "ร้อยละของค่าน้ำหนักที่ไม่ซ้ำกัน",
        "y": "คำสำคัญ",
        "said": "คำสำคัญ {count} คำ ที่ {percent} %",
        "words": "{count} คำ",
        "share": "{percent} % แรกของค่าน้ำหนักทั้งหมด",
        "control": "จำนวนคำ",
        "facts": "{pages} หน้า เลือกได้ {terms} คำ",
        "fact": "1 หน้า เลือกได้ {terms} คำ",
        "times": "{times} ครั้ง ใน {pages} หน้า {sites} เว็บไซต์",
        "course": "ตามเวลา",
        "sites": "เว็บไซต์",
        "where": "ในเนื้อหา",
        "close": "ปิด",
        "print": "พิมพ์",
        "ask": "เลือกคำเพื่อดูว่าอยู่ที่ใดในเนื้อหา",
    },
    "fa": {
        "x": "سهم وزن‌های یکتا",
        "y": "کلیدواژه",
        "said": "{count} کلیدواژه در {percent} ٪",
        "words": "{count} واژه",
        "share": "{percent} ٪ نخست همهٔ وزن‌ها",
        "control": "شمار واژه‌ها",
        "facts": "{pages} صفحه، {terms} واژه برای گزینش",
        "fact": "۱ صفحه، {terms} واژه برای گزینش",
        "times": "{times} بار، در {pages} صفحه از {sites} سایت",
        "course": "در گذر زمان",
        "sites": "سایت‌ها",
        "where": "در متن",
        "close": "بستن",
        "print": "چاپ",
        "ask": "واژه‌ای را برگزینید تا جای آن در متن دیده شود.",
    },
}
_PERSIAN, _ARABIC = "۰۱۲۳۴۵۶۷۸۹", "٠١٢٣٤٥٦٧٨٩"
_DIGITS: Final = dict.fromkeys(("fa", "ur", "ps", "azb"), _PERSIAN) | dict.fromkeys(("ar", "ckb", "sd"), _ARABIC)


def words_for(language: str) -> dict[str, str]:
    """The sentences for a language, English where there are none."""
    return WORDS.get(language.split("-")[0], WORDS["en"])


def digits_of(language: str) -> str:
    """The ten digits that a language is written with on the web (Thai pages write 0 to 9)."""
    return _DIGITS.get(language.split("-")[0], "0123456789")


def numbered(sentence: str, language: str, **numbers: int) -> str:
    """A sentence with numbers in the digits of the language. The parts of a sentence that are not ours stay."""
    digits = str.maketrans("0123456789", digits_of(language))
    for name, number in numbers.items():
        sentence = sentence.replace(f"{{{name}}}", f"{number:,}".translate(digits))
    return sentence
