"""The document of the event streams against the schema that the makers of AsyncAPI publish."""

import json
import subprocess
import tarfile
from pathlib import Path

import jsonschema_rs
import pytest

from kleos.api.feed_document import document

pytestmark = pytest.mark.slow
SPECS = "@asyncapi/specs@6.11.1"


def test_the_document_is_valid_asyncapi(tmp_path: Path) -> None:
    packed = subprocess.run(
        ["npm", "pack", "--silent", SPECS], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    with tarfile.open(tmp_path / packed.stdout.strip()) as package:
        member = package.extractfile("package/schemas/3.0.0.json")
        assert member is not None
        schema = json.load(member)
    valid = jsonschema_rs.validator_for(schema).is_valid
    assert valid(document())
    assert not valid({**document(), "channels": {"events": {"adress": "/v1"}}})
