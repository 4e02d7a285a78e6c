"""What can be asked of a corpus: why, the report, its card, learned thresholds; and how other programs open it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_main import phasa
from tests.corpus.pages import options, page, thai, write_warc

from phasa.corpus.build import build, read_summary
from phasa.corpus.explain import explain
from phasa.corpus.learn import learn, read_clean
from phasa.corpus.report import report
from phasa.corpus.thresholds import thresholds_for
from phasa.errors import InputError, SettingsError
from phasa.language.profile import load_profile

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    pages = [(f"http://a.example/{n}", page(f"เรื่อง {n}", thai(n), thai(n + 50))) for n in range(5)]
    pages += [
        ("http://a.example/copy", page("เรื่อง 1", thai(1), thai(51))),
        (f"http://a.example/{EVIL}", page("x", f"สั้น {EVIL.replace('<', '&lt;')}")),
    ]
    build([str(write_warc(folder / "a.warc.gz", pages))], folder / "out", options(), workers=1)
    return folder / "out"


def test_why_names_step_reason_and_numbers(corpus: Path) -> None:
    (found,) = explain(corpus, "http://a.example/copy")
    assert (found.outcome, found.step, found.reason) == ("dropped", "duplicates", "exact")
    assert found.detail == "http://a.example/1"
    assert found.numbers == {"jaccard": 1.0}
    (other,) = explain(corpus, "http://a.example/1")
    assert (other.outcome, other.cluster_size) == ("kept", 2)
    assert other.numbers["words"] > 50
    with pytest.raises(InputError, match="no record of that address"):
        explain(corpus, "http://a.example/unknown")


def test_the_commands_print_what_was_found(corpus: Path) -> None:
    told = phasa("corpus", "why", str(corpus), "http://a.example/copy", "--json")
    assert json.loads(told.stdout)["reason"] == "exact"
    told = phasa("corpus", "why", str(corpus), "http://a.example/1")
    assert "kept" in told.stdout
    told = phasa("corpus", "report", str(corpus), "-o", str(corpus.parent / "page.html"))
    assert "Before and after" in (corpus.parent / "page.html").read_text()
    assert phasa("corpus", "why", str(corpus.parent), "http://a.example/1").returncode == 1


def test_the_report_shows_the_funnel_and_escapes_what_pages_said(corpus: Path) -> None:
    html = report(read_summary(corpus))
    for words in ("duplicates", "Lengths", "Licences", "a.example", "exact"):
        assert words in html
    assert EVIL not in html
    assert "&lt;script&gt;" in html


def test_the_card_counts_every_step(corpus: Path) -> None:
    card = (corpus / "README.md").read_text()
    assert "| duplicates | 1 | 5 | exact 1 |" in card
    assert "| documents | 5 |" in card
    assert str(corpus) not in card


def test_parquet_has_the_rows_of_the_json_lines(corpus: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    from phasa.corpus.row import Row
    from phasa.corpus.workspace import read_rows

    table = pq.read_table(corpus / "data").to_pylist()
    rows = list(read_rows(corpus / "jsonl" / "00000.jsonl.zst", Row))
    assert [row["text"] for row in table] == [row.text for row in rows]
    assert table[0]["signals"] == rows[0].signals
    assert table[0]["paragraphs"][0]["text"] == rows[0].paragraphs[0].text


def test_thresholds_are_learned_from_clean_text(tmp_path: Path) -> None:
    texts = [thai(n, 300) for n in range(40)]
    (tmp_path / "clean.txt").write_text("\n\n".join(texts), encoding="utf-8")
    told = phasa("corpus", "learn", str(tmp_path / "clean.txt"), "--lang", "th", "-o", str(tmp_path / "t.toml"))
    assert "from 40 documents" in told.stdout
    thresholds, origin = thresholds_for(load_profile("th"), str(tmp_path / "t.toml"))
    assert origin == "t.toml"
    assert "และ" in thresholds.stop_words
    assert 2 < thresholds.min_mean_word < thresholds.max_mean_word < 15
    with pytest.raises(InputError, match="at least 20"):
        learn(texts[:5], load_profile("th"))


def test_clean_text_is_read_in_several_forms(tmp_path: Path) -> None:
    import gzip

    (tmp_path / "a.jsonl").write_text('{"text": "x\u2028x"}\n{"text": "y"}\n')
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b'{"text": "z"}\n'))
    (tmp_path / "b.jsonl").write_text('{"no": 1}\n')
    assert list(read_clean(tmp_path / "a.jsonl")) == ["x\u2028x", "y"]
    assert list(read_clean(tmp_path / "a.jsonl.gz")) == ["z"]
    with pytest.raises(InputError, match="line 1"):
        list(read_clean(tmp_path / "b.jsonl"))
    with pytest.raises(SettingsError, match="cannot be read"):
        thresholds_for(load_profile("th"), str(tmp_path / "absent.toml"))


def test_a_language_of_three_lines_is_enough(tmp_path: Path) -> None:
    (tmp_path / "shn.toml").write_text('code = "xx"\nname = "Mine"\nscripts = ["Laoo"]\n')
    lao = "ພາສາລາວເປັນພາສາທີ່ມີລະດັບສຽງ ນັກຮຽນໄປໂຮງຮຽນທຸກມື້ ແລະ ອ່ານໜັງສືພິມຂ່າວຈາກວຽງຈັນ "
    pages = [(f"http://a.example/{n}", page("ລາວ", f"{lao * 6} {n}")) for n in range(2)]
    write_warc(tmp_path / "a.warc.gz", [*pages, ("http://a.example/th", page("ไทย", thai(1)))])
    told = phasa(
        "corpus", str(tmp_path / "a.warc.gz"), "-o", str(tmp_path / "out"), "--lang", str(tmp_path / "shn.toml"),
        "--without", "quality", "--without", "duplicates", "--json",
    )  # fmt: skip
    summary = json.loads(told.stdout)
    assert summary["counts"]["languages"]["xx"] == 2
    assert summary["counts"]["reasons"] == {"language/other_language": 1}


@pytest.mark.parametrize(
    "words", [("--without", "nothing"), ("--mask", "name"), ("--format", "csv"), ("--against", "nowhere")]
)
def test_wrong_options_are_told(words: tuple[str, str], tmp_path: Path) -> None:
    write_warc(tmp_path / "a.warc.gz", [("http://a.example/", page("x", thai(1)))])
    told = phasa("corpus", str(tmp_path / "a.warc.gz"), "-o", str(tmp_path / "out"), "--lang", "th", *words)
    assert told.returncode == 1
    assert words[0].lstrip("-") in told.stderr or words[1] in told.stderr
