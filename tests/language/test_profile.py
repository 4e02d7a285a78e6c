"""Profiles: the shipped ones, a user's own, and what is said about a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from phasa.errors import SettingsError
from phasa.language.detectors import detector
from phasa.language.detectors.auto import Auto
from phasa.language.linear import shipped_model
from phasa.language.normalise import STEPS, normalise_as
from phasa.language.profile import is_mentioned, is_shipped, keep_profile, known_languages, load_profile, profile_for
from phasa.language.stopwords import stop_words, stop_words_of

# The languages that most of the web is written in, most pages first (W3Techs), and those without blanks beside them.
OF_THE_WEB = [
    "en", "es", "ru", "de", "fr", "ja", "pt", "tr", "it", "fa", "nl", "pl", "zh", "vi",
    "id", "cs", "ko", "uk", "hu", "ar", "ro", "sv", "el", "he", "da", "th", "fi", "sk",
    "bg", "hr", "sr", "nb", "lt", "ca", "sl", "et", "lv", "hi", "ms", "bn",
]  # fmt: skip
SHIPPED = sorted([*OF_THE_WEB, "lo", "km", "my", "azb", "ckb", "ps", "sd", "ug", "ur"])


def test_the_languages_of_the_plan_are_shipped() -> None:
    assert known_languages() == SHIPPED


@pytest.mark.parametrize("code", SHIPPED)
def test_every_shipped_profile_is_whole(code: str) -> None:
    profile = load_profile(code)
    assert profile.code == code
    assert profile.native_name
    assert profile.countries
    assert profile.threshold == 0.1
    assert set(profile.normalise) <= set(STEPS)
    assert len(stop_words_of(profile)) >= 25
    assert (profile.direction == "rtl") == (profile.scripts[0] in ("Arab", "Hebr"))
    assert load_profile(profile.name) == load_profile(profile.aliases[0]) == profile
    assert code in Auto().codes  # detect can say it


def test_the_codes_of_shipped_profiles_are_known_without_reading_them() -> None:
    assert all(is_shipped(code) for code in known_languages())
    assert not any(map(is_shipped, ("persian", "fa-IR", "xx", "")))


def test_whatever_name_a_profile_has_is_mentioned_in_its_file() -> None:
    names = {name for code in known_languages() for name in load_profile(code).names}
    assert [name for name in sorted(names) if not is_mentioned(name)] == []
    assert not is_mentioned("xx-none")


def test_a_verdict_prints_the_code_of_the_profile_that_has_the_name_of_a_class() -> None:
    model = Auto().model
    for name in shipped_model().languages:
        profile = profile_for(name)
        assert model.code_of(name) == (profile.code if profile and name.lower() in profile.names else name)


def test_no_two_profiles_answer_to_one_name() -> None:
    names = [name for code in SHIPPED for name in load_profile(code).names]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (["Jpan"], ("Kana", "Hani")),
        (["Hira", "Kana", "Hani"], ("Kana", "Hani")),
        (["Kore"], ("Hang", "Hani")),
        (["Hans", "Hant"], ("Hani",)),
        (["Latn", "Aran"], ("Latn", "Arab")),
    ],
)
def test_names_of_several_scripts_mean_all_of_them(tmp_path: Path, written: list[str], meant: tuple[str, ...]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f'code = "qtz"\nname = "Zorbian"\nscripts = {written}\n', encoding="utf-8")
    assert load_profile(str(path)).scripts == meant


@pytest.mark.parametrize(
    ("alias", "code"), [("az-Arab", "azb"), ("pes", "fa"), ("Farsi", "fa"), ("tha", "th"), ("fa_IR", "fa")]
)
def test_other_names_of_a_language(alias: str, code: str) -> None:
    assert load_profile(alias).code == code


def test_a_variety_finds_the_profile_of_its_language() -> None:
    found = profile_for("th-TH-x-old")
    assert found is not None
    assert found.code == "th"
    assert profile_for("gsw") is None


def test_an_unknown_language_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match=r"language 'xx'.*shipped: ar, azb"):
        load_profile("xx")


NONSENSE = """
code = "qtz"
name = "Zorbian"
native_name = "zorbi"
scripts = ["Latn"]
dictionary = "words.txt"
stop_words = "stop.txt"
samples = "sample.txt"
tlds = ["zz"]
threshold = 0.3
normalise = ["nfc", "lower"]
"""


@pytest.fixture
def zorbian(tmp_path: Path) -> Path:
    """A language nobody has: its profile, words, stop words and a sample."""
    (tmp_path / "words.txt").write_text("zorbi\nquux\nplimf\nvrotz\nkagga\n", encoding="utf-8")
    (tmp_path / "stop.txt").write_text("# the one stop word\nquux\n", encoding="utf-8")
    (tmp_path / "sample.txt").write_text("Plimf zorbi quux vrotz. Kagga quux plimf zorbi vrotz quux! " * 9, "utf-8")
    (tmp_path / "zorbian.toml").write_text(NONSENSE, encoding="utf-8")
    return tmp_path / "zorbian.toml"


def test_a_profile_file_is_enough_to_add_a_language(zorbian: Path) -> None:
    text = "Vrotz plimf quux kagga zorbi and something else"
    profile = load_profile(str(zorbian))
    assert profile.code == "qtz"
    assert stop_words(str(zorbian)) == {"quux"}
    assert normalise_as("ZORBI", profile) == "zorbi"
    for method in ("auto", "dictionary", "script", "ngram", "kernel"):
        assert detector(method, str(zorbian)).detect(text).language == "qtz", method


def test_with_a_language_of_one_s_own_the_others_are_still_found(zorbian: Path) -> None:
    own = detector("auto", str(zorbian))
    assert own.detect("ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน").language == "th"
    assert own.detect("The quick brown fox jumps over the lazy dog near the river bank.").language == "en"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ('scripts = ["Latn"]\nscript = "Latn"', "unknown setting 'script'; did you mean 'scripts'"),
        ('scripts = ["Klingon"]', "'Klingon' is no script we know"),
        ('scripts = ["Latn"]\nthreshold = 3', "threshold"),
        ("scripts = []", "scripts"),
    ],
)
def test_a_wrong_profile_is_refused_with_the_reason(tmp_path: Path, wrong: str, said: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(f'code = "qtz"\nname = "Zorbian"\n{wrong}\n', encoding="utf-8")
    with pytest.raises(SettingsError, match=said):
        load_profile(str(path))


def test_a_missing_profile_or_list_is_named(tmp_path: Path, zorbian: Path) -> None:
    with pytest.raises(SettingsError, match=r"absent\.toml"):
        load_profile(str(tmp_path / "absent.toml"))
    (zorbian.parent / "stop.txt").unlink()
    with pytest.raises(SettingsError, match=r"stop\.txt"):
        stop_words(str(zorbian))


def test_a_kept_profile_stands_by_itself(tmp_path: Path, zorbian: Path) -> None:
    original = load_profile(str(zorbian))
    kept = keep_profile(original, tmp_path / "elsewhere" / "profile")
    for file in ("words.txt", "stop.txt", "sample.txt", "zorbian.toml"):
        (zorbian.parent / file).unlink()
    (tmp_path / "elsewhere").rename(tmp_path / "moved")
    again = load_profile(str(tmp_path / "moved" / "profile" / kept.name))
    lists = ("dictionary", "stop_words", "samples")
    assert [getattr(again, key) for key in again.__struct_fields__ if key not in lists] == [
        getattr(original, key) for key in original.__struct_fields__ if key not in lists
    ]
    assert stop_words_of(again) == {"quux"}
    for method in ("auto", "dictionary", "ngram", "kernel"):
        assert detector(method, again).detect("Vrotz plimf quux kagga zorbi").language == "qtz", method


def test_a_list_that_a_kept_profile_names_and_that_is_not_there(tmp_path: Path, zorbian: Path) -> None:
    (zorbian.parent / "stop.txt").unlink()
    with pytest.raises(SettingsError, match=r"stop\.txt: cannot be read.*'stop_words' names it"):
        keep_profile(load_profile(str(zorbian)), tmp_path / "c")
    assert not (tmp_path / "c").exists()
