"""`phasa segment` and `phasa lexicon` as their users call them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def phasa(*words: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "phasa", *words], input=text, capture_output=True, timeout=120)


def test_words_are_separated_line_by_line_and_nothing_else_changes() -> None:
    text = "ภาษาไทยง่ายมาก  จริง\n\nabc 123\r\nไม่มีบรรทัดใหม่".encode()
    done = phasa("segment", "-", text=text)
    assert done.returncode == 0
    lines = done.stdout.decode().split("\n")
    assert lines[0] == "ภาษา|ไทย|ง่าย|มาก|  |จริง"
    assert lines[1:3] == ["", "abc| |123\r"]
    assert done.stdout.replace(b"|", b"") == text


def test_bytes_that_are_not_utf_8_come_back_as_they_were() -> None:
    text = b"\xff\xfe \xe0\xb8\x81\x00\n"
    assert phasa("segment", "-", text=text).stdout.replace(b"|", b"") == text


def test_workers_do_not_change_the_output(tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_text("สวัสดีชาวโลก วันนี้อากาศดี\n" * 5000, encoding="utf-8")
    assert phasa("segment", str(file), "--workers", "2").stdout == phasa("segment", str(file)).stdout


def test_json_has_the_words_of_each_line() -> None:
    done = phasa("segment", "-", "--engine", "spaced", "--json", text=b"a b\nc\n")
    assert [json.loads(line) for line in done.stdout.splitlines()] == [{"words": ["a", " ", "b"]}, {"words": ["c"]}]


def test_other_languages_get_their_engine() -> None:
    done = phasa("segment", "-", "--lang", "fa", text="می‌روم خانه\n".encode())
    assert done.stdout.decode() == "می‌روم| |خانه\n"


def test_the_free_model_cuts_too_and_says_under_which_licence() -> None:
    done = phasa("segment", "-", "--model", "free", text="ภาษาไทยง่ายมาก\n".encode())
    assert done.stdout.decode() == "ภาษา|ไทย|ง่าย|มาก\n"
    said = phasa("segment", "--version", "--model", "free").stdout.decode()
    assert "file     model-th-free.zst" in said
    assert "licence  CC-BY-SA-4.0\n" in said
    assert "BEST" not in said


def test_the_version_names_the_model_or_list_with_its_licence_and_sources() -> None:
    said = phasa("segment", "--version").stdout.decode()
    assert "not for commercial use" in said
    assert "from     BEST 2009/2010" in said
    assert "licence  CC0-1.0\n" in phasa("segment", "--version", "--engine", "lexto").stdout.decode()
    assert phasa("segment", "--version", "--lang", "fa").stdout.decode().splitlines()[1:] == ["engine   spaced"]


def test_the_version_of_a_file_of_ones_own_says_what_the_file_says(tmp_path: Path) -> None:
    words, corpus, model = tmp_path / "words.txt", tmp_path / "c.seg", tmp_path / "m.zst"
    words.write_text("แมว\n", encoding="utf-8")
    said = phasa("segment", "--version", "--lexicon", str(words)).stdout.decode().splitlines()
    assert said[1:] == ["engine   lexto", "file     words.txt", "licence  not stated in the file"]
    corpus.write_text("แมว|กิน|ปลา\n" * 100, encoding="utf-8")
    assert phasa("segment", "train", f"a={corpus}", "-o", str(model), "--licence", "a=MIT").returncode == 0
    assert "from     c.seg: MIT" in phasa("segment", "--version", "--model", str(model)).stdout.decode()


def test_a_collection_chooses_the_word_model(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    assert phasa("init", str(folder), "--lang", "th").returncode == 0
    asked = ("segment", "--version", "--collection", str(folder))
    assert "file     model-th.zst" in phasa(*asked).stdout.decode()
    settings = folder / "collection.toml"
    text = settings.read_text(encoding="utf-8")
    assert 'model = "default"' in text
    settings.write_text(text.replace('model = "default"', 'model = "free"'), encoding="utf-8")
    assert "file     model-th-free.zst" in phasa(*asked).stdout.decode()


def test_languages_end_with_the_licences_of_what_serves_them() -> None:
    said = phasa("languages", "th").stdout.decode()
    assert "licence CC-BY-SA-4.0: model.npz, model-th-free.zst" in said
    assert "not for commercial use: model-th.zst" in said
    assert "licence CC0-1.0:" in said


def test_an_unknown_engine_is_one_line_on_stderr() -> None:
    done = phasa("segment", "-", "--engine", "magic", text=b"a\n")
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)


def test_evaluate_scores_every_engine_on_every_gold_file(tmp_path: Path) -> None:
    gold = tmp_path / "gold.seg"
    gold.write_text("ภาษา|ไทย|ง่าย|มาก\n", encoding="utf-8")
    rows = json.loads(phasa("segment", "evaluate", str(gold), "--engines", "phasa,lexto", "--json").stdout)
    assert [(row["engine"], row["gold"]) for row in rows] == [("phasa", "gold.seg"), ("lexto", "gold.seg")]
    assert rows[0]["f1"] == 1.0
    assert set(rows[0]) == {"engine", "gold", "precision", "recall", "f1", "boundary_f1", "mb_per_cpu_s"}


def test_a_lexicon_is_built_refined_shown_and_used(tmp_path: Path) -> None:
    corpus, lexicon, refined = tmp_path / "c.seg", tmp_path / "w.lex", tmp_path / "r.seg"
    corpus.write_text("ไม่|ได้|มา\nไม่|ได้\nไม่ได้\n<NE>สมใจ</NE>|มา\n", encoding="utf-8")
    assert phasa("lexicon", "build", str(corpus), "-o", str(lexicon), "--refine").returncode == 0
    shown = json.loads(phasa("lexicon", "show", str(lexicon), "--json").stdout)
    assert (shown["reference"], shown["cname"]) == (3, 1)
    word = json.loads(phasa("lexicon", "show", str(lexicon), "--word", "ไม่", "--json").stdout)
    assert word == {"word": "ไม่", "in_reference": True, "in_cname": False, "count": 3}
    cases = json.loads(phasa("lexicon", "refine", str(corpus), "-o", str(refined), "--json").stdout)
    assert cases == [{"split": ["ไม่", "ได้"], "split_count": 2, "joined": "ไม่ได้", "joined_count": 1, "kept": "split"}]
    assert refined.read_text(encoding="utf-8").split("\n")[2] == "ไม่|ได้"
    used = phasa("segment", "-", "--engine", "longest-first", "--lexicon", str(lexicon), text="สมใจไม่ได้มา\n".encode())
    assert used.stdout.decode() == "สมใจ|ไม่|ได้|มา\n"


def test_training_writes_a_model_that_segment_reads(tmp_path: Path) -> None:
    corpus, model = tmp_path / "c.seg", tmp_path / "m.zst"
    corpus.write_text("แมว|กิน|ปลา\nปลา|กิน|แมว\nหมา|กิน|ปลา\n" * 60, encoding="utf-8")
    done = phasa("segment", "train", f"first={corpus}", "-o", str(model), "--note", "toy")
    assert done.returncode == 0, done.stderr
    used = phasa("segment", "-", "--model", str(model), text="หมากินแมว\n".encode())
    assert used.stdout.decode() == "หมา|กิน|แมว\n"


def test_reproduce_lists_its_experiments() -> None:
    assert b"segmentation" in phasa("lab", "reproduce", "list").stdout
