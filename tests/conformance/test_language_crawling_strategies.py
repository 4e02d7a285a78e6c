"""specs/language-specific-crawling.md §10, the rows about queues, features, knowledge base and strategies."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path

import numpy as np
import pytest
from tests.crawl.strategies.test_hybrid import make_web
from tests.crawl.tiny import TinyCrawl, TinyPage, fifo

from phasa.collection import Collection
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.judge import Judgement
from phasa.crawl.learn.extraction import KnowledgeExtraction, extract_knowledge
from phasa.crawl.learn.features import (
    PathMemory,
    anchor_values,
    domain_values,
    link_features,
    path_after,
    read_note,
    write_notes,
)
from phasa.crawl.learn.knowledge import KnowledgeBase, Row, read_arff, write_arff
from phasa.crawl.learn.validation import cross_validate, weaknesses
from phasa.crawl.run.assembly import judge_of
from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.crawl.strategies.breadth_first import BreadthFirst
from phasa.crawl.strategies.hybrid import Hybrid
from phasa.crawl.strategies.lswc import Lswc
from phasa.crawl.strategies.naive_bayes import NaiveBayesStrategy
from phasa.crawl.strategy import JudgedPage, OutLinks, Seed
from phasa.crawl.target import Target
from phasa.lab.knowledge import learn as learn_world
from phasa.lab.knowledge import without_trained
from phasa.lab.replay import GraphJudge, page_of, replay
from phasa.lab.seeds import seeds_of
from phasa.lab.targets import target_of
from phasa.lab.world import World
from phasa.language.detectors.dictionary import dictionary
from phasa.web.html import read_page
from phasa.web.url import Url


def thai_share(text: str) -> float:
    letters = [letter for letter in text if letter.isalpha()]
    return sum("ก" <= letter <= "๛" for letter in letters) / len(letters) if letters else 0.0


AIM = Target("th", frozenset({"th"}), frozenset({"TH"}), thai_share)
TABLE_13 = [
    Seed("http://www.nectec.or.th/", 0, 0, 1, 1),
    Seed("http://kanchanapisek.or.th/", 0, 0, 1, 1),
    Seed("http://www.kas.de/proj/home/links/6/2/index.html", 0, 0, 0, 1),
]
TABLE_15 = [
    Seed("http://news.mthai.com", 0.55, 1, 0, 0.69),
    Seed("http://dir.narak.com/news_and_media", 0.43, 1, 0, 0.69),
    Seed("http://www.thaibiznews.net", 0, 0, 0, 0),
]


def knowledge(rows: int = 600, seed: int = 0) -> KnowledgeBase:
    dice = np.random.default_rng(seed)
    found = []
    for _ in range(rows):
        thai = bool(dice.random() < 0.6)
        parent = float(np.clip(dice.normal(0.5 if thai else 0.15, 0.2), 0, 1))
        anchor = float(dice.random() < (0.6 if thai else 0.1))
        domain = float(dice.random() < (0.3 if thai else 0.05))
        found.append(Row(parent, anchor, domain, math.log1p(dice.integers(0, 5 if thai else 2)), thai))
    return KnowledgeBase.of(found)


def test_row_01_the_mode_of_the_queue_changes_only_the_order() -> None:
    web = make_web(5)
    seeds = [f"http://h{i}.com/0" for i in range(40)]
    in_turn = TinyCrawl(web, BreadthFirst()).run(seeds)
    by_score = TinyCrawl(web, NaiveBayesStrategy(AIM, knowledge())).run(seeds)
    assert in_turn != by_score
    assert sorted(in_turn) == sorted(by_score)


def test_row_02_seeds_carry_their_features() -> None:
    offers = NaiveBayesStrategy(AIM, knowledge()).start(TABLE_15)
    assert read_note(offers.note(0))[:4] == pytest.approx((0.55, 1, 0, 0.69))


def test_row_03_starting_urls_are_the_links_of_a_page_fetched_before() -> None:
    page = JudgedPage("http://a.th/", Judgement(True, 0.62), OutLinks(["http://b.com/", "http://c.com/"], ["ก", "x"]))
    extraction = KnowledgeExtraction(AIM)
    offers = extraction.page(page)
    for i in range(2):
        traits = read_note(offers.note(i))
        assert traits.parent == pytest.approx(0.62)
        assert traits.distance == pytest.approx(math.log(2))


def test_row_29_a1_is_gamma_of_the_page_with_the_link(tmp_path: Path) -> None:
    """Whatever the detector: in a crawl by `nb` the score of every page is Γ, in the language or not."""
    page = JudgedPage("http://a/", Judgement(True, 0.37), OutLinks(["http://b/"]))
    assert link_features(page, np.ones(1), AIM)[0, 0] == 0.37
    thai = "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย Bangkok is its name in English, and it is large. "
    english = "Most of this page is in English, and only a word or two, ประเทศไทย, is not, as can be seen. "
    (tmp_path / "knowledge.arff").write_text(write_arff(knowledge()), encoding="utf-8")
    collection = Collection.create(tmp_path / "web", language="th")
    profile = collection.profile
    gamma = dictionary(profile).gamma
    for detector in ("auto", "script", "dictionary"):
        chosen = collection.with_settings(strategy="nb", detector=detector, knowledge=str(tmp_path / "knowledge.arff"))
        judge = judge_of(chosen, profile)
        for text in (thai, english):
            answer = Answer(Kind.PAGE, page=read_page(f"<p>{text}</p>", Url("http://a.com/")))
            assert judge.judge(answer).score == pytest.approx(gamma(text), abs=1e-6)
    alone = judge_of(collection.with_settings(strategy="a1"), profile)  # published with Γ, and needs no knowledge base
    assert alone.judge(answer).score == pytest.approx(gamma(english), abs=1e-6)
    answer = Answer(Kind.PAGE, page=read_page(f"<p>{thai}</p>", Url("http://a.com/")))
    assert alone.judge(answer).score == pytest.approx(gamma(thai), abs=1e-6)
    assert judge_of(collection, profile).judge(answer).score != pytest.approx(gamma(thai), abs=0.01)


def test_row_30_a2_is_gamma_of_the_anchor() -> None:
    links = OutLinks(["http://a/", "http://b/", "http://c/"], ["ข่าววันนี้", "news", ""])
    assert anchor_values(links, AIM).tolist() == [1.0, 0.0, 0.0]


def test_row_31_a3_is_the_top_level_domain() -> None:
    urls = ["http://www.ku.ac.th/", "http://thai.com/", "http://th.example.org/"]
    assert domain_values(urls, AIM).tolist() == [1, 0, 0]


def test_row_32_the_path_is_reset_after_another_language() -> None:
    first = path_after(True, 0)
    second = path_after(True, first)
    third = path_after(False, second)
    assert [first, second, third, path_after(True, third)] == [1, 2, 0, 1]


def test_row_33_a4_is_the_logarithm_of_the_path() -> None:
    page = JudgedPage("http://a/", Judgement(True, 0.5), OutLinks(["http://b/", "http://c/"]))
    assert link_features(page, np.array([1.0, 0.0]), AIM)[:, 3].tolist() == pytest.approx([0.693, 0], abs=1e-3)


def test_row_34_a_longer_path_found_later_raises_a_waiting_url() -> None:
    memory = PathMemory()
    assert memory.update(["http://q/"], True, 0)[0] == 1
    assert memory.update(["http://q/"], True, 3)[0] == 4


WEB = {
    "http://a.th/": TinyPage(0.6, [("http://b.com/", "ก"), ("http://c.com/", "x")]),
    "http://b.com/": TinyPage(0.02, ["http://d.com/"]),
    "http://c.com/": TinyPage(0.5, []),
    "http://d.com/": TinyPage(0.9, []),
}


def test_row_35_a_row_has_the_features_of_before_and_the_class_of_after() -> None:
    extraction = KnowledgeExtraction(AIM)
    TinyCrawl(WEB, extraction).run(["http://a.th/"])
    rows = dict(zip(extraction.trained, extraction.rows, strict=True))
    assert rows["http://d.com/"].parent == pytest.approx(0.02)  # Γ of its parent, never 0.9
    assert rows["http://d.com/"].wanted
    assert rows["http://b.com/"].parent == pytest.approx(0.6)
    assert not rows["http://b.com/"].wanted


def test_row_36_as_many_rows_as_wanted() -> None:
    extraction = KnowledgeExtraction(AIM, max_pages=200)
    TinyCrawl(make_web(1), extraction).run([f"http://h{i}.com/0" for i in range(5)])
    assert len(extraction.knowledge()) == 200
    assert KnowledgeExtraction(AIM).max_pages == 10_000


def test_row_37_the_file_is_a_weka_file_with_the_five_attributes() -> None:
    lines = write_arff(knowledge(5)).splitlines()
    assert lines[:7] == [
        "@relation all", "@attribute parent real", "@attribute anchor real", "@attribute domain real",
        "@attribute distance real", "@attribute output {thai, non}", "@data",
    ]  # fmt: skip
    assert all(len(line.split(",")) == 5 and line.split(",")[4] in ("thai", "non") for line in lines[7:])
    assert len(read_arff("\n".join(lines))) == 5


def test_row_38_no_trained_page_is_measured() -> None:
    world = World.from_name("3:3000", "th")
    graph, base = learn_world(world)
    assert graph.trained is not None
    assert graph.trained.sum() == len(base) > 100
    for kept in (graph, without_trained(graph)):
        seeds = [*seeds_of(world, "thai2"), *seeds_of(world, "english")]
        crawl = replay(kept, make_strategy("bfs", Circumstances(target_of(kept))), seeds, 800)
        assert len(crawl.pages) > 50
        assert not graph.trained[crawl.pages].any()
        found = int(kept.wanted[crawl.pages].sum())
        wanted = int((graph.wanted & ~graph.trained).sum())
        assert crawl.coverage(kept, len(crawl.pages))[-1] == pytest.approx(found / wanted)
    gone = without_trained(graph)
    assert (gone.status[graph.trained] == 404).all()


def test_row_38_pages_used_are_marked_and_only_those() -> None:
    pages = [JudgedPage(url, Judgement(page.similarity >= 0.1, page.similarity), page.out) for url, page in WEB.items()]
    base, trained = extract_knowledge(pages, AIM, max_pages=3)
    assert trained == list(WEB)[:3]
    assert len(base) == 3


def test_row_39_the_two_classes_share_one() -> None:
    base = knowledge()
    other = KnowledgeBase(base.features, ~base.wanted)
    wanted, rest = base.model().probability(base.features), other.model().probability(base.features)
    assert np.allclose(wanted + rest, 1)
    assert ((wanted >= 0) & (wanted <= 1)).all()


def test_row_40_the_cross_validation_table_has_both_classes() -> None:
    table = cross_validate(knowledge()).table()
    assert [line.split()[0] for line in table.splitlines()[:4]] == ["predicted", "thai", "non", "total"]
    assert {"precision", "recall", "F"} <= set(table.split())


def test_row_41_the_gate_warns_of_imbalance_and_of_features_without_values() -> None:
    base = knowledge(2000)
    assert weaknesses(base) == []
    assert weaknesses(KnowledgeBase(base.features, np.arange(2000) < 1990))
    assert weaknesses(KnowledgeBase(base.features * np.array([1, 1, 0, 1]), base.wanted))


def test_row_42_every_page_fetched_is_the_best_that_waits() -> None:
    crawl = TinyCrawl(make_web(2), NaiveBayesStrategy(AIM, knowledge()))
    crawl.run(["http://h0.com/0", "http://h1.com/0"], pages=1)
    for _ in range(150):
        best = max(entry.priority for entry in crawl.waiting.values())
        chosen = min(crawl.waiting, key=lambda url: (-crawl.waiting[url].priority, crawl.waiting[url].order))
        assert crawl.waiting[chosen].priority == best
        crawl.step()
        assert crawl.fetched[-1] == chosen


def test_row_43_the_knowledge_base_is_static(tmp_path: Path) -> None:
    file = tmp_path / "knowledge.arff"
    file.write_text(write_arff(knowledge()), encoding="utf-8")
    before = hashlib.md5(file.read_bytes()).hexdigest()
    base = read_arff(file.read_text(encoding="utf-8"))
    TinyCrawl(make_web(2), NaiveBayesStrategy(AIM, base)).run(["http://h0.com/0"], pages=100)
    assert hashlib.md5(file.read_bytes()).hexdigest() == before
    assert write_arff(base) == write_arff(read_arff(file.read_text(encoding="utf-8")))


def test_row_44_breadth_first_is_a_plain_queue() -> None:
    web = make_web(9)
    assert TinyCrawl(web, BreadthFirst()).run(["http://h3.com/0"]) == fifo(web, ["http://h3.com/0"])


def test_row_45_lswc_is_perfect_on_a_pure_server_and_falls_on_a_mixed_host() -> None:
    """Every page also links to foreign servers, and the crawl is shorter than the web: breadth-first is not perfect."""

    def server(share: int) -> dict[str, TinyPage]:
        own = [f"http://host.com/{i}" for i in range(60)]
        foreign = [f"http://f{i}.com/" for i in range(60)]
        web = {
            url: TinyPage(0.6 if i == 0 or i % 10 < share else 0.0, [foreign[i], *own[i + 1 : i + 4]])
            for i, url in enumerate(own)
        }
        return web | {url: TinyPage(0.0, []) for url in foreign}

    harvest = {}
    for name, share in (("pure", 10), ("mixed", 2)):
        web = server(share)
        for strategy in (Lswc(distance=5, patience=3), BreadthFirst()):
            order = TinyCrawl(web, strategy).run(["http://host.com/0"], pages=50)
            harvest[name, strategy.name] = sum(web[url].similarity >= 0.1 for url in order) / len(order)
    assert harvest["pure", "lswc"] == 1.0
    assert harvest["pure", "bfs"] < 0.9
    assert harvest["mixed", "lswc"] < 0.4


def test_row_45_t_is_5_s_is_3_and_both_are_settings() -> None:
    """T links from the last page in the language, S other pages until a server is foreign and waits behind the rest."""

    def crawled(web: dict[str, TinyPage], strategy: str = "lswc") -> list[str]:
        return TinyCrawl(web, make_strategy(strategy, Circumstances(AIM))).run([next(iter(web))])

    chain = {"http://thai.com/": TinyPage(0.6, ["http://o1.com/"])}
    chain |= {f"http://o{i}.com/": TinyPage(0.0, [f"http://o{i + 1}.com/"]) for i in range(1, 9)}
    assert len(crawled(chain)) == 1 + 5
    assert len(crawled(chain, "lswc:distance=2")) == 1 + 2
    # A server of the language is taken as a whole, however far the page is that links to it.
    back = chain | {"http://o5.com/": TinyPage(0.0, ["http://thai.com/2"]), "http://thai.com/2": TinyPage(0.6, [])}
    assert crawled(back)[-1] == "http://thai.com/2"
    others = [f"http://f.com/{i}" for i in range(3)]
    judged = {"http://thai.com/": TinyPage(0.6, others)} | {url: TinyPage(0.0, []) for url in others}
    judged |= {"http://f.com/9": TinyPage(0.0, []), "http://u.com/": TinyPage(0.0, [])}
    judged["http://f.com/2"] = TinyPage(0.0, ["http://f.com/9", "http://u.com/"])
    assert crawled(judged)[-2:] == ["http://u.com/", "http://f.com/9"]
    assert crawled(judged, "lswc:patience=4")[-2:] == ["http://f.com/9", "http://u.com/"]


def test_row_46_all_methods_get_the_same_labels() -> None:
    """The judge is asked by the loop, whatever the method; pages that several of them fetched have one label."""
    world = World.from_name("3:3000", "th")
    heard: dict[str, dict[int, tuple[bool, float]]] = {}
    for name in ("nb", "lswc", "bfs", "hybrid"):
        labels = heard[name] = {}

        class Spy(GraphJudge):
            def judge(self, answer: Answer) -> Judgement:
                found = super().judge(answer)
                labels[page_of(answer)] = found.wanted, found.score  # noqa: B023
                return found

        graph = world.graph
        strategy = make_strategy(name, Circumstances(target_of(graph), knowledge=knowledge()))
        replay(graph, strategy, seeds_of(world, "thai2"), 900, judge=Spy(graph))
    shared = set.intersection(*(set(labels) for labels in heard.values()))
    assert len(shared) > 20
    assert all(len({labels[page] for labels in heard.values()}) == 1 for page in shared)
    assert len({tuple(labels) for labels in heard.values()}) == 4  # the orders differ


class WithDuplicates:
    """Algorithm 2 to the letter: every link is enqueued, what was collected before is skipped at its turn (§4.8)."""

    def __init__(self, web: dict[str, TinyPage], base: KnowledgeBase) -> None:
        self.web, self.model = web, base.model()

    def run(self, seeds: list[str], pages: int) -> list[str]:
        seen = {url: number for number, url in enumerate(seeds)}  # ties go to what was found first
        queue = [(-self.score([0.0, 0.0, 0.0, 0.0]), seen[url], 0, url) for url in seeds]
        order: list[str] = []
        while queue and len(order) < pages:
            queue.sort()
            _, _, path, url = queue.pop(0)
            if url in order:
                continue
            order.append(url)
            page = self.web[url]
            after = path_after(page.similarity >= 0.1, path)
            for target, anchor in zip(page.out.urls, page.out.anchors, strict=True):
                if target not in order:
                    row = [page.similarity, thai_share(anchor), float(".th/" in target), math.log1p(after)]
                    queue.append((-self.score(row), seen.setdefault(target, len(seen)), after, target))
        return order

    def score(self, row: list[float]) -> float:
        return float(self.model.probability(np.array([row]))[0])


def test_section_4_8_strict_mode_fetches_what_a_queue_with_duplicates_fetches() -> None:
    web, base = make_web(4), knowledge()
    seeds = ["http://h0.com/0", "http://h1.com/0"]
    strict = TinyCrawl(web, NaiveBayesStrategy(AIM, base, duplicates=True)).run(seeds, pages=120)
    literal = WithDuplicates(web, base).run(seeds, pages=120)
    assert strict == literal
    paths = []
    for duplicates in (True, False):  # the longer path of another link counts only where entries are merged
        strategy = NaiveBayesStrategy(AIM, base, duplicates=duplicates)
        for path in (3, 0):
            note = write_notes(np.zeros((1, 4)), np.array([path]))[0]
            offers = strategy.page(JudgedPage(f"http://{path}/", Judgement(True, 0.5), OutLinks(["http://q/"]), note))
        paths.append(read_note(offers.note(0)).path)
    assert paths == [1, 4]


def test_row_53_another_language_is_another_aim() -> None:
    persian = Target("fa", frozenset({"ir"}), frozenset({"IR"}), lambda text: float("ی" in text), 0.2)
    around = Circumstances(persian, knowledge=knowledge())
    links = OutLinks(["http://a.ir/", "http://b.th/"], ["فارسی", "ไทย"])
    for name in ("hybrid", "nb", "a2", "a3"):
        strategy = make_strategy(name, around)
        strategy.start([Seed("http://s.com/")])
        first, second = strategy.page(JudgedPage("http://s.com/", Judgement(True, 0.5), links)).priorities
        assert first > second


@pytest.mark.parametrize("seed", range(3))
def test_row_54_the_hybrid_is_not_worse_than_naive_bayes_on_servers_of_the_language(seed: int) -> None:
    web = make_web(seed + 20)
    thai = [url for url, page in web.items() if page.similarity > 0][:3]
    found = {}
    for strategy in (Hybrid(AIM), NaiveBayesStrategy(AIM, knowledge())):
        order = TinyCrawl(web, strategy).run(thai, pages=100)
        found[strategy.name] = sum(web[url].similarity > 0 for url in order)
    assert found["hybrid"] >= found["nb"]
