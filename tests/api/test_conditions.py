"""ETags name a version and a viewer, and give neither away; commands are named by player and key."""

import pytest

from kleos.api.conditions import NO_VERSION, Tags, command, unchanged
from kleos.api.problems import Problem

TAGS = Tags(b"secret")
MINE = TAGS.etag("match", 7, "seat:0")


def test_any_view_of_the_match_names_the_version_that_a_command_follows() -> None:
    for viewer in ("seat:0", "seat:1", "spectator", "match"):
        assert TAGS.expected("match", TAGS.etag("match", 7, viewer)) == 7


def test_without_a_condition_any_version_will_do() -> None:
    assert TAGS.expected("match", None) is None
    assert TAGS.expected("match", " * ") is None


def test_of_several_etags_the_newest_counts() -> None:
    older = TAGS.etag("match", 6, "seat:0")
    assert TAGS.expected("match", f"{older}, {MINE}") == 7


@pytest.mark.parametrize(
    "header",
    [
        TAGS.etag("other", 7, "seat:0"),
        f"W/{MINE}",
        '"7"',
        '"elsewhere"',
        '""',
        '"7-abc"',
        MINE.replace("7-", "07-"),
    ],
)
def test_what_is_not_a_strong_etag_of_the_match_matches_no_version(header: str) -> None:
    assert TAGS.expected("match", header) == NO_VERSION


@pytest.mark.parametrize("header", ["", "7", MINE[:-1], f"{MINE} {MINE}", f"{MINE},,{MINE}", "*, " + MINE])
def test_what_is_no_list_of_etags_is_malformed(header: str) -> None:
    with pytest.raises(Problem) as caught:
        TAGS.expected("match", header)
    assert caught.value.code == "malformed"


def test_an_etag_differs_by_match_viewer_version_and_secret() -> None:
    others = [
        TAGS.etag("other", 7, "seat:0"),
        TAGS.etag("match", 7, "seat:1"),
        TAGS.etag("match", 8, "seat:0"),
        Tags(b"another").etag("match", 7, "seat:0"),
    ]
    assert len({MINE, *others}) == 5


def test_an_unchanged_representation_is_told_by_weak_comparison() -> None:
    assert unchanged(MINE, MINE)
    assert unchanged(f'"x", W/{MINE}', MINE)
    assert unchanged("*", MINE)
    assert not unchanged(None, MINE)
    assert not unchanged(TAGS.etag("match", 8, "seat:0"), MINE)


def test_a_command_is_named_by_its_player_and_key_and_known_by_its_request() -> None:
    first = command("ariadne", "k", "POST", "/a", b"{}")
    assert first == command("ariadne", "k", "POST", "/a", b"{}")
    for other in (command("bacchus", "k", "POST", "/a", b"{}"), command("ariadne", "l", "POST", "/a", b"{}")):
        assert other.id != first.id
    for path, body in (("/b", b"{}"), ("/a", b"{ }")):
        again = command("ariadne", "k", "POST", path, body)
        assert again.id == first.id
        assert again.fingerprint != first.fingerprint


def test_no_boundary_between_player_and_key_can_be_moved() -> None:
    one, other = command("ab", "c", "POST", "/", b""), command("a", "bc", "POST", "/", b"")
    assert one.id != other.id


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "x" * 256, "a\x7f"])
def test_a_key_is_visible_ascii(key: str) -> None:
    with pytest.raises(Problem):
        command("ariadne", key, "POST", "/", b"")
