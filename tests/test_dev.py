"""The two commands: what a newcomer meets first. The whole set-up in a fresh clone is tried by `.ci/run`."""

import ast
import fcntl
import importlib.util
import json
import subprocess
import sys
import time
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def dev(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """The commands of a project in a folder of its own, with ``pip`` and ``venv`` written down, not run."""
    (tmp_path / "pyproject.toml").write_text('[dependency-groups]\ntest = ["pytest>=9"]\ncheck = ["ruff"]\n')
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "STAMP", tmp_path / ".venv" / "installed.json")
    module.did = did = []  # type: ignore[attr-defined]

    def make_environment() -> None:
        module.VENV.mkdir(exist_ok=True)
        module.STAMP.unlink(missing_ok=True)
        did.append("venv")

    monkeypatch.setattr(module, "make_environment", make_environment)
    monkeypatch.setattr(module, "pip", lambda *arguments: did.append(" ".join(arguments[3:])))
    return module


def test_an_old_interpreter_can_read_the_file_that_tells_it_so() -> None:
    ast.parse((ROOT / "dev.py").read_text(), feature_version=(3, 6))


def test_an_environment_is_made_once(dev: types.ModuleType) -> None:
    dev.install()
    dev.install()
    assert dev.did == ["venv", ""]


def test_a_group_is_added_to_the_environment_that_is_there(dev: types.ModuleType) -> None:
    dev.install("test")
    dev.install()
    dev.install("test", "check")
    assert dev.did == ["venv", "pytest>=9", "pytest>=9 ruff"]


def test_a_changed_project_file_makes_it_anew(dev: types.ModuleType) -> None:
    dev.install("test")
    project = dev.ROOT / "pyproject.toml"
    project.write_text(project.read_text().replace("pytest>=9", "pytest>=10"))
    dev.install("test")
    assert dev.did == ["venv", "pytest>=9", "venv", "pytest>=10"]


@pytest.mark.parametrize("stamp", ["", "{", "[]", '{"groups": ["test"]}'])
def test_an_interrupted_installation_is_begun_again(dev: types.ModuleType, stamp: str) -> None:
    dev.VENV.mkdir()
    dev.STAMP.write_text(stamp)
    dev.install("test")
    assert dev.did == ["venv", "pytest>=9"]


def test_the_stamp_is_written_last(dev: types.ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_arguments: str) -> None:
        sys.exit("no network")

    monkeypatch.setattr(dev, "pip", fails)
    with pytest.raises(SystemExit):
        dev.install()
    assert not dev.STAMP.exists()


def test_two_at_once_install_once(dev: types.ModuleType) -> None:
    script = (
        "import fcntl, pathlib, sys, time\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "import dev\n"
        f"dev.ROOT = pathlib.Path({str(dev.ROOT)!r})\n"
        "dev.VENV = dev.ROOT / '.venv'\n"
        "dev.STAMP = dev.VENV / 'installed.json'\n"
        "log = dev.ROOT / 'log'\n"
        "dev.make_environment = lambda: dev.VENV.mkdir()\n"
        "dev.pip = lambda *_: (time.sleep(0.3), log.open('a').write('pip\\n'))\n"
        "dev.install()\n"
    )
    with (dev.ROOT / "pyproject.toml").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        both = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(2)]
        time.sleep(0.3)
    assert [each.wait(timeout=30) for each in both] == [0, 0]
    assert (dev.ROOT / "log").read_text() == "pip\n"
    assert json.loads(dev.STAMP.read_text())["groups"] == []


def test_no_command_is_wrong_usage_and_says_what_there_is() -> None:
    ended = subprocess.run([sys.executable, ROOT / "dev.py"], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "python3 dev.py test" in ended.stdout
