"""What a client takes, by its headers."""

from __future__ import annotations

import pytest

from kleos.api.operation import takes_gzip


@pytest.mark.parametrize(
    "header", ["gzip", "GZIP", "br, gzip", "gzip;q=0.1", "identity;q=1, gzip; q=0.5", "*", "br;q=0, *"]
)
def test_an_answer_is_packed_for_who_unpacks(header: str) -> None:
    assert takes_gzip(header)


@pytest.mark.parametrize(
    "header",
    [None, "", "identity", "gzip;q=0", "gzip; q=0.000", "gzip;q=0, *", "*;q=0", "not-gzip", "gzip;q=x"],
)
def test_it_is_not_for_who_does_not(header: str | None) -> None:
    assert not takes_gzip(header)
