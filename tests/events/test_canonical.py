"""Canonical bytes: equal to an independent RFC 8785 implementation, and refused in any other form."""

import json
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from kleos.events.canonical import DEEPEST, LARGEST, NotCanonical, decode, encode
from tests.events.published import vectors

FORMAT = Path(__file__).parents[2] / "docs" / "log-format.md"
KEYS = st.text(st.characters(max_codepoint=0x7F), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers(-LARGEST, LARGEST) | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_the_bytes_are_those_of_rfc_8785(value: Any) -> None:
    assert encode(value) == rfc8785.dumps(value)


@given(VALUES)
def test_decoding_gives_the_value_back(value: Any) -> None:
    """Fault 69."""
    assert decode(encode(value)) == value


@given(VALUES)
def test_the_same_value_in_other_bytes_is_refused(value: Any) -> None:
    for other in (json.dumps(value, indent=1).encode() + b"\n", b" " + encode(value)):
        with pytest.raises(NotCanonical):
            decode(other)


def test_every_control_character_and_the_text_beyond_the_basic_plane_are_escaped_alike() -> None:
    text = "".join(map(chr, range(0x100))) + "\u2028\u2029\ufeff\uffff\U0001f3db\U0010ffff"
    assert encode({"text": text}) == rfc8785.dumps({"text": text})


@pytest.mark.parametrize(
    "value",
    [1.0, 0.5, float("nan"), LARGEST + 1, -LARGEST - 1, 1 << 70, {"κ": 1}, {1: 2}, {1, 2}, b"x", "\ud800"],
)
def test_a_value_outside_the_subset_is_refused(value: Any) -> None:
    for each in (value, [value], {"in": value}):
        with pytest.raises(NotCanonical):
            encode(each)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b'{"b":1,"a":2}',
        b'{"a":1,"a":1}',
        b'{"a": 1}',
        b"[1.0]",
        b"1e3",
        b"-0",
        b"01",
        b"9007199254740992",
        b"123456789012345678901234567890",
        b"NaN",
        b'"\\u0041"',
        b'"\\/"',
        b'"\\ud800"',
        b'"\xff"',
        b'"\x00"',
        '{"κ":1}'.encode(),
        b"1\n",
        b"\xef\xbb\xbf1",
        b"1 2",
    ],
)
def test_bytes_in_any_other_form_are_refused(data: bytes) -> None:
    with pytest.raises(NotCanonical):
        decode(data)


def test_an_error_says_what_is_wrong() -> None:
    for value, says in (
        (LARGEST + 1, "beyond"),
        ("\ud800", "not Unicode: surrogates"),
        (b"", "bytes has no"),
    ):
        with pytest.raises(NotCanonical, match=says):
            encode(value)
    with pytest.raises(NotCanonical, match=r"not JSON: .*truncated"):
        decode(b"[")


def test_the_largest_and_the_smallest_integer_are_those_of_rfc_7493() -> None:
    for number in (2**53 - 1, 1 - 2**53):
        assert decode(encode(number)) == number
    for number in (2**53, -(2**53)):
        with pytest.raises(NotCanonical, match="beyond"):
            encode(number)


@pytest.mark.parametrize("depth", [DEEPEST + 1, 100_000])
def test_deep_nesting_is_a_clean_error(depth: int) -> None:
    with pytest.raises(NotCanonical, match="deep"):
        decode(b"[" * depth + b"]" * depth)


def test_the_deepest_nesting_is_accepted_and_part_of_the_format() -> None:
    data = b"[" * DEEPEST + b"]" * DEEPEST
    assert encode(decode(data)) == data
    assert f"nesting is at most {DEEPEST} deep" in FORMAT.read_text("utf-8")


@pytest.mark.parametrize("vector", vectors("rfc8785"), ids=lambda vector: vector["name"])
def test_the_published_texts_have_their_published_form_or_none(vector: dict[str, str]) -> None:
    """None, where they have keys or numbers that are not for us; no text is in canonical form before."""
    value = json.loads(vector["input"])
    assert rfc8785.dumps(value).decode() == vector["output"]
    with pytest.raises(NotCanonical):
        decode(vector["input"].encode())
    if vector["name"] in ("arrays", "unicode"):
        assert encode(value).decode() == vector["output"]
        assert decode(vector["output"].encode()) == value
    else:
        with pytest.raises(NotCanonical, match=r"not ASCII|float has no canonical form"):
            encode(value)
