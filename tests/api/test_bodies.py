"""Bodies are strict JSON, and what is wrong is named by its place."""

import msgspec
import pytest

from kleos.api.bodies import LARGEST, decode
from kleos.api.problems import Problem


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    number: int


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    inner: Inner


def body(name: str = '"x"', number: str = "1") -> bytes:
    return f'{{"name":{name},"inner":{{"number":{number}}}}}'.encode()


def refusal(raw: bytes) -> str:
    with pytest.raises(Problem) as caught:
        decode(raw, Outer)
    assert caught.value.code == "malformed"
    return caught.value.detail


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (body(name="1"), "Expected a string, got an integer - at `$.name`"),
        (body(number="null"), "Expected an integer, got null - at `$.inner.number`"),
        (b"[]", "Expected an object, got an array"),
    ],
)
def test_types_are_named_as_in_json(raw: bytes, said: str) -> None:
    assert refusal(raw) == said


def test_a_body_of_the_documented_form_is_decoded() -> None:
    assert decode(body(number=str(-LARGEST)), Outer) == Outer("x", Inner(-LARGEST))


def test_an_escaped_backslash_before_u0000_is_no_nul() -> None:
    assert decode(body('"\\\\u0000"'), Outer).name == "\\u0000"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "not JSON"),
        (b"\xef\xbb\xbf" + body(), "not JSON"),
        (body() + b"x", "not JSON"),
        (b"\xff", "not UTF-8"),
        (body('"\\u0000"'), "U+0000"),
        (body('"\\ud800"'), "not JSON"),
        (b'{"name":"a","name":"b","inner":{"number":1}}', "'name' is given twice"),
        (b'{"name":"a","inner":{"number":1,"number":1}}', "'number' is given twice"),
        (body(number="1.0"), "numbers are integers"),
        (body(number="1e3"), "numbers are integers"),
        (body(number="NaN"), "not JSON"),
        (body(number="-Infinity"), "not JSON"),
        (body(number=str(LARGEST + 1)), "integers lie within"),
        (body(number="9" * 5000), "integers lie within"),
        (b"[" * 50_000, "nested too deeply"),
        (b'{"name":' * 8_000, "nested too deeply"),
    ],
)
def test_what_is_not_strict_json_is_malformed(raw: bytes, said: str) -> None:
    assert said in refusal(raw)


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        (body(number='"1"'), "$.inner.number"),
        (body(number="true"), "$.inner.number"),
        (b'{"name":"a","inner":{"number":1,"more":1}}', "$.inner"),
        (b'{"name":"a"}', "inner"),
    ],
)
def test_what_is_ill_typed_is_named_by_its_place(raw: bytes, place: str) -> None:
    assert place in refusal(raw)
