"""Character set only (crawling specification §5.2, method 1): a charset that one language uses names the language."""

from __future__ import annotations

from phasa.language.charsets import charset_name
from phasa.language.detectors.detector import OneByOne
from phasa.language.profile import Profile, known_languages, load_profile
from phasa.language.verdict import Document, Verdict, unknown


class CharsetOnly(OneByOne):
    """Looks at the declared charset and nothing else. UTF-8 names no language, so it is undecided."""

    def __init__(self, profiles: list[Profile]) -> None:
        self._users: dict[str, list[str]] = {}
        for profile in profiles:
            for charset in profile.charsets:
                self._users.setdefault(charset_name(charset), []).append(profile.code)

    def judge(self, document: Document) -> Verdict:
        if document.charset is None:
            return unknown("no charset declared")
        name = charset_name(document.charset)
        users = self._users.get(name, [])
        if len(users) == 1:
            return Verdict(users[0], 1.0, f"charset {name}")
        if users:
            return unknown(f"charset {name} is used for {', '.join(users)}")
        return unknown(f"charset {name} names no language")


def charset_only(profile: Profile | None) -> CharsetOnly:
    """For one language, or for all that have a profile (then a charset that several use decides nothing)."""
    return CharsetOnly([profile] if profile else [load_profile(code) for code in known_languages()])
