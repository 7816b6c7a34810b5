"""Whether what a wrapper returns is lost: bound to a local name that nothing reads afterwards, or to no name at all."""

from __future__ import annotations

import ast


def dropped_name(function: ast.AST, statement: ast.stmt | None, call: ast.Call) -> str | None:
    """The name to which the statement binds the call and which nothing reads; '' if it binds none; None if it is kept."""
    if isinstance(statement, ast.Expr) and statement.value is call:
        return ""
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None  # names of a file are read by other files
    if not isinstance(statement, ast.Assign) or statement.value is not call or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or _is_read(function, statement, target.id):
        return None
    return target.id


def _is_read(function: ast.AST, statement: ast.stmt, name: str) -> bool:
    loop = _loop_around(function, statement, name)
    inside = set(map(id, ast.walk(statement)))
    for outer in ast.walk(function):
        if isinstance(outer, (ast.Global, ast.Nonlocal)) and name in outer.names:
            return True
        is_inner = (
            isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) and outer is not function
        )
        if is_inner and any(_loads(node, name) for node in ast.walk(outer)):
            return True
    end = (getattr(statement, "end_lineno", 0), getattr(statement, "end_col_offset", 0))
    for node in ast.walk(function):
        if _loads(node, name) and id(node) not in inside and (node.lineno, node.col_offset) >= end:  # type: ignore[attr-defined]
            return True
    return loop is not None and any(_loads(node, name) for node in ast.walk(loop))


def _loads(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, (ast.Load, ast.Del))


def _loop_around(function: ast.AST, statement: ast.stmt, name: str) -> ast.AST | None:
    """The outermost loop whose next turn may read the name, because the loop itself does not bind it anew."""
    for node in ast.walk(function):
        if not isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            continue
        binds = not isinstance(node, ast.While) and any(
            isinstance(part, ast.Name) and part.id == name for part in ast.walk(node.target)
        )
        if not binds and any(part is statement for part in ast.walk(node)):
            return node
    return None
