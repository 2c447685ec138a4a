"""Puts a mutant into a module that is loaded, so that whoever holds a part of it has the mutant too.

This knows functions, classes and modules, and nothing of tests.
"""

from __future__ import annotations

import ast
import sys
from types import FunctionType, ModuleType
from typing import Any


def graft(module: ModuleType, statement: ast.stmt) -> None:
    """Have the module behave as if it had this statement for the one of the same name."""
    scratch = dict(vars(module))
    exec(compile(ast.Module([statement], []), module.__file__ or "", "exec", dont_inherit=True), scratch)
    match statement:
        case ast.FunctionDef(name=name):
            _replace(vars(module)[name], scratch[name])
        case ast.ClassDef(name=name):
            for each, new in vars(scratch[name]).items():
                _replace(vars(vars(module)[name]).get(each), new)
        case ast.Assign() | ast.AnnAssign():
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for name in (each.id for each in targets if isinstance(each, ast.Name)):
                old = vars(module)[name]
                for holder in [module, *sys.modules.values()]:
                    if getattr(holder, "__dict__", {}).get(name) is old:
                        setattr(holder, name, scratch[name])
                _default(module, old, scratch[name])


def _default(module: ModuleType, old: Any, new: Any) -> None:
    """Put one value for another into the defaults of a module's functions, which were made with it."""
    for each in vars(module).values():
        if isinstance(each, FunctionType) and each.__module__ == module.__name__:
            each.__defaults__ = tuple(new if held is old else held for held in each.__defaults__ or ())
            named = each.__kwdefaults__ or {}
            each.__kwdefaults__ = {name: new if held is old else held for name, held in named.items()}


def _replace(old: Any, new: Any) -> None:
    """Put the code of one function into another, which may be held by others under any name."""
    was, becomes = _bare(old), _bare(new)
    if was is not None and becomes is not None:
        was.__code__ = becomes.__code__
        was.__defaults__ = becomes.__defaults__
        was.__kwdefaults__ = becomes.__kwdefaults__


def _bare(function: Any) -> FunctionType | None:
    """The function in a property, a method of a class, or a cached one."""
    for inside in ("fget", "func", "__wrapped__", "__func__"):
        function = getattr(function, inside, function)
    return function if isinstance(function, FunctionType) else None
