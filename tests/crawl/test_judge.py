"""The judge by language."""

from __future__ import annotations

from collections.abc import Sequence

from phasa.crawl.answer import Answer, Kind
from phasa.crawl.judge import NOTHING, Judgement, LanguageJudge
from phasa.crawl.target import traces_of
from phasa.language.detectors import detector
from phasa.language.profile import load_profile
from phasa.web.html import read_page
from phasa.web.url import Url

THAI = "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย มีแม่น้ำเจ้าพระยาไหลผ่านเมือง และเป็นเมืองที่มีประชากรมากที่สุด "
ENGLISH = "Bangkok is the capital of the country and its most crowded town; a river runs through the middle of it. "


def answer(text: str) -> Answer:
    return Answer(Kind.PAGE, page=read_page(f"<html><body><p>{text}</p></body></html>", Url("http://a.example/")))


def judge() -> LanguageJudge:
    return LanguageJudge(detector("auto", "th"), "th", traces_of(load_profile("th")))


def test_a_page_in_the_language_is_wanted() -> None:
    judged = judge().judge(answer(THAI * 3))
    assert judged.wanted
    assert judged.language == "th"
    assert judged.score > 0.5


def test_a_page_in_another_language_has_no_score() -> None:
    judged = judge().judge(answer(ENGLISH * 3))
    assert (judged.wanted, judged.score, judged.language) == (False, 0.0, "en")


def test_traces_of_the_language_on_a_foreign_page_are_its_score() -> None:
    judged = judge().judge(answer(ENGLISH * 20 + "กรุงเทพมหานคร"))
    assert not judged.wanted
    assert 0.0 < judged.score < load_profile("th").threshold


def test_without_text_there_is_nothing_to_judge() -> None:
    assert judge().judge(Answer(Kind.PAGE)) == NOTHING


def test_the_traces_of_long_pages_are_those_of_their_beginning() -> None:
    traces = traces_of(load_profile("th"), most=200)
    assert traces(ENGLISH * 5 + THAI) == 0.0
    assert traces(THAI + ENGLISH * 5) > 0.5


def test_a_further_look_gets_the_words_of_the_chosen_model() -> None:
    seen: list[Sequence[str]] = []

    def look(answer: Answer, judgement: Judgement, words: Sequence[str]) -> Judgement:
        seen.append(words)
        return judgement

    for model in ("default", "free"):
        judge = LanguageJudge(detector("auto", "th"), "th", further=look, word_model=model)
        assert judge.judge(answer("คณะกรรมการทำหน้าที่กำกับดูแลงานบริหารบุคคล")).wanted
    assert ["ดูแล" in words for words in seen] == [True, False]  # the treebank that the free one learned from has ดู|แล


def test_a_further_look_has_the_last_word() -> None:
    def people(answer: Answer, judgement: Judgement, words: Sequence[str]) -> Judgement:
        return judgement._replace(wanted="ประชากร" in words)

    further = LanguageJudge(detector("auto", "th"), "th", further=people)
    assert further.judge(answer(THAI * 3)).wanted
    assert not further.judge(answer("ภาษาไทยเป็นภาษาราชการของประเทศไทยและมีผู้พูดมากกว่าหกสิบล้านคน " * 3)).wanted
