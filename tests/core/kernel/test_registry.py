"""The registry: games are found by their entry points, each on its own."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tiny import TINY

from kleos.core.kernel import Malformed, registry

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package with the given entry point and module text for the length of a test."""

    def write(name: str, value: str, source: str = "") -> None:
        package = tmp_path / f"{name}-1.dist-info"
        package.mkdir()
        (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (package / "entry_points.txt").write_text(f"[kleos.games]\n{value}\n")
        (tmp_path / f"{name}.py").write_text(source)

    def forget() -> None:
        registry._points.cache_clear()
        registry._versions.cache_clear()

    forget()
    monkeypatch.syspath_prepend(tmp_path)
    yield write
    forget()
    for path in tmp_path.glob("*.py"):
        sys.modules.pop(path.stem, None)


TWO_VERSIONS = """
from tiny import Tiny
class Tenth(Tiny):
    name, rules = "twofold", "twofold/10"
class Second(Tiny):
    name, rules = "twofold", "twofold/2"
GAMES = [Tenth(), Second()]
"""


def test_an_installed_game_is_found_by_its_name_and_by_its_rules() -> None:
    assert registry.current("tiny") is TINY
    assert registry.pinned("tiny/1") is TINY
    assert registry.games()["tiny/1"] is TINY


def test_an_unknown_game_is_refused_with_those_that_exist() -> None:
    with pytest.raises(Malformed, match=r"no game 'chess'; installed: .*tiny"):
        registry.current("chess")


def test_rules_that_are_not_installed_are_named_with_those_that_are() -> None:
    """Fault 61."""
    with pytest.raises(LookupError, match="tiny/2 are not installed; installed: tiny/1"):
        registry.pinned("tiny/2")
    with pytest.raises(LookupError, match="chess/1 are not installed"):
        registry.pinned("chess/1")


def test_old_rules_stay_beside_new_ones_and_the_newest_number_is_current(install: Install) -> None:
    """Fault 66."""
    install("twofold", "twofold = twofold:GAMES", TWO_VERSIONS)
    assert registry.current("twofold").rules == "twofold/10"
    assert registry.pinned("twofold/2").rules == "twofold/2"


def test_a_broken_package_harms_only_its_own_game(install: Install) -> None:
    install("broken", "broken = broken:GAME", "raise ImportError('a missing part')")
    assert registry.current("tiny") is TINY
    with pytest.raises(ImportError, match="a missing part"):
        registry.current("broken")


def test_two_packages_may_not_provide_one_game(install: Install) -> None:
    install("usurper", "tiny = usurper:GAME")
    with pytest.raises(RuntimeError, match="two installed packages provide the game tiny"):
        registry.current("tiny")


def test_an_entry_point_must_have_the_name_of_its_game(install: Install) -> None:
    install("alias", "alias = tiny:TINY")
    with pytest.raises(RuntimeError, match="alias leads to 'tiny'"):
        registry.current("alias")
