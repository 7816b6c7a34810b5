"""What loops and assignments bind names to."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from expressions import evaluate, root_of, written
from values import Value, is_models, is_module_name, is_plural

if TYPE_CHECKING:
    from walk import Frame

ITERATORS = ("enumerate", "reversed", "list", "tuple", "sorted", "iter", "zip", "tqdm")


def each_of(frame: Frame, node: ast.expr) -> Value:
    """What a loop over this binds."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.args
        and node.func.id in ITERATORS
    ):
        return each_of(frame, node.args[0])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        of = evaluate(frame, node.func.value)
        root = of.root or root_of(node.func.value)
        if node.func.attr in ("items", "values"):
            return Value(scope=of.scope, root=root)
        if node.func.attr in ("named_children", "children", "modules", "named_modules"):
            is_one_block = of.scope == "block" and not is_plural(written(node.func.value))
            scope = "block" if of.scope in ("model", "part", "") else of.scope
            return Value(scope="inner" if is_one_block else scope, root=root)
    value = evaluate(frame, node)
    return Value(scope=value.scope, root=value.root or root_of(node))


def bind_each(frame: Frame, target: ast.expr, each: Value) -> None:
    for name in ast.walk(target):
        if isinstance(name, ast.Name):
            # Modules that the caller lists are blocks; parts and stages of a pipeline go by their names.
            is_block = not each.scope and is_module_name(name.id) and each.root and not is_models(each.root)
            frame.names[name.id] = replace(each, scope="block") if is_block else each


def assigned_in(body: list[ast.stmt]) -> set[str]:
    """Names that a function assigns, its own functions and imports among them; not those of functions in it."""
    names: set[str] = set()
    outer: set[str] = set()
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            outer.update(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        waiting.extend(ast.iter_child_nodes(node))
    return names - outer
