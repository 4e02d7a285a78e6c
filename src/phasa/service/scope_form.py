"""The scope of a collection changed from the page: domains to stay in and domains to leave out, in collection.toml."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from phasa.collection import Collection, CollectionSettings
from phasa.crawl.run.counts import Counts, HostCount
from phasa.errors import InputError
from phasa.files import whole_file
from phasa.settings import read_settings

MOST_DOMAINS = 500
LOOKED_AT = 5000
_DOMAIN = re.compile(r"(?!-)[^\s/?#@:\\\"'\x00-\x1f]{1,253}")


class Domains(msgspec.Struct, frozen=True):
    """Only `inside` and what is under them (empty: everywhere), and never `outside`."""

    inside: tuple[str, ...]
    outside: tuple[str, ...]


class Effect(msgspec.Struct, frozen=True):
    """What a scope does to what was collected so far: hosts looked at, those that would be left out, their pages."""

    hosts: int
    left_out: int
    pages: int
    examples: list[str]


def domains_of(text: str) -> tuple[str, ...]:
    """Domains, one per line or parted by blanks or commas. Raises InputError for what is none."""
    found: list[str] = []
    for word in re.split(r"[\s,]+", text.strip().lower()):
        name = word.strip().strip(".").removeprefix("*.")
        if not name:
            continue
        if not _DOMAIN.fullmatch(name) or "." in (name[0], name[-1]):
            raise InputError(f"{word[:100]}: not a domain; write it as ku.ac.th")
        found.append(name)
    if len(found) > MOST_DOMAINS:
        raise InputError(f"{len(found):,} domains at once, at most {MOST_DOMAINS:,}: write them into collection.toml")
    return tuple(dict.fromkeys(found))


def read_domains(collection: Collection) -> Domains:
    """The two lists as collection.toml has them now."""
    scope = read_settings(collection.settings_file, CollectionSettings).scope
    return Domains(scope.domains, scope.not_domains)


def effect_of(domains: Domains, counts: Counts) -> Effect:
    """What would become of the hosts with the most pages."""
    hosts = counts.hosts("pages", "", LOOKED_AT)
    out = [host for host in hosts if not _holds(domains, host)]
    return Effect(len(hosts), len(out), sum(host.pages for host in out), [host.name for host in out[:5]])


def _holds(domains: Domains, host: HostCount) -> bool:
    def under(names: Sequence[str]) -> bool:
        return any(host.name == name or host.name.endswith(f".{name}") for name in names)

    return (not domains.inside or under(domains.inside)) and not under(domains.outside)


def write_domains(collection: Collection, domains: Domains) -> None:
    """Write the two lists into section [scope] of collection.toml; everything else in it stays as it is. Raises
    InputError when the file is laid out so that this cannot be done safely."""
    path = collection.settings_file
    text = path.read_text(encoding="utf-8")
    for name, values in (("domains", domains.inside), ("not_domains", domains.outside)):
        text = _with(text, name, values)
    with whole_file(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
        read = read_settings(unfinished, CollectionSettings)
        if (read.scope.domains, read.scope.not_domains) != (domains.inside, domains.outside):
            raise InputError(f"{collection.SETTINGS}: its [scope] is written in a way that only you can change")


def _with(text: str, name: str, values: Sequence[str]) -> str:
    line = f"{name} = [{', '.join(msgspec.json.encode(value).decode() for value in values)}]"
    section = re.search(r"(?m)^\[scope\][^\n]*\n", text)
    if section is None:
        return f"{text.rstrip()}\n\n[scope]\n{line}\n"
    following = re.search(r"(?m)^\[", text[section.end() :])
    end = section.end() + following.start() if following else len(text)
    body = text[section.end() : end]
    changed, count = re.subn(rf"(?ms)^{name}[ \t]*=[ \t]*\[[^\]]*\]", lambda _: line, body, count=1)
    return text[: section.end()] + (changed if count else f"{line}\n{body}") + text[end:]
