"""Home, portal and list pages, and the structure of what is extracted."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from resiliparse.parse.html import HTMLTree
from typer.testing import CliRunner

from phasa.cli.group import app
from phasa.overview.extract import Kind, extract
from phasa.overview.extract.blocks import lay_out
from phasa.overview.extract.evidence import Evidence
from phasa.overview.extract.formats import TEI, markdown
from phasa.overview.extract.front import front_blocks
from phasa.overview.extract.metadata import Metadata

SECTIONS = "".join(f"<li><a href=/s{n}>Section {n}</a></li>" for n in range(12))
HEADLINES = [f"Minister number {n} opens a new bridge over the river" for n in range(12)]
CARDS = "".join(
    f"<div class=card><h3><a href=/a{n}>{headline}</a></h3><p>Short lead of story {n}, cut off after some…</p>"
    f"<span class=date>March {n + 1}, 2018</span></div>"
    for n, headline in enumerate(HEADLINES)
)
HOME = (
    "<title>The Daily</title><link rel=canonical href=https://daily.example/>"
    f"<body><div id=menu><ul>{SECTIONS}</ul></div><div class=grid>{CARDS}</div>"
    "<div class=footer><a href=/imprint>Imprint of this very long newspaper company</a> © 2018 The Daily</div></body>"
)
STORY = "The bridge was opened on Monday, and many people came to see it. They walked over it, one after another. "
ARTICLE = (
    "<title>A bridge</title><body><div class=article-body><h1>A bridge</h1>"
    f"<p>{STORY * 2}</p><h2>What people said</h2><p>{STORY * 2}</p>"
    "<ul><li>The bridge is long, somebody said to us.</li><li>The bridge is <b>high</b>, another one said.</li></ul>"
    "<ol><li>First walk over the bridge, then turn round.</li></ol>"
    "<table><tr><th>Length of the bridge</th><th>Height of the bridge</th></tr>"
    "<tr><td>1,200 metres | long</td><td>60 metres over the river</td></tr></table>"
    f"<blockquote>It is *the* bridge of bridges, and it is ours.</blockquote><p>{STORY * 2}</p></div></body>"
)
NOTHING = Metadata("", "", "", "", None)  # type: ignore[arg-type]  # no evidence is asked for


def test_headlines_and_leads_of_a_home_page_come_out_as_kinds_of_their_own() -> None:
    content = extract(HOME)
    assert content.kind == "front"
    headlines = [element.text for element in content.elements if element.place.kind is Kind.HEADLINE]
    leads = [element.text for element in content.elements if element.place.kind is Kind.LEAD]
    assert headlines == HEADLINES
    assert len(leads) == 12


def test_the_frame_of_a_home_page_stays_out() -> None:
    text = extract(HOME).text
    for noise in ("Section 3", "Imprint", "2018"):
        assert noise not in text


def test_an_article_is_no_front_page_whatever_stands_around_it() -> None:
    around = ARTICLE.replace("</div></body>", f"</div><div class=grid>{CARDS}</div></body>")
    content = extract(around)
    assert content.kind == "article"
    assert "many people came" in content.text


def test_an_address_of_a_whole_site_says_that_a_page_is_its_home() -> None:
    page = HOME.replace("https://daily.example/", "https://daily.example/2018/a-story.html")
    assert extract(page).kind == "article"  # of twelve leads the judge is rather sure
    assert extract(page, url="https://daily.example/").kind == "front"
    assert extract(ARTICLE * 3, url="https://daily.example/").kind == "article"


@pytest.mark.parametrize(
    ("said", "is_list"),
    [
        (Evidence(), True),
        (Evidence(article=True), False),
        (Evidence(article=True, home=True), True),
    ],
)
def test_a_page_that_calls_itself_an_article_is_believed_unless_it_is_a_home(said: Evidence, is_list: bool) -> None:
    page = lay_out(HTMLTree.parse(f"<body><p>{STORY * 20}</p><div class=grid>{CARDS}</div></body>"))
    doubtful = [0.1, *[-0.4] * (len(page.texts) - 1)]
    assert bool(front_blocks(page, [0], doubtful, said)) is is_list
    assert front_blocks(page, [], [-0.4] * len(page.texts), said)  # what has no article is none


def test_a_page_without_text_has_no_kind() -> None:
    assert extract("<body></body>").kind == ""


def test_what_blocks_are_is_told_with_them() -> None:
    kinds = [(element.place.kind, element.place.level) for element in extract(ARTICLE).elements]
    assert kinds[:3] == [(Kind.HEADING, 1), (Kind.PARAGRAPH, 0), (Kind.HEADING, 2)]
    assert [kind for kind, _ in kinds].count(Kind.ITEM) == 3
    assert [kind for kind, _ in kinds].count(Kind.CELL) == 4
    assert (Kind.QUOTE, 0) in kinds


def test_markdown_keeps_headings_lists_tables_and_quotations() -> None:
    text = markdown(NOTHING, extract(ARTICLE).elements)
    assert "# A bridge\n\nThe bridge was opened" in text
    assert "- The bridge is long, somebody said to us.\n- The bridge is high" in text
    assert "\n1. First walk" in text
    assert "| Length of the bridge | Height of the bridge |\n| --- | --- |\n| 1,200 metres \\| long |" in text
    assert "> It is \\*the\\* bridge" in text


def test_tei_is_one_document_for_all_pages_and_parses(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(ARTICLE, encoding="utf-8")
    (tmp_path / "b.html").write_text(HOME.replace("opens", "&lt;opens&gt; \x0b &amp;"), encoding="utf-8")
    done = CliRunner().invoke(
        app, ["extract", "--format", "xml-tei", str(tmp_path / "a.html"), str(tmp_path / "b.html")]
    )
    assert done.exit_code == 0, done.output
    corpus = ET.fromstring(done.output)
    names = {"t": TEI}
    assert len(corpus.findall("t:TEI", names)) == 2
    assert [len(row) for row in corpus.findall(".//t:table/t:row", names)] == [2, 2]
    assert len(corpus.findall(".//t:list[@rend='headlines']/t:item", names)) == 12
    assert [div.get("type") for div in corpus.findall(".//t:div", names)] == ["article", "front"]


def test_json_tells_the_kind_of_page_and_of_its_elements(tmp_path: Path) -> None:
    (tmp_path / "b.html").write_text(HOME, encoding="utf-8")
    done = CliRunner().invoke(app, ["extract", "--json", str(tmp_path / "b.html")])
    row = json.loads(done.output)
    assert row["kind"] == "front"
    assert {element["kind"] for element in row["elements"]} == {"headline", "lead"}


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("<span class=a>شما</span><span class=b>مشاور</span>", "شما مشاور"),
        ("<a href=/1>شما</a><a href=/2>مشاور</a>", "شما مشاور"),
        ("شما<img src=x>مشاور", "شما مشاور"),
        ("شما<button>x</button>مشاور", "شما مشاور"),
        ("<span class=first>T</span><span class=rest>he end</span>", "The end"),
        ("one<span>two</span>", "onetwo"),
        ("<span class=a>word</span><span class=b>, and</span>", "word, and"),
        ("<b>bo</b><i>th</i>", "both"),
        ("hy<!-- x -->phen", "hyphen"),
    ],
)
def test_neighbours_are_glued_only_where_they_are_one_word(inside: str, text: str) -> None:
    assert extract(f"<p>{inside} {STORY}</p>").text.startswith(text)
