"""What a page says about its use: opt-outs that are honoured, and the licence that it carries."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from resiliparse.parse.html import HTMLTree

from phasa.corpus.document import Document, dropped

HONOURED = ("noai", "noarchive", "tdm-reservation")
_DIRECTIVES = frozenset(("noai", "noarchive", "none"))
_AGENTS = frozenset(("robots", "phasa"))
_RIGHTS = frozenset(("dc.rights", "dcterms.rights", "dcterms.license", "dc.license", "license", "copyright-license"))
_CC = re.compile(r"creativecommons\.org/licenses/([a-z-]{2,12})/(\d\.\d)(?:/([a-z]{2,3})\b)?", re.I)
_PUBLIC = re.compile(r"creativecommons\.org/publicdomain/(zero|mark)/(\d\.\d)", re.I)
_LONGEST = 200
_SELECTOR = 'meta[content],link[rel~="license"],a[rel~="license"],a[href*="creativecommons.org/"]'
_ld = re.compile(r'"license"\s*:\s*"((?:[^"\\]|\\.){1,300})"')


class Rights(NamedTuple):
    """`opt_out` is the first of HONOURED that holds, or ''; `licence` an SPDX name, or what the page says, or ''."""

    opt_out: str = ""
    licence: str = ""


def read_rights(tree: HTMLTree, headers: Sequence[tuple[str, str]] = ()) -> Rights:
    """What a parsed page and the headers of its answer say. Never raises for what they contain."""
    said: list[str] = [value for name, value in headers if name.lower() == "x-robots-tag"]
    reserved = [value for name, value in headers if name.lower() == "tdm-reservation"]
    marks: list[str] = []
    if tree.document is not None:
        for element in tree.document.query_selector_all(_SELECTOR):
            if element.tag == "meta":
                name = (element.getattr("name") or element.getattr("property") or "").strip().lower()
                if name in _AGENTS:
                    said.append(element.getattr("content") or "")
                elif name == "tdm-reservation":
                    reserved.append(element.getattr("content") or "")
                elif name in _RIGHTS:
                    marks.append(element.getattr("content") or "")
            else:
                marks.append(element.getattr("href") or "")
        for script in tree.document.query_selector_all('script[type="application/ld+json"]'):
            marks += _json_licences(script.text)
    return Rights(_opt_out(said, reserved), licence_of(marks))


def _json_licences(text: str) -> list[str]:
    found = []
    for match in _ld.finditer(text[:200_000]):
        try:
            found.append(str(json.loads(f'"{match[1]}"')))
        except ValueError:
            continue
    return found


def _opt_out(directives: Iterable[str], reserved: Iterable[str]) -> str:
    words: set[str] = set()
    for value in directives:
        # "otherbot: noai" is for another; a directive without a name is for all.
        agent, colon, rest = value.partition(":")
        if colon and agent.strip().lower() not in _AGENTS:
            continue
        words.update(re.split(r"[\s,;]+", (rest if colon else value).lower()))
    found = words & _DIRECTIVES
    if "noai" in found:
        return "noai"
    if found:
        return "noarchive"
    return "tdm-reservation" if any(value.strip() == "1" for value in reserved) else ""


def licence_of(marks: Iterable[str]) -> str:
    """The first mark that names a licence we know, as SPDX; else the first that says anything, cut to a line."""
    first = ""
    for mark in marks:
        if found := _CC.search(mark):
            country = f"-{found[3].upper()}" if found[3] and found[3].lower() not in ("dee", "leg") else ""
            return f"CC-{found[1].upper()}-{found[2]}{country}"
        if found := _PUBLIC.search(mark):
            return "CC0-1.0" if found[1].lower() == "zero" else "CC-PDM-1.0"
        first = first or " ".join(mark.split())[:_LONGEST]
    return first


class OptOuts:
    """The step that leaves out pages which say that they are not to be used so."""

    name = "optout"

    def __call__(self, documents: Sequence[Document]) -> list[Document]:
        return [dropped(one, self.name, one.opt_out) if one.opt_out else one for one in documents]
