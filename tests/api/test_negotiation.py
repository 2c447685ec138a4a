"""Accept decides what is sent (RFC 9110, section 12.5.1)."""

import pytest

from kleos.api.operation import preferred

JSON, HTML = "application/json", "text/html"


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        (None, JSON),
        ("", JSON),
        ("*/*", JSON),
        ("application/json", JSON),
        ("text/html", HTML),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", HTML),
        ("application/json;q=0.5, text/*", HTML),
        ("text/html;q=0.2, application/json;q=0.3", JSON),
        ("text/html;q=0, */*", JSON),
        ("TEXT/HTML", HTML),
        ("image/png", None),
        ("*/*;q=0", None),
        ("application/json;q=nonsense", None),
    ],
)
def test_the_best_of_what_is_offered_is_chosen(accept: str | None, chosen: str | None) -> None:
    assert preferred(accept, (JSON, HTML)) == chosen
