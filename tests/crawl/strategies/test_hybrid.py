from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.crawl.strategies.plain_hybrid import PlainHybrid
from tests.crawl.tiny import TinyCrawl, TinyPage

from phasa.crawl.judge import Judgement
from phasa.crawl.learn.knowledge import KnowledgeBase, Row
from phasa.crawl.strategies.breadth_first import BreadthFirst
from phasa.crawl.strategies.hybrid import Hybrid
from phasa.crawl.strategies.hybrid.candidates import WIDTH, Candidates, Feature
from phasa.crawl.strategies.hybrid.history import History
from phasa.crawl.strategies.online.memory import Shares, log_odds, log_odds_of
from phasa.crawl.strategies.online.model import Example, OnlineModel
from phasa.crawl.strategies.online.names import HOST_PIECES, PATH_PIECES, PIECES, Names
from phasa.crawl.strategies.online.state import save_state
from phasa.crawl.strategy import Floats, JudgedPage, OutLinks, Seed
from phasa.crawl.target import Target
from phasa.errors import InputError
from phasa.strategy_settings import HybridSettings

AIM = Target("th", frozenset({"th"}), frozenset({"TH"}), lambda text: float("ก" in text))
THAI, OTHER = Judgement(True, 0.6), Judgement(False, 0.0)


def judged(url: str, judgement: Judgement, urls: list[str], anchors: list[str] | None = None) -> JudgedPage:
    return JudgedPage(url, judgement, OutLinks(urls, anchors or []))


def hybrid(**changes: float) -> Hybrid:
    made = Hybrid(AIM, HybridSettings(**{"batch": 1, **changes}))  # type: ignore[arg-type]
    made.start([Seed("http://s0.com/"), Seed("http://s1.com/")])
    return made


def told_of(h: Hybrid, page: JudgedPage) -> list[float]:
    """The priorities of the links of a page when what it changes is told, too."""
    given = dict(zip(page.links.urls, h.page(page).priorities.tolist(), strict=False))
    given.update({change.url: change.priority for change in h.changes() if change.url in given})
    return [given[url] for url in page.links.urls]


def test_it_has_common_sense_before_the_first_lesson() -> None:
    h = hybrid()
    good = h.page(judged("http://s0.com/", THAI, ["http://a.com/", "http://b.th/", "http://c.com/"], ["x", "x", "ก"]))
    bad = h.page(judged("http://s1.com/", OTHER, ["http://d.com/", "http://e.th/"]))
    plain, domain, anchor = good.priorities
    foreign, foreign_domain = bad.priorities
    assert min(domain, anchor) > plain > foreign
    assert foreign_domain > foreign


def test_hreflang_is_believed() -> None:
    links = OutLinks(["http://a.com/", "http://b.com/", "http://c.com/"], hints=["th-TH", "", "en"])
    yes, none, no = hybrid().page(JudgedPage("http://s0.com/", THAI, links)).priorities
    assert yes > none > no


def test_seeds_come_before_what_is_rather_not_in_the_language() -> None:
    h = Hybrid(AIM)
    seeds = h.start([Seed("http://s0.com/"), Seed("http://s1.com/")]).priorities
    good, poor = h.page(judged("http://s0.com/", THAI, ["http://a.th/th/", "http://a.com/en/"], ["ก", "x"])).priorities
    assert good > seeds[1] > poor


def test_some_of_a_long_list_of_seeds_are_tasted_first() -> None:
    h = Hybrid(AIM)
    seeds = h.start([Seed(f"http://s{i}.com/") for i in range(30)]).priorities
    good = h.page(judged("http://s0.com/", THAI, ["http://a.th/th/"], ["ก"])).priorities[0]
    assert min(seeds[:10]) > good > max(seeds[10:])


def test_an_address_that_names_a_language_is_believed() -> None:
    h = hybrid()
    own, plain, other = h.page(
        judged("http://s0.com/", THAI, ["http://a.com/th/x", "http://a.com/x", "http://a.com/en/x"])
    ).priorities
    assert own > plain > other


def test_a_server_that_disappoints_falls_and_one_that_delivers_rises() -> None:
    h = hybrid()
    h.page(judged("http://s0.com/", THAI, [f"http://{host}.com/{i}" for host in ("good", "poor") for i in range(20)]))
    for i in range(8):
        h.page(judged(f"http://good.com/{i}", THAI, []))
        h.page(judged(f"http://poor.com/{i}", OTHER, []))
    good, poor, new = h.page(
        judged("http://s1.com/", THAI, ["http://good.com/x", "http://poor.com/x", "http://new.com/x"])
    ).priorities
    assert good > new > poor


def test_waiting_urls_are_looked_at_again() -> None:
    h = hybrid(every=1)
    waiting = ["http://good.com/1", "http://good.com/2", "http://good.com/3", "http://poor.com/1", "http://poor.com/2"]
    h.page(judged("http://s0.com/", OTHER, waiting, ["ก"] * 5))
    h.changes()
    h.page(judged("http://good.com/1", THAI, []))
    h.page(judged("http://poor.com/1", OTHER, []))
    h.page(judged("http://good.com/2", THAI, []))
    changed = {change.url: change.priority for change in h.changes()}
    assert changed["http://good.com/3"] > changed.get("http://poor.com/2", -99)
    assert h.changes() == []


def test_a_page_that_surprises_makes_its_server_and_its_siblings_be_looked_at_at_once() -> None:
    h = hybrid(every=10_000, grain=0.01)
    inside, sibling, stranger = "http://a.com/2", "http://b.com/", "http://c.com/"
    h.page(judged("http://s0.com/", THAI, ["http://a.com/1", sibling], ["ก", "ก"]))
    before = h.page(judged("http://s1.com/", THAI, [inside, stranger], ["ก", "ก"])).priorities
    assert h.changes() == []
    h.page(judged("http://a.com/1", OTHER, []))
    changed = {change.url: change.priority for change in h.changes()}
    assert set(changed) == {inside, sibling}
    assert changed[inside] < before[0]


def test_pages_that_are_settled_together_share_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the frontier was told of a link stands until changes are asked for, and those are of all the pages."""
    h = hybrid(every=10_000, grain=0.01)
    first, second = ["http://a.com/1", "http://a.com/2"], ["http://b.com/1", "http://b.com/2"]
    before = dict(zip(first, h.page(judged("http://s0.com/", THAI, first, ["ก", "ก"])).priorities, strict=True))
    before |= zip(second, h.page(judged("http://s1.com/", THAI, second, ["ก", "ก"])).priorities, strict=True)
    looks, score_some = list[int](), h._score_some

    def looked(rows: NDArray[np.int64]) -> Floats:
        looks.append(len(rows))
        return score_some(rows)

    h.changes()
    monkeypatch.setattr(h, "_score_some", looked)
    h.page(judged("http://a.com/1", OTHER, []))
    again = h.page(judged("http://b.com/1", OTHER, ["http://a.com/2", "http://b.com/2"])).priorities
    assert again.tolist() == [before["http://a.com/2"], before["http://b.com/2"]]
    changed = {change.url: change.priority for change in h.changes()}
    assert looks == [2]
    assert changed.keys() == {"http://a.com/2", "http://b.com/2"}
    assert all(changed[url] < before[url] for url in changed)


def test_a_page_that_is_as_expected_moves_nothing() -> None:
    h = hybrid(every=10_000, grain=0.01)
    h.page(judged("http://s0.com/", THAI, ["http://a.th/1", "http://a.th/2"], ["ก", "ก"]))
    h.page(judged("http://a.th/1", THAI, []))
    assert h.changes() == []


def test_more_parents_in_the_language_mean_more() -> None:
    h = hybrid(grain=0.01)
    (first,) = told_of(h, judged("http://s0.com/", THAI, ["http://q.com/"]))
    (again,) = told_of(h, judged("http://s1.com/", THAI, ["http://q.com/"]))
    assert again > first


def test_links_on_every_page_of_one_server_count_once() -> None:
    h = hybrid()
    h.page(judged("http://s0.com/", THAI, ["http://q.com/", *[f"http://s0.com/{i}" for i in range(5)]]))
    for i in range(5):
        told_of(h, judged(f"http://s0.com/{i}", THAI, ["http://q.com/"]))
    row = h._candidates.row("http://q.com/")
    assert h._candidates.wanted_parents[row] == 1


def test_below_the_floor_the_order_is_that_of_discovery() -> None:
    h = hybrid()
    for i in range(30):
        h.page(judged(f"http://x{i}.com/", OTHER, []))
    offers = h.page(judged("http://s0.com/", OTHER, [f"http://n{i}.com/" for i in range(9)]))
    assert len(set(offers.priorities.tolist())) == 1


def test_a_trace_of_the_language_guides_where_nothing_else_does() -> None:
    h = hybrid(floor=5.0)
    trace = h.page(JudgedPage("http://s0.com/", Judgement(False, 0.004), OutLinks(["http://a.com/"]))).priorities[0]
    nothing = h.page(judged("http://s1.com/", OTHER, ["http://b.com/"])).priorities[0]
    assert trace > nothing


@pytest.mark.parametrize(("anchor", "hint"), [("ก", ""), ("x", "th")])
def test_what_a_foreign_page_says_of_a_link_guides_where_nothing_else_does(anchor: str, hint: str) -> None:
    """An anchor in the language among foreign ones is how a crawl from foreign seeds finds its way."""
    h = hybrid(floor=5.0)
    links = OutLinks(["http://a.com/", "http://b.com/", "http://c.com/"], ["x", anchor, "x"], hints=["", hint, ""])
    first, told, last = h.page(JudgedPage("http://s0.com/", OTHER, links)).priorities
    assert told > first == last


def test_a_server_judged_foreign_comes_after_its_like_where_nothing_else_guides() -> None:
    h = hybrid(floor=5.0)
    h.page(judged("http://s0.com/", OTHER, [f"http://poor.com/{i}" for i in range(4)]))
    for i in range(4):
        h.page(judged(f"http://poor.com/{i}", OTHER, []))
    poor, new = h.page(judged("http://s1.com/", OTHER, ["http://poor.com/x", "http://new.com/x"])).priorities
    assert new > poor


def test_nearness_to_the_language_guides_where_nothing_else_does() -> None:
    h = hybrid(floor=5.0)
    h.page(judged("http://s0.com/", THAI, ["http://near.com/"]))
    near = h.page(judged("http://near.com/", OTHER, ["http://a.com/"])).priorities[0]
    far = h.page(judged("http://s1.com/", OTHER, ["http://b.com/"])).priorities[0]
    assert near > far


def test_a_knowledge_base_is_heard_before_the_first_lesson() -> None:
    # In this base an anchor in the language is a bad sign: no common sense says so.
    rows = [Row(0.5, float(i % 2), 0.0, 0.7, i % 2 == 0) for i in range(200)]
    page = judged("http://s0.com/", THAI, ["http://a.com/", "http://b.com/"], ["x", "ก"])
    distances = []
    for knowledge in (None, KnowledgeBase.of(rows)):
        h = Hybrid(AIM, HybridSettings(grain=0.01), knowledge)
        h.start([Seed("http://s0.com/")])
        other, thai = h.page(page).priorities
        distances.append(thai - other)
    assert distances[1] < distances[0]


def test_a_knowledge_base_tells_apart_what_it_is_sure_of() -> None:
    """Of two links that naive Bayes is certain of, to the last digit, the one with more for it still comes first."""
    rows = [Row((i % 2) * 0.6 + i / 4000, (i % 2) * 0.3 + i / 200, 0.0, 0.7, i % 2 == 1) for i in range(200)]
    base = KnowledgeBase.of(rows)
    assert (base.model().probability(np.array([[0.6, 0.0, 0.0, 0.7], [0.6, 1.0, 0.0, 0.7]])) == 1.0).all()
    h = Hybrid(AIM, HybridSettings(grain=0.01), base)
    h.start([Seed("http://s0.com/")])
    h._model.weights[:] = 0.0
    h._model.weights[Feature.KNOWLEDGE] = 1.0
    worded, plain = h.page(judged("http://s0.com/", THAI, ["http://a.com/", "http://b.com/"], ["ก", ""])).priorities
    assert worded > plain > 0


def make_web(seed: int, hosts: int = 40) -> dict[str, TinyPage]:
    """Thai and other servers; links mostly stay within a language."""
    dice = random.Random(seed)
    thai = {host: dice.random() < 0.3 for host in range(hosts)}
    web = {}
    for host in range(hosts):
        for page in range(12):
            links = [f"http://h{host}.com/{dice.randrange(12)}" for _ in range(3)]
            for _ in range(3):
                same = [h for h in thai if thai[h] == thai[host]] if dice.random() < 0.8 else list(thai)
                links.append(f"http://h{dice.choice(same)}.com/{dice.randrange(12)}")
            web[f"http://h{host}.com/{page}"] = TinyPage(0.7 if thai[host] else 0.0, links)
    return web


@pytest.mark.parametrize("seed", range(3))
def test_it_finds_the_language_far_sooner_than_breadth_first(seed: int) -> None:
    web = make_web(seed)
    seeds = [f"http://h{i}.com/0" for i in range(6)]
    found = {}
    for strategy in (Hybrid(AIM), BreadthFirst()):
        order = TinyCrawl(web, strategy).run(seeds, pages=100)
        found[strategy.name] = sum(web[url].similarity > 0 for url in order)
    assert found["hybrid"] > 1.5 * found["bfs"]


def test_two_runs_are_the_same() -> None:
    web = make_web(7)
    runs = [TinyCrawl(web, Hybrid(AIM)).run(["http://h0.com/0", "http://h1.com/0"]) for _ in range(2)]
    assert runs[0] == runs[1]


URLS = [f"http://h{i % 4}.{tld}/{('', 'th/', 'en/')[i % 3]}{i}" for i in range(16) for tld in ("th", "com")]


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from(URLS), st.booleans(), st.lists(st.sampled_from(URLS), max_size=8)), max_size=15)
)
def test_whatever_comes_every_link_gets_a_finite_priority(pages: list[tuple[str, bool, list[str]]]) -> None:
    h = hybrid(every=2)
    for url, wanted, links in pages:
        offers = h.page(judged(url, THAI if wanted else OTHER, links, ["ก"] * len(links)))
        assert len(offers.priorities) == len(links)
        assert np.isfinite(offers.priorities).all()
        assert all(np.isfinite(change.priority) for change in h.changes())


ANCHORS = ["", "x", "ก"]
LINKS = st.tuples(st.sampled_from(URLS), st.sampled_from(ANCHORS), st.sampled_from(["", "", "th", "en"]))
PAGES = st.tuples(st.sampled_from(URLS), st.sampled_from([0.0, 0.004, 0.6]), st.lists(LINKS, max_size=8), st.booleans())


@settings(max_examples=60)
@given(st.lists(PAGES, max_size=40, unique_by=lambda page: page[0]), st.sampled_from([4, 14]))
def test_it_decides_as_the_plain_form_does(
    pages: list[tuple[str, float, list[tuple[str, str, str]], bool]], listed: int
) -> None:
    seeds = [Seed("http://s0.com/"), Seed(URLS[0], parent=0.5, distance=0.7), *[Seed(url) for url in URLS[1:listed]]]
    # So fine a grain that nothing is rounded away, and no second look: the test below has those.
    chosen = HybridSettings(grain=1e-9, every=10_000, batch=1)
    fast, plain = Hybrid(AIM, chosen), PlainHybrid(AIM, chosen)
    assert fast.start(seeds).priorities == pytest.approx(plain.start(seeds))
    for url, similarity, links, home in pages:
        out = OutLinks([link[0] for link in links], [link[1] for link in links], hints=[link[2] for link in links])
        judgement = Judgement(similarity >= 0.1, similarity)
        page = JudgedPage(url, judgement, out, country="TH" if home else "")
        assert told_of(fast, page) == pytest.approx(plain.page(page), abs=1e-4)
    fast._candidates.sweep()
    told = fast._score_all()
    assert set(fast._candidates.urls) == set(plain.waiting)
    assert told == pytest.approx([plain.priority(url) for url in fast._candidates.urls], abs=1e-4)


@settings(max_examples=60)
@given(st.lists(PAGES, max_size=12), st.integers(2, 12))
def test_what_pages_say_together_is_what_they_say_one_by_one(
    pages: list[tuple[str, float, list[tuple[str, str, str]], bool]], batch: int
) -> None:
    tables = []
    for together in (1, batch):
        h = hybrid(batch=together, every=10_000)
        for number, (_, similarity, links, _) in enumerate(pages):
            out = OutLinks([link[0] for link in links], [link[1] for link in links], hints=[link[2] for link in links])
            h.page(JudgedPage(f"http://p{number % 3}.com/{number}", Judgement(similarity >= 0.1, similarity), out))
            h.changes()
        h._take_in()
        table = h._candidates
        now = h._score_all()
        tables.append((table.urls, table.view("sources").tolist(), table.view("cells").tolist(), now.tolist()))
    assert tables[0] == tables[1]


@pytest.mark.parametrize("size", [1, 7, 50, 51, 1_000])
def test_rows_are_scored_alike_however_many_at_once(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    h = hybrid(every=10_000)
    h.page(judged("http://s0.com/", THAI, [f"http://h{n % 7}.th/{n % 3}/{n}" for n in range(49)]))
    h.page(judged("http://s1.com/", OTHER, [f"http://h{n % 5}.th/{n % 2}/{n}" for n in range(49, 51)]))
    whole = h._score_some(slice(None)).tolist()
    assert len(set(whole)) > 1
    monkeypatch.setattr("phasa.crawl.strategies.hybrid.strategy._SLICE", size)
    assert h._score_all().tolist() == whole


def test_a_row_that_is_freed_takes_nothing_from_the_others() -> None:
    table = Candidates(Names(frozenset({"th"})))
    urls = [f"http://h{i}.th/{'x' * i}/" for i in range(9)]
    table.reserve(urls)
    for i, url in enumerate(urls):
        row = table.add(url)
        table.given[row], table.parents[row], table.cells[row * WIDTH + 3] = i, i, i
    for gone in (0, 8, 4):
        table.pop(urls[gone])
    assert len(table) == 6
    table.sweep()
    for i in (1, 2, 3, 5, 6, 7):
        row = table.row(urls[i])
        assert (table.given[row], table.parents[row], table.cells[row * WIDTH + 3]) == (i, i, i)
        assert table.host[row] == table.names.address(urls[i]).host.host
        assert table.view("pieces")[row].tolist()[:HOST_PIECES] == list(table.names.address(urls[i]).host.pieces)
    assert len(table) == 6


def test_every_page_can_be_reached() -> None:
    web = make_web(3)
    seeds = [f"http://h{i}.com/0" for i in range(40)]
    assert set(TinyCrawl(web, Hybrid(AIM)).run(seeds)) == set(TinyCrawl(web, BreadthFirst()).run(seeds))


def test_memory_is_bounded() -> None:
    h = hybrid(memory=1000)
    for i in range(60):
        h.page(judged(f"http://p{i}.com/", OTHER, [f"http://q{i}-{k}.com/" for k in range(50)]))
        assert len(h._candidates) <= 1000
    assert len(h._candidates.given) <= 2048


def test_a_table_has_little_room_that_it_does_not_use() -> None:
    table = Candidates(Names(AIM.tlds, AIM.language), limit=12_000)
    for number in range(0, 11_000, 100):
        urls = [f"http://h{number}.com/{page}" for page in range(100)]
        table.reserve(urls)
        for url in urls:
            table.add(url)
        assert len(table.parents) <= max(1_200, len(table) * 9 / 8)
    table.reserve([f"http://x.com/{page}" for page in range(900)])
    assert 11_900 <= len(table.parents) <= 12_000


def test_dead_links_are_lessons() -> None:
    """A server whose links are dead falls; links like those that were dead are expected to be."""
    taught, untaught = hybrid(), hybrid()
    for h in (taught, untaught):
        h.page(judged("http://s0.com/", THAI, [f"http://dead.com/{n}" for n in range(8)]))
    for n in range(8):
        taught.lesson(f"http://dead.com/{n}", b"", False)
        taught.failed(f"http://dead.com/{n}", b"")
        untaught.failed(f"http://dead.com/{n}", b"")
    links = ["http://dead.com/x", "http://other.com/x"]
    low, other = taught.page(judged("http://s1.com/", THAI, links)).priorities
    before, _ = untaught.page(judged("http://s1.com/", THAI, links)).priorities
    assert low < other
    assert low < before


def test_where_nothing_guides_what_leads_to_no_page_comes_last() -> None:
    """Servers whose links are dead come after new ones, and new ones after those that answer."""
    h = hybrid(floor=5.0)
    servers = ["dead", *(f"gone{n}" for n in range(8))]
    h.page(judged("http://s0.com/", OTHER, [f"http://{name}.com/{n}" for name in servers for n in range(4)]))
    h.page(judged("http://s1.com/", OTHER, [f"http://s1.com/{n}" for n in range(2)]))
    for n in range(2):  # two are too few to be judged foreign
        h.page(judged(f"http://s1.com/{n}", OTHER, []))
    for name in servers:
        h.lesson(f"http://{name}.com/0", b"", False)
    h.lesson("http://dead.com/1", b"", False)
    links = ["http://dead.com/x", "http://new.com/x", "http://s1.com/x"]
    dead, new, known = h.page(judged("http://s2.com/", OTHER, links)).priorities
    assert dead < new < known


@pytest.mark.parametrize("every", [3, 1_000], ids=["all looked at", "one looked at"])
def test_that_links_are_dead_is_not_held_against_seeds(every: int) -> None:
    """Where nothing guides, an address that somebody named comes before one that a page links to: most are dead."""
    h = Hybrid(AIM, HybridSettings(batch=1, every=every, floor=5.0))
    h.page(judged("http://s0.com/", OTHER, [f"http://gone{n}.com/" for n in range(9)]))
    for n in range(9):
        h.lesson(f"http://gone{n}.com/", b"", False)
    named = h.start([Seed(f"http://s{n}.com/") for n in range(1, 12)]).priorities[-1]
    h.page(judged("http://t.com/", THAI, ["http://u.com/"]))
    linked = h.page(judged("http://u.com/", OTHER, ["http://new.com/"])).priorities[0]  # as near to the language
    told = {change.url: change.priority for change in h.changes()}
    assert told.get("http://s11.com/", named) > linked


def test_dead_links_alone_make_waiting_urls_be_looked_at_again() -> None:
    h = hybrid(every=10)
    links = [f"http://dead.com/{n}" for n in range(12)]
    before = h.page(judged("http://s0.com/", THAI, links)).priorities[-1]
    for n in range(9):
        h.lesson(links[n], b"", False)
    changes = {change.url: change.priority for change in h.changes()}
    assert changes[links[-1]] < before


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=60))
def test_the_life_of_many_servers_is_that_of_each(asked: list[tuple[int, bool]]) -> None:
    history, names = History(), Names(frozenset({"th"}), "th")
    table = Candidates(names, 1000)
    for n, (server, dead) in enumerate(asked):
        table.reserve([url := f"http://h{server}.com/{n}"])
        history.learn(table, table.add(url), False, dead=dead)
    hosts = [names.host(f"h{server}.com").host for server in range(7)]
    assert history.lives(np.array(hosts)).tolist() == [history.life(host) for host in hosts]
    assert all(history.life(host) <= 0.0 for host in hosts)


def test_a_page_behind_a_redirect_teaches_where_it_stands_and_what_led_to_it() -> None:
    """The link that was redirected is the lesson; the page's server gets its record, its links what they inherit."""
    taught, untaught = hybrid(), hybrid()
    offers = []
    for h in (taught, untaught):
        h.page(judged("http://s0.com/", THAI, [f"http://old.com/{n}" for n in range(8)]))
        for n in range(8):
            via = [f"http://old.com/{n}"] if h is taught else []
            page = JudgedPage(f"http://new.com/{n}", OTHER, OutLinks(["http://new.com/x"]), via=via)
            h.page(page)
        offers.append(h.page(judged("http://s1.com/", THAI, ["http://old.com/y", "http://new.com/y"])).priorities)
    assert len(taught._candidates) < len(untaught._candidates), "what was redirected waits no more"
    assert (offers[0] < offers[1]).all()


def test_failures_are_forgotten() -> None:
    h = hybrid()
    h.page(judged("http://s0.com/", THAI, ["http://gone.com/"]))
    h.failed("http://gone.com/", b"")
    assert h._candidates.row("http://gone.com/") < 0


def test_what_was_learned_survives_a_restart() -> None:
    one, two, fresh = hybrid(), hybrid(), hybrid()
    one.page(judged("http://s0.com/", THAI, [f"http://poor.com/{i}" for i in range(9)]))
    for i in range(9):
        one.page(judged(f"http://poor.com/{i}", OTHER, []))
    two.load(one.save())
    page = judged("http://s1.com/", THAI, ["http://poor.com/next"])
    assert two.page(page).priorities[0] < fresh.page(page).priorities[0]


def test_a_state_of_before_servers_were_asked_whether_they_answer_is_taken() -> None:
    one, two = hybrid(), hybrid()
    for name in ("dead", "gone"):
        one.page(judged("http://s0.com/", OTHER, [f"http://{name}.com/{n}" for n in range(4)]))
    one.lesson("http://dead.com/0", b"", False)
    records = {name: shares for name, shares in one._records().items() if name != "answers"}
    two.load(save_state(one._model, records, base=np.array([one._history.hits, one._history.pages])))
    assert two._history.hosts.hits_view.sum() == one._history.hosts.hits_view.sum()
    assert two._history.answers.pages_view.sum() == 0.0
    two.load(one.save())
    assert two._history.answers.pages_view.sum() == one._history.answers.pages_view.sum() > 0.0
    assert two._history.asked == one._history.asked


@pytest.mark.parametrize("state", [b"", b"junk", b"PK\x03\x04 torn"])
def test_a_state_that_cannot_be_read_is_refused_with_advice(state: bytes) -> None:
    with pytest.raises(InputError, match="delete it"):
        hybrid().load(state)


def test_shares_lean_on_the_wider_place_until_something_is_known() -> None:
    shares = Shares(8, fade=0.9, weight=2.0)
    assert shares.share(5, 0.3) == pytest.approx(0.3)
    for _ in range(100):
        shares.add(5, True)
    assert shares.share(5, 0.3) > 0.85
    for _ in range(30):
        shares.add(5, False)
    assert shares.share(5, 0.3) < 0.2
    shares.clear(5)
    assert shares.share(5, 0.3) == pytest.approx(0.3)


@given(st.lists(st.tuples(st.integers(0, 20), st.booleans(), st.floats(0.01, 1)), max_size=40), st.floats(0, 1))
def test_many_shares_at_once_are_the_shares_one_by_one(pages: list[tuple[int, bool, float]], expected: float) -> None:
    shares = Shares(4, fade=0.9, weight=2.0)
    for key, hit, weight in pages:
        shares.add(key, hit, weight)
    keys = np.arange(21)
    assert shares.shares(keys, expected) == pytest.approx([shares.share(key, expected) for key in range(21)])
    many = log_odds_of(shares.shares(keys, expected))
    assert many == pytest.approx([log_odds(shares.share(key, expected)) for key in range(21)])


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_log_odds_are_finite_everywhere(share: float) -> None:
    assert np.isfinite(log_odds(share))


def test_the_model_learns_what_separates() -> None:
    model = OnlineModel(np.zeros(2))
    none = [0] * PIECES
    for _ in range(200):
        model.learn([Example([1.0, 1.0], none, True), Example([1.0, 0.0], none, False)])
    yes, no = model.score(np.array([[1.0, 1.0], [1.0, 0.0]]), np.zeros((2, PIECES), dtype=np.int32))
    assert yes > 0.5 > -0.5 > no


def test_pieces_of_names_are_learned() -> None:
    model, names = OnlineModel(np.zeros(1)), Names(frozenset({"th"}))

    def pieces(name: str) -> list[int]:
        return [*names.host(name).pieces, *[0] * PATH_PIECES]

    for i in range(60):
        model.learn([Example([1.0], pieces(f"siam{i}.com"), True), Example([1.0], pieces(f"blue{i}.com"), False)])
    rows = np.array([pieces("siamxyz.net"), pieces("bluexyz.net")], dtype=np.int32)
    siam, blue = model.score(np.ones((2, 1)), rows)
    assert siam > blue


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://a.com/th/x.htm", 1.0),
        ("http://a.com/2005/03/ur/news-10.asp", -1.0),
        ("http://a.com/th-TH/", 1.0),
        ("http://a.com/pt_br/x", -1.0),
        ("http://th.a.org/x", 1.0),
        ("http://en.a.org/", -1.0),
        ("http://en.a.org/th/", 1.0),
        ("http://a.com/x", 0.0),
        ("http://a.com/the/x", 0.0),
        ("http://a.com/id/x", 0.0),
        ("http://a.com/thai-food/x", 0.0),
        ("http://www.a.th/", 0.0),
        ("http://a.com/x/index.th.html", 1.0),
        ("http://a.com/x/index.en.html", -1.0),
        ("http://a.com/x/index.html.th", 1.0),
        ("http://a.com/en/index.th.html", 1.0),
        ("http://a.com/x/index.pt-BR.xhtml", -1.0),
        ("http://a.com/x/run.pl", 0.0),
        ("http://a.com/v2.24.html", 0.0),
        ("http://a.com/x?lang=th", 1.0),
        ("http://a.com/x?n=1&hl=en&p=2", -1.0),
        ("http://a.com/x?lang=thorough", 0.0),
        ("http://a.com/x?slang=th", 0.0),
    ],
)
def test_an_address_may_name_its_language(url: str, told: float) -> None:
    assert Names(frozenset({"th"}), "th").address(url).told == told


def test_an_address_is_read_into_numbers() -> None:
    names = Names(frozenset({"th"}))
    one, two = names.address("http://www.ku.ac.th/news/1.html"), names.address("http://lib.ku.ac.th/news/2.html")
    assert one.host.site == two.host.site
    assert one.host.host != two.host.host
    assert one.segment == names.address("http://www.ku.ac.th/news/2.html").segment != two.segment
    assert one.host.national
    assert not names.address("http://th.example.org/").host.national
