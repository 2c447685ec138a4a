"""The mutants themselves: each is one change, where it is told to be, and in force when it is tried."""

from __future__ import annotations

import ast
from types import ModuleType

import pytest

from tests.mutation.graft import graft
from tests.mutation.mutants import mutants

SOURCE = '''
"""About the module."""

LIMIT = 3


class Tree:
    """Its docstring."""

    size: int = 0

    @property
    def doubled(self) -> int:
        return self.size * 2


def allowed(number: int, *, most: int = LIMIT) -> bool:
    if number < 0 or number > most:
        raise ValueError("it is not one of those")
    return not number % 2
'''


def changes(source: str) -> list[str]:
    return [f"{each.line}: {each.change}" for each in mutants(source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a < b", ["1: Lt -> LtE"]),
        ("x = a and b", ["1: a and b -> b", "1: a and b -> a", "1: And -> Or"]),
        ("x = not a", ["1: not a -> a"]),
        ("x = f(a, b=c)", ["1: f(a, b=c) -> f(b=c)", "1: f(a, b=c) -> f(a)"]),
        ("x = a[1:]", ["1: 1: -> :", "1: 1 -> 2", "1: 1 -> 0"]),
        ("x = 'ab'", ["1: 'ab' -> ''", "1: 'ab' -> 'aba'"]),
        ("x = 'a text for people'", []),
        ("x: int = True", ["1: True -> False"]),
        ("def f():\n    '''Docstring.'''\n    return g", ["3: return g -> return None"]),
        ("if a:\n    b()", ["1: a -> True", "1: a -> False", "2: b() -> pass"]),
    ],
)
def test_every_kind_of_change_is_made_and_no_text_is_touched(source: str, expected: list[str]) -> None:
    assert sorted(changes(source)) == sorted(expected)


def test_a_mutant_differs_from_its_source_in_that_statement_alone() -> None:
    statements = {ast.dump(each) for each in ast.parse(SOURCE).body}
    found = list(mutants(SOURCE))
    assert len(found) > 15
    assert all(ast.dump(each.statement) not in statements for each in found)


def trial(change: str) -> ModuleType:
    """The module with a change in force."""
    module = ModuleType("changed")
    module.__file__ = "changed.py"
    exec(SOURCE, vars(module))
    (mutant,) = (each for each in mutants(SOURCE) if each.change == change)
    held = module.allowed
    graft(module, mutant.statement)
    assert module.allowed is held, "whoever holds the function has the mutant too"
    return module


def test_a_mutant_of_a_function_of_a_method_and_of_a_constant_is_in_force() -> None:
    assert trial("Gt -> GtE").allowed(2)
    with pytest.raises(ValueError, match="not one of those"):
        trial("Gt -> GtE").allowed(3)
    lower = trial("3 -> 2")
    assert lower.LIMIT == 2
    with pytest.raises(ValueError, match="not one of those"):
        lower.allowed(3)
    tree = trial("Mult -> FloorDiv").Tree()
    tree.size = 6
    assert tree.doubled == 3
