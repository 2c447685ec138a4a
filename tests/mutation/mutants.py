"""Mutants of a module: its source with one small thing made wrong, in every way and place told here.

This knows syntax trees and nothing of what the code is for. Left alone are annotations, decorators,
docstrings, what stands in a class outside of its methods, and what is said to people: texts of several words.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeVar

T = TypeVar("T")
Place = tuple[tuple[str, int | None], ...]
"""The way from a statement to a node in it: fields, and places in the lists that some of them hold."""

_PAIRS: Final[tuple[tuple[type[ast.AST], type[ast.AST]], ...]] = (
    *((ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn), (ast.And, ast.Or)),
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Add, ast.Sub), (ast.Mult, ast.FloorDiv)),
    *((ast.BitAnd, ast.BitOr), (ast.LShift, ast.RShift)),
)
_OTHER: Final = {**dict(_PAIRS), **{b: a for a, b in _PAIRS}, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult}
_NAMES: Final = (
    *(("all", "any"), ("min", "max"), ("removeprefix", "removesuffix"), ("partition", "rpartition")),
    *(("startswith", "endswith"), ("lstrip", "rstrip"), ("match", "fullmatch")),
)
_SWAPPED: Final = {**dict(_NAMES), **{b: a for a, b in _NAMES}}
_WORDS: Final = re.compile(r"[a-z,;:'] [a-z]")
_ASIDE: Final = frozenset({"annotation", "returns", "decorator_list"})


class Mutant(NamedTuple):
    """``statement`` is the one of the module that differs, by ``change``, at ``line`` of the source."""

    line: int
    change: str
    statement: ast.stmt


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of a module, line by line."""
    for statement in ast.parse(source).body:
        found = [
            (getattr(node, "lineno", line), f"{_told(node)} -> {_told(other)}", place, other)
            for place, node, line in _nodes(statement, (), statement.lineno)
            if place
            for other in _variants(node, place)
            if ast.dump(other) != ast.dump(node)
        ]
        for line, change, place, other in sorted(found, key=lambda each: each[0]):
            yield Mutant(line, change, _put(statement, place, other))


def _nodes(node: ast.AST, place: Place, line: int) -> Iterator[tuple[Place, ast.AST, int]]:
    """All nodes that may be changed, each with its place and the line it is on."""
    line = getattr(node, "lineno", line)
    yield place, node, line
    for field, value in ast.iter_fields(node):
        if field in _ASIDE or (isinstance(node, ast.ClassDef) and field != "body"):
            continue
        for at, each in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(each, ast.AST) and not _left_alone(each, node):
                yield from _nodes(each, (*place, (field, at)), line)


def _put(statement: ast.stmt, place: Place, other: ast.AST) -> ast.stmt:
    """A copy of the statement with another node at a place."""
    changed = copy.deepcopy(statement)
    holder: ast.AST = changed
    for field, at in place[:-1]:
        held = getattr(holder, field)
        holder = held if at is None else held[at]
    field, at = place[-1]
    if at is None:
        setattr(holder, field, other)
    else:
        getattr(holder, field)[at] = other
    return ast.fix_missing_locations(changed)


def _variants(node: ast.AST, place: Place) -> Iterator[ast.AST]:
    """What to put in the place of a node."""
    field = place[-1][0]
    if field in ("test", "ifs"):
        yield from (ast.Constant(value=True), ast.Constant(value=False))
    if type(node) in _OTHER:
        yield _OTHER[type(node)]()
    match node:
        case ast.Constant():
            yield from (ast.Constant(other) for other in _constants(node.value))
        case ast.Name(id=name) if name in _SWAPPED:
            yield ast.Name(_SWAPPED[name], ast.Load())
        case ast.Attribute(value=owner, attr=name) if name in _SWAPPED:
            yield ast.Attribute(owner, _SWAPPED[name], ast.Load())
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.BoolOp(op=op, values=values):
            yield from (ast.BoolOp(op, rest) if len(rest) > 1 else rest[0] for rest in _shorter(values))
        case ast.Call(func=function, args=args, keywords=keywords):
            yield from (ast.Call(function, rest, keywords) for rest in _shorter(args))
            yield from (ast.Call(function, args, rest) for rest in _shorter(keywords))
        case ast.Tuple(elts=elements, ctx=ast.Load()) if field == "type":
            yield from (ast.Tuple(rest, ast.Load()) for rest in _shorter(elements))
        case ast.Slice(lower=lower, upper=upper, step=step):
            yield from (
                ast.Slice(*rest)
                for rest in ((None, upper, step), (lower, None, step), (lower, upper, None))
                if rest != (lower, upper, step)
            )
        case ast.Return(value=ast.expr()):
            yield ast.Return(ast.Constant(None))
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Assert() | ast.Continue() | ast.Break():
            yield ast.Pass()


def _constants(value: object) -> Iterator[bool | int | str | bytes]:
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, value - 1)
        case str() if value:
            yield from ("", value + value[:1])
        case bytes() if value:
            yield from (b"", value + value[:1])


def _shorter(items: list[T]) -> Iterator[list[T]]:
    """The list without each of its items in turn."""
    return (items[:at] + items[at + 1 :] for at in range(len(items)))


def _left_alone(node: ast.AST, holder: ast.AST) -> bool:
    """Whether it is a part of a class that is no method, a docstring, a type, or a text for people."""
    if isinstance(holder, ast.ClassDef) and not isinstance(node, ast.FunctionDef):
        return True
    match node:
        case ast.Subscript(value=ast.Name(id="Literal")):
            return True
        case ast.Expr(value=ast.Constant(value=str())):
            return True
        case ast.Constant(value=str() as text):
            return _WORDS.search(text) is not None
        case ast.JoinedStr(values=parts):
            text = "".join(str(each.value) if isinstance(each, ast.Constant) else "x" for each in parts)
            return _WORDS.search(text) is not None
    return False


def _told(node: ast.AST) -> str:
    if isinstance(node, ast.operator | ast.cmpop | ast.boolop):
        return type(node).__name__
    return " ".join(ast.unparse(node).split())
