"""Personal data is masked when it proves to be it, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.corpus.pages import document

from phasa.corpus.personal import KINDS, Mask, is_card, is_iban, is_iran_id, is_thai_id, mask


@pytest.mark.parametrize(
    ("kind", "text", "masked"),
    [
        ("mail", "เขียนถึง somchai.j@mail.example.co.th ได้", "เขียนถึง <mail> ได้"),
        ("mail", "ไม่ใช่ a@b และ @name", "ไม่ใช่ a@b และ @name"),
        ("phone", "โทร 081-234-5678 หรือ 02-123-4567", "โทร <phone> หรือ <phone>"),
        ("phone", "โทร ๐๘๑-๒๓๔-๕๖๗๘", "โทร <phone>"),
        ("phone", "تلفن ۰۹۱۲ ۳۴۵ ۶۷ ۸۹ است", "تلفن <phone> است"),
        ("phone", "+98 21 8800 1234", "<phone>"),
        ("phone", "ปี 2026-11-17 ราคา 1,234,567", "ปี 2026-11-17 ราคา 1,234,567"),
        ("thai-id", "เลข 1-1017-00230-70-8 จบ", "เลข <thai-id> จบ"),
        ("thai-id", "เลข 1234567890121 จบ", "เลข <thai-id> จบ"),
        ("thai-id", "เลข 1-1017-00230-70-9 จบ", "เลข 1-1017-00230-70-9 จบ"),
        ("iran-id", "کد ملی ۰۰۸۴۵۷۵۹۴۸", "کد ملی <iran-id>"),
        ("iran-id", "کد ۰۰۸۴۵۷۵۹۴۷", "کد ۰۰۸۴۵۷۵۹۴۷"),
        ("iban", "IR82 0540 1026 8002 0817 9090 02", "<iban>"),
        ("iban", "DE89370400440532013000", "<iban>"),
        ("iban", "DE89370400440532013001", "DE89370400440532013001"),
        ("card", "4111 1111 1111 1111", "<card>"),
        ("card", "4111 1111 1111 1112", "4111 1111 1111 1112"),
    ],
)
def test_a_kind_is_masked_where_it_is_one(kind: str, text: str, masked: str) -> None:
    assert mask(text, [kind])[0] == masked


def test_only_the_kinds_that_are_asked_for_are_masked() -> None:
    text = "a@example.com 4111111111111111"
    assert mask(text, ["card"]) == ("a@example.com <card>", {"card": 1})


@given(st.integers(0, 12), st.integers(1, 9))
def test_a_changed_digit_of_a_thai_number_is_found(place: int, more: int) -> None:
    right = "1101700230708"
    wrong = right[:place] + str((int(right[place]) + more) % 10) + right[place + 1 :]
    assert is_thai_id(right)
    # The check digit is taken modulo 11 and then 10, so that some changes go unseen; one in ten at the most.
    assert sum(is_thai_id(right[:12] + str(digit)) for digit in range(10)) == 1
    assert len(wrong) == 13


@given(st.text(alphabet="0123456789", min_size=9, max_size=9))
def test_every_iranian_number_has_one_check_digit(start: str) -> None:
    assert sum(is_iran_id(start + str(digit)) for digit in range(10)) == (len(set(start)) > 1) or len(set(start)) == 1


@given(st.text(alphabet="0123456789", min_size=15, max_size=15))
def test_every_card_has_one_check_digit(start: str) -> None:
    assert sum(is_card(start + str(digit)) for digit in range(10)) == 1 or len(set(start)) == 1


def test_an_account_number_has_the_length_of_its_country() -> None:
    assert is_iban("GB82 WEST 1234 5698 7654 32")
    assert not is_iban("GB82 WEST 1234 5698 7654 3")


@given(st.text())
def test_masking_never_fails_and_rests(text: str) -> None:
    once, _ = mask(text, list(KINDS))
    assert mask(once, list(KINDS))[0] == once


def test_the_step_masks_title_and_paragraphs_and_counts() -> None:
    (one,) = Mask(("mail",))([document("a@example.com", "b", title="c@example.com")])
    assert (one.title, one.text, one.masked) == ("<mail>", "<mail>\nb", {"mail": 2})
