"""Mutation testing of the verifier: each mutant of its modules fails a test, or is listed as harmless.

The tests are loaded once. For every mutant the process forks; the child puts the changed code into the
module and runs the tests that call the changed function until one fails: first those that are fast, and
those that killed other mutants. Survivors that matter to nobody stand in ``harmless.txt`` with the reason.
What stands in a class outside of its methods is left alone.

Exit codes: 0 every mutant is killed or harmless, 1 one is not, 2 the tests fail as it is.
"""

from __future__ import annotations

import argparse
import ast
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / each) for each in ("src", "", "tests/games")]

import pytest  # noqa: E402 - of this copy of the project, wherever another one is installed

from tests.mutation.graft import graft  # noqa: E402
from tests.mutation.mutants import Mutant, mutants  # noqa: E402

GROUPS: Final = (
    (
        ("canonical", "digest", "merkle", "note", "receipt", "ed25519", "bundle", "signing"),
        tuple(
            f"tests/events/test_{name}.py"
            for name in (
                *("canonical", "envelope", "merkle", "note", "receipt", "ed25519"),
                *("bundle", "signing"),
            )
        ),
    ),
    (
        (
            *("steps", "descent", "retrial", "ancestry", "verifier"),
            *("testimony", "rotation", "cosignature", "inscription"),
        ),
        (
            *(
                f"tests/events/test_{name}.py"
                for name in (
                    *("verifier", "signing", "retrial", "steps", "descent", "ancestry"),
                    *("testimony", "rotation", "cosignature", "inscription"),
                )
            ),
            "tests/verifier",
        ),
    ),
)
"""Modules, and the tests that must find every mutant of them."""
MODULES: Final = tuple(name for names, _ in GROUPS for name in names)
OPTIONS: Final = (
    *("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist"),
    *("-k", "not cyclades and not teams and not (once and more)"),  # long, and nothing new in them
)
HARMLESS: Final = Path(__file__).with_name("harmless.txt")
SECONDS: Final = 1
"""Of the processor, beyond ten times its own, that a test may take with a mutant before it is killed."""
Named = tuple[str, Mutant]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="dev.py mutants", description="Mutation testing of the verifier.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"of {', '.join(MODULES)}")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="so many mutants side by side")
    chosen = parser.parse_args(arguments)
    os.chdir(ROOT)
    lived: list[Named] = []
    wanted = chosen.modules or MODULES
    for names, tests in GROUPS:
        every = [(name, each) for name in names if name in wanted for each in mutants(_source(name))]
        trials = Trials(every, chosen.jobs)
        if every and pytest.main([*OPTIONS, *tests], [trials]):
            return 2
        lived += trials.lived
    return _told(lived, set(wanted))


def _told(lived: Sequence[Named], wanted: set[str]) -> int:
    """Print what is neither killed nor listed, and what is listed and not found."""
    harmless = {each for each in _harmless() if each[0] in wanted}
    found = {_key(*each) for each in lived}
    for name, each in lived:
        if _key(name, each) not in harmless:
            print(f"survived: events/{name}.py:{each.line}\n  {_text(name, each.line)}\n  {each.change}")
    for name, text, change in sorted(harmless - found):
        print(f"listed as harmless, but killed or gone: {name}\n  {text}\n  {change}")
    return 1 if found != harmless else 0


class Trials:
    """A plugin of pytest that runs the tests once as they are, and then on every mutant."""

    def __init__(self, every: Sequence[Named], jobs: int) -> None:
        self.lived: list[Named] = []
        self._every = every
        self._jobs = jobs
        self._seconds: dict[str, float] = {}
        self._calls: dict[str, set[tuple[str, int]]] = {}
        self._kills: Counter[str] = Counter()
        self._killers, self._killer = os.pipe()
        os.set_blocking(self._killers, False)

    def pytest_configure(self) -> None:
        from hypothesis import HealthCheck, Phase, settings  # not before pytest is ready for it

        settings.register_profile(
            "mutants",
            database=None,
            deadline=None,
            derandomize=True,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        settings.load_profile("mutants")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed:
            return None
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.close(reader)
            self._watch(session)
            with os.fdopen(writer, "w") as pipe:
                pipe.write(repr((self._seconds, self._calls)))
            _reporter(session).summary_failures()
            sys.stdout.flush()
            os._exit(min(session.testsfailed, 1))
        os.close(writer)
        with os.fdopen(reader) as pipe:
            self._seconds, self._calls = ast.literal_eval(pipe.read())
        _, status = os.wait()
        if status:
            session.testsfailed = 1
            return True
        self._try_all(session)
        return True

    def _watch(self, session: pytest.Session) -> None:
        """Run the tests as they are: how long each takes the processor, and which functions it calls."""
        for item in session.items:
            calls = self._calls[item.nodeid] = set()

            def called(frame: FrameType, event: str, _: Any, calls: Any = calls) -> None:
                if event == "call" and (name := _module_of(frame.f_code)):
                    calls.add((name, frame.f_code.co_firstlineno))

            began = time.process_time()
            sys.setprofile(called)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            sys.setprofile(None)
            self._seconds[item.nodeid] = time.process_time() - began

    def _try_all(self, session: pytest.Session) -> None:
        running: dict[int, Named] = {}
        began = time.monotonic()
        for number, (name, mutant) in enumerate(self._every, 1):
            if len(running) >= self._jobs:
                self._wait(running)
            child = os.fork()
            if child == 0:
                self._try(session, name, mutant)
            running[child] = (name, mutant)
            if number % 100 == 0 or number == len(self._every):
                spent = time.monotonic() - began
                say(f"{number} of {len(self._every)}, {len(self.lived)} alive, {spent:.0f} s")
        while running:
            self._wait(running)
        every, lived = len(self._every), len(self.lived)
        say(f"{every} mutants: {every - lived} killed, {lived} survived")

    def _wait(self, running: dict[int, Named]) -> None:
        child, status = os.wait()
        name, mutant = running.pop(child)
        if status == 0:
            self.lived.append((name, mutant))
            if _key(name, mutant) not in _harmless():
                say(f"alive: events/{name}.py:{mutant.line}  {mutant.change}")
        with suppress(BlockingIOError):  # nothing to read: the child was ended, or no test failed
            self._kills.update(os.read(self._killers, 1 << 16).decode().splitlines())

    def _try(self, session: pytest.Session, name: str, mutant: Mutant) -> None:
        """In a child: run the tests on a mutant, and exit with 0 if they all pass."""
        session.config.pluginmanager.unregister(_reporter(session))
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)  # a changed constant may be one that nobody can compute
        try:
            graft(sys.modules[f"kleos.events.{name}"], mutant.statement)
            for item in self._to_run(session, name, _function(name, mutant.line)):
                signal.setitimer(signal.ITIMER_PROF, SECONDS + 10 * self._seconds[item.nodeid])
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                if session.testsfailed:
                    os.write(self._killer, f"{item.nodeid}\n".encode())
                    os._exit(1)
        except BaseException:
            os._exit(1)
        os._exit(0)

    def _to_run(self, session: pytest.Session, name: str, lines: range) -> list[pytest.Item]:
        """The tests that call the function on these lines, likely killers first.

        Where there is none, all of them, and first those that call anything in the module.
        """
        calls = {item: self._calls[item.nodeid] for item in session.items}
        reaching = [
            item for item in session.items if not lines or any((name, line) in calls[item] for line in lines)
        ]
        calling = {item for item in reaching if any(each == name for each, _ in calls[item])}

        def late(item: pytest.Item) -> tuple[bool, float]:
            return item not in calling, self._seconds[item.nodeid] / (1 + self._kills[item.nodeid])

        return sorted(reaching, key=late)


def _reporter(session: pytest.Session) -> Any:
    """What prints dots and failures."""
    return session.config.pluginmanager.get_plugin("terminalreporter")


@cache
def _module_of(code: CodeType) -> str | None:
    file = Path(code.co_filename)
    return file.stem if file.parent.name == "events" and file.stem in MODULES else None


@cache
def _source(name: str) -> str:
    return (ROOT / "events" / f"{name}.py").read_text("utf-8")


def _text(name: str, line: int) -> str:
    return _source(name).splitlines()[line - 1].strip()


def _key(name: str, mutant: Mutant) -> tuple[str, str, str]:
    return name, _text(name, mutant.line), mutant.change


@cache
def _function(name: str, line: int) -> range:
    """The lines of the innermost function around a line; none outside of all."""
    found = range(0)
    for node in ast.walk(ast.parse(_source(name))):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first <= line <= (node.end_lineno or 0) and (not found or first > found.start):
                found = range(first, (node.end_lineno or 0) + 1)
    return found


@cache
def _harmless() -> frozenset[tuple[str, str, str]]:
    """Module, line of source and change of every survivor that matters to nobody."""
    blocks = [block.strip("\n").split("\n") for block in HARMLESS.read_text("utf-8").split("\n\n")[1:]]
    return frozenset((name, text.strip(), change.strip()) for name, text, change, *_ in blocks)


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
