"""The published document before strict readers: linters, the specification, its own last release."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import validate

from kleos.api.components import REF, references
from tests.contract.promises import withdrawn
from tests.contract.toolbox import DOCUMENT, OPENAPI, tool

pytestmark = pytest.mark.slow
RELEASED = sorted((OPENAPI / "released").glob("*.json"))


def test_it_is_valid_openapi() -> None:
    validate(json.loads(DOCUMENT.read_text()))


def test_redocly_has_nothing_to_say_by_its_strict_rules() -> None:
    said = tool("redocly", "lint", "--config", "redocly.yaml", "--format", "json", "openapi.json")
    totals = json.loads(said[said.index("{") : said.rindex("}") + 1])["totals"]
    assert (totals["errors"], totals["warnings"]) == (0, 0)


def test_spectral_has_nothing_to_say_by_the_rules_of_openapi_and_owasp() -> None:
    """Which rules are off, and why, is told beside them."""
    tool("spectral", "lint", "-r", ".spectral.yaml", "--fail-severity", "hint", "openapi.json")


def test_nothing_that_the_last_release_promised_is_broken() -> None:
    tool("optic", "diff", str(RELEASED[-1]), str(DOCUMENT), "--check")
    assert withdrawn(json.loads(RELEASED[-1].read_text()), json.loads(DOCUMENT.read_text())) == []


KEPT = ("/v1/keys", "/v1/players/me/tokens", "/v1/matches")
"""So much of the document is enough to break promises in; more takes the tool longer."""


@pytest.fixture(scope="module")
def released() -> dict[str, Any]:
    """A part of the document, as if it had been released."""
    document: dict[str, Any] = json.loads(DOCUMENT.read_text())
    document["paths"] = {path: document["paths"][path] for path in KEPT}
    schemas, needed = document["components"]["schemas"], _schemas_of(document["paths"])
    while more := {name for each in needed for name in _schemas_of(schemas[each])} - needed:
        needed |= more
    document["components"]["schemas"] = {name: schemas[name] for name in schemas if name in needed}
    return document


def _schemas_of(part: Any) -> set[str]:
    """The names of the schemas that a part of the document refers to."""
    return {each.removeprefix(REF) for each in references(part) if each.startswith(REF)}


def _compared(before: dict[str, Any], after: dict[str, Any], where: Path) -> None:
    for name, document in (("before.json", before), ("after.json", after)):
        (where / name).write_text(json.dumps(document))
    tool("optic", "diff", "before.json", "after.json", "--check", where=where)


def _field_gone(document: dict[str, Any]) -> None:
    del document["components"]["schemas"]["IssuedToken"]["properties"]["id"]
    document["components"]["schemas"]["IssuedToken"]["required"].remove("id")


def _field_of_another_type(document: dict[str, Any]) -> None:
    document["components"]["schemas"]["IssuedToken"]["properties"]["label"]["type"] = "integer"


def _choice_gone(document: dict[str, Any]) -> None:
    document["components"]["schemas"]["NewMatch"]["properties"]["undo"]["enum"].remove("strict")


def _more_required(document: dict[str, Any]) -> None:
    document["components"]["schemas"]["NewToken"]["required"].append("label")


def _parameter_required(document: dict[str, Any]) -> None:
    parameters = document["paths"]["/v1/matches"]["get"]["parameters"]
    next(each for each in parameters if each["name"] == "game")["required"] = True


def _parameter_gone(document: dict[str, Any]) -> None:
    parameters = document["paths"]["/v1/matches"]["get"]["parameters"]
    parameters.remove(next(each for each in parameters if each["name"] == "status"))


def _parameter_renamed(document: dict[str, Any]) -> None:
    parameters = document["paths"]["/v1/matches"]["get"]["parameters"]
    next(each for each in parameters if each["name"] == "player")["name"] = "who"


def _header_renamed(document: dict[str, Any]) -> None:
    (header,) = document["paths"]["/v1/matches"]["post"]["parameters"]
    header["name"] = "Command-Id"


def _field_renamed(document: dict[str, Any]) -> None:
    fields = document["components"]["schemas"]["IssuedToken"]["properties"]
    fields["made_at"] = fields.pop("created_at")


def _status_gone(document: dict[str, Any]) -> None:
    del document["paths"]["/v1/matches"]["get"]["responses"]["406"]


def _media_type_gone(document: dict[str, Any]) -> None:
    answer = document["paths"]["/v1/players/me/tokens"]["get"]["responses"]["200"]
    answer["content"] = {"text/plain": answer["content"]["application/json"]}


def _operation_gone(document: dict[str, Any]) -> None:
    del document["paths"]["/v1/keys"]


BROKEN = {
    _operation_gone: "cannot remove an operation",
    _field_gone: "cannot remove response property 'id'",
    _field_of_another_type: "response body property 'label' not to be expanded",
    _choice_gone: "cannot remove enum option 'strict' from 'undo'",
    _more_required: "cannot make a request property required",
    _parameter_required: "cannot make optional query parameter 'game' required",
}
"""What breaks a promise, and what is said of it."""


FIELDS = "/components/schemas/{}/properties"
WITHDRAWN = {
    _operation_gone: "GET /v1/keys",
    _parameter_gone: "GET /v1/matches: query parameter status",
    _parameter_renamed: "GET /v1/matches: query parameter player",
    _header_renamed: "POST /v1/matches: header parameter Idempotency-Key",
    _status_gone: "GET /v1/matches: status 406",
    _media_type_gone: "GET /v1/players/me/tokens: status 200 application/json",
    _field_gone: f"{FIELDS.format('IssuedToken')}: field id",
    _field_renamed: f"{FIELDS.format('IssuedToken')}: field created_at",
    _choice_gone: f"{FIELDS.format('NewMatch')}/undo: value strict",
}
"""What takes a name away, and how it is told."""


@pytest.mark.parametrize(
    ("spoils", "told"), WITHDRAWN.items(), ids=[each.__name__.strip("_") for each in WITHDRAWN]
)
def test_every_name_that_is_taken_away_is_missed(
    released: dict[str, Any], spoils: Callable[[dict[str, Any]], None], told: str
) -> None:
    changed = copy.deepcopy(released)
    spoils(changed)
    assert told in withdrawn(released, changed)
    assert withdrawn(released, released) == []


def test_every_kind_of_broken_promise_is_seen(released: dict[str, Any], tmp_path: Path) -> None:
    """All at once, for each comparison takes the tool seconds: each has to be complained of."""
    changed = copy.deepcopy(released)
    for breaks in BROKEN:
        breaks(changed)
    with pytest.raises(AssertionError) as said:
        _compared(released, changed, tmp_path)
    missing = {sentence for sentence in BROKEN.values() if sentence not in str(said.value)}
    assert not missing, said.value


def test_what_is_only_added_breaks_nothing(released: dict[str, Any], tmp_path: Path) -> None:
    """Operations, fields of answers, optional fields of requests, parameters, things to choose."""
    changed = copy.deepcopy(released)
    schemas = changed["components"]["schemas"]
    changed["paths"]["/v1/more"] = changed["paths"]["/v1/keys"] | {
        "get": {**changed["paths"]["/v1/keys"]["get"], "operationId": "more"}
    }
    schemas["Keys"]["properties"]["since"] = {"type": "string"}
    schemas["NewToken"]["properties"]["colour"] = {"type": "string"}
    schemas["NewMatch"]["properties"]["undo"]["enum"].append("lenient")
    changed["paths"]["/v1/matches"]["get"]["parameters"].append(
        {"name": "colour", "in": "query", "required": False, "schema": {"type": "string"}}
    )
    assert withdrawn(released, changed) == []
    _compared(released, changed, tmp_path)
