"""The house: folders, import directions, what the wheel holds. Read from the source, nothing is imported."""

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LAYERS = ("core", "events", "projections", "api")
"""Each may import those before it, never one behind it."""
PURE = {
    "__future__",
    "abc",
    "bisect",
    "collections",
    "dataclasses",
    "enum",
    "functools",
    "hashlib",
    "hmac",
    "html",
    "importlib",
    "itertools",
    "json",
    "math",
    "operator",
    "re",
    "statistics",
    "struct",
    "traceback",
    "types",
    "typing",
    "xml",
    "msgspec",
    "kleos",
}
"""What rules may be made of: nothing here knows the time, the network, or a fortune of its own."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def modules(folder: str) -> Iterator[Path]:
    yield from sorted((ROOT / folder).rglob("*.py"))


def imports(module: Path) -> Iterator[str]:
    """The full names of all that a module imports, at any depth of its code."""
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_go_one_way(layer: str) -> None:
    above = LAYERS[LAYERS.index(layer) + 1 :]
    wrong = [
        f"{module.relative_to(ROOT)} imports {name}"
        for module in modules(layer)
        for name in imports(module)
        if any(f"{name}.".startswith(f"kleos.{each}.") for each in above)
    ]
    assert wrong == []


def test_kernel_and_match_know_no_game() -> None:
    games = {path.name for path in (ROOT / "core").iterdir() if (path / "__init__.py").exists()} - {
        "kernel",
        "match",
    }
    wrong = [
        f"{module.relative_to(ROOT)} imports {name}"
        for part in ("core/kernel", "core/match")
        for module in modules(part)
        for name in imports(module)
        if any(f"{name}.".startswith(f"kleos.core.{game}.") for game in games)
    ]
    assert wrong == []


def test_rules_are_pure() -> None:
    wrong = [
        f"{module.relative_to(ROOT)} imports {name}"
        for module in modules("core")
        for name in imports(module)
        if name.split(".")[0] not in PURE
    ]
    assert wrong == []


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(module.relative_to(ROOT))
        for layer in LAYERS
        for module in modules(layer)
        if not ast.get_docstring(ast.parse(module.read_text()))
    ]
    assert silent == []


@pytest.mark.parametrize("layer", LAYERS)
def test_folders_are_linked_under_the_one_import_name(layer: str) -> None:
    link = ROOT / "src" / "kleos" / layer
    assert link.is_symlink()
    assert link.readlink() == Path("../..") / layer


def test_every_dependency_is_explained() -> None:
    told = (ROOT / "docs" / "dependencies.md").read_text()
    groups = PROJECT["dependency-groups"].values()
    wanted = PROJECT["project"]["dependencies"] + [each for group in groups for each in group]
    names = {requirement.split(">")[0].split("[")[0] for requirement in wanted}
    assert {name for name in names if f"`{name}`" not in told} == set()


def test_every_setting_is_documented() -> None:
    tree = ast.parse((ROOT / "api" / "settings.py").read_text())
    (settings,) = (each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == "Settings")
    fields = [each.target.id for each in settings.body if isinstance(each, ast.AnnAssign)
              and isinstance(each.target, ast.Name)]  # fmt: skip
    told = (ROOT / "docs" / "operations.md").read_text()
    assert len(fields) > 5
    assert [field for field in fields if f"`KLEOS_{field.upper()}`" not in told] == []


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:, ]+)(?:#[^)]*)?\)", page.read_text())
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_the_changelog_knows_the_version() -> None:
    assert f"## {PROJECT['project']['version']}" in (ROOT / "CHANGELOG.md").read_text()


def test_the_wheel_holds_the_whole_library_and_nothing_else(tmp_path: Path) -> None:
    """Fault 133."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *LAYERS],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    assert held == {f"kleos/{name}" for name in tracked} | {"kleos/__init__.py", "kleos/py.typed"}
