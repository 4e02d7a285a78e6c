"""Why an address that nothing led to was not fetched."""

from __future__ import annotations

from pathlib import Path

import msgspec

from phasa.collection import Collection
from phasa.crawl.learn.word_bayes import WordBayes
from phasa.crawl.run.explain import explain
from phasa.crawl.segments.dictionary import Dictionary
from phasa.crawl.segments.matcher import Matcher
from phasa.crawl.segments.nominal_bayes import NominalBayes
from phasa.crawl.segments.predictor import Predictor, url_number
from phasa.frontier.sqlite import SqliteFrontier


def test_an_address_that_a_model_was_learned_from_is_told_with_the_model(tmp_path: Path) -> None:
    made = Collection.create(tmp_path / "c", language="en")
    SqliteFrontier(made.frontier_file).close()
    made.models_folder.mkdir(exist_ok=True)
    trained = frozenset([url_number("http://a.com/x/")])
    matcher = Matcher(Dictionary(["phuket"]), "exact")
    predictor = Predictor(matcher, NominalBayes(0.0, [{}] * 7), WordBayes(0.0, {}), trained=trained)
    predictor.save(made.models_folder / "segment.predictor")

    def why(url: str, **settings: str) -> str:
        return explain(Collection(made.path, msgspec.structs.replace(made.settings, **settings)), url).why

    for settings in ({"strategy": "segment"}, {"strategy": "bfs", "unseen": "segment.predictor"}):
        assert "models/segment.predictor was learned from it" in why("http://a.com/x/", **settings)
        assert "no page that was fetched so far links to it" in why("http://a.com/y/", **settings)
    assert "no page that was fetched" in why("http://a.com/x/", strategy="bfs")
    (made.models_folder / "segment.predictor").unlink()  # `why` still answers where the crawl itself could not start
    assert "no page that was fetched" in why("http://a.com/x/", strategy="segment")
