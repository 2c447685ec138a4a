"""The published document before strict readers: linters, the specification, its own last release."""

import json
from pathlib import Path

import pytest
from openapi_spec_validator import validate

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


def test_a_broken_promise_would_be_seen(tmp_path: Path) -> None:
    """The same check on a document of one operation, which then is gone."""
    document = json.loads(DOCUMENT.read_text())
    document["paths"] = {"/healthz": document["paths"]["/healthz"], "/v1/keys": document["paths"]["/v1/keys"]}
    wanted = ("Health", "Keys", "ProblemBody")
    document["components"]["schemas"] = {name: document["components"]["schemas"][name] for name in wanted}
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    before.write_text(json.dumps(document))
    del document["paths"]["/v1/keys"]
    after.write_text(json.dumps(document))
    with pytest.raises(AssertionError, match="removed"):
        tool("optic", "diff", str(before), str(after), "--check", where=tmp_path)
