from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.crawl.learn.knowledge import KnowledgeBase, Row, read_arff, read_knowledge, write_arff
from phasa.errors import InputError

FIGURE_18 = """@relation all
@attribute parent   real        % a1
@attribute anchor   real        % a2
@attribute domain   real        % a3 (0 or 1)
@attribute distance real        % a4
@attribute output {thai, non}
@data
0.00,0.00,0,0.00,thai
0.55,0.00,1,0.00,thai
0.55,0.80,1,0.00,non
0.55,1.00,0,0.16,thai
0.55,0.00,0,0.00,non
"""


def test_the_printed_file_is_read() -> None:
    base = read_arff(FIGURE_18)
    assert len(base) == 5
    assert base.wanted.tolist() == [True, True, False, True, False]
    assert base.features[3].tolist() == [0.55, 1.0, 0, 0.16]


def test_the_written_file_has_two_decimals_and_whole_domains() -> None:
    text = write_arff(KnowledgeBase.of([Row(0.5549, 1, 1, 0.693147, True)]))
    assert text.splitlines()[-1] == "0.55,1.00,1,0.69,thai"
    assert "@attribute output {thai, non}" in text


HUNDREDTHS = st.integers(0, 300).map(lambda n: n / 100)
ROWS = st.lists(st.builds(Row, HUNDREDTHS, HUNDREDTHS, st.sampled_from([0.0, 1.0]), HUNDREDTHS, st.booleans()))


@given(ROWS, st.sampled_from(["thai", "persian"]))
def test_writing_and_reading_gives_the_same_base(rows: list[Row], label: str) -> None:
    base = KnowledgeBase.of(rows, label)
    again = read_arff(write_arff(base))
    assert np.array_equal(again.features, base.features)
    assert np.array_equal(again.wanted, base.wanted)
    assert again.label == label


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("hello", "no @data"),
        ("@attribute", "line 1: expected '@attribute NAME KIND'"),
        ("@relation x\n@ATTRIBUTE p1", "line 2: expected '@attribute NAME KIND'"),
        (FIGURE_18 + "nan,0.2,0,0,thai\n", "line 13: a number that is none"),
        (FIGURE_18 + "0.1,1e300,0,0,thai\n", "line 13: a number that is none"),
        ("@attribute x real\n@data\n", "expected the attributes"),
        (FIGURE_18 + "0.1,0.2,0\n", "line 13"),
        (FIGURE_18 + "0.1,x,0,0,thai\n", "line 13"),
        (FIGURE_18 + "0.1,0.2,0,0,klingon\n", "one of thai, non"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_arff(text)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "k.arff").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="Weka file"):
        read_knowledge(tmp_path / "k.arff")
