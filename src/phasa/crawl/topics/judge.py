"""The judge by topic: the language gate first, then the topic (§4.2). A page in another language has P_w = 0 (A10)."""

from __future__ import annotations

from phasa.crawl.answer import Answer
from phasa.crawl.judge import Judgement, LanguageJudge
from phasa.crawl.topics.topic import Topic


class TopicJudge:
    """Wanted is what is in the language and about the topic."""

    def __init__(self, topic: Topic, language: LanguageJudge) -> None:
        self._topic = topic
        self._language = language

    def judge(self, answer: Answer) -> Judgement:
        verdict = self._language.judge(answer)
        if not verdict.wanted or answer.page is None:
            return verdict._replace(score=0.0)
        chance = self._topic.relevance(answer.page)
        evidence = f"{self._topic.name} {chance:.3f}"
        return Judgement(chance >= self._topic.threshold, chance, verdict.language, evidence)
