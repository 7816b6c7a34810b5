"""Calls that are not followed but may apply a transform: each is named, so that an answer without stacks is no silence."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from catalogue import (
    APPLYING_NAMES,
    ASKING_WORDS,
    HARMLESS_PACKAGES,
    MODULE_METHODS,
    PROJECT_CALLS,
    TELLING_WORDS,
    transform_of,
)
from expressions import evaluate, scope_of, written
from values import Value, scope_of_name

if TYPE_CHECKING:
    from calls import Arguments
    from walk import Frame

ASKS_ONLY = frozenset(
    f"builtins.{name}"
    for name in ("isinstance", "issubclass", "hasattr", "print", "type", "id", "str", "repr", "len")
)


def name_unread(frame: Frame, callee: Value, receiver: Value | None, arguments: Arguments) -> None:
    node = arguments.node
    if callee.refs & ASKS_ONLY or _is_handed_on(frame, arguments):
        return
    last = written(node.func).rpartition(".")[2].lower()
    if isinstance(node.func, ast.Attribute) and receiver is not None and _is_model(receiver, node.func.value):
        _name_method(frame, node, last)
        return
    if not any(scope_of(value, given) for value, given in arguments.given()):
        return
    if isinstance(node.func, (ast.Subscript, ast.Call)) and not callee.refs and not callee.made_by:
        frame.note(node, "what is called is chosen at run time")
        return
    foreign = [ref for ref in callee.refs if not _is_harmless(ref)]
    if (callee.refs and not foreign) or last.startswith(ASKING_WORDS):
        return
    is_method = isinstance(node.func, ast.Attribute) and last in APPLYING_NAMES
    if (foreign or not callee.scope) and (is_telling(last) or last in PROJECT_CALLS or is_method):
        frame.note(node, "its code is not among the files read")
    elif _binds_model(frame, node) and (not foreign or not all(ref.startswith("@") for ref in foreign)):
        frame.note(
            node, "the model is what it returns, and its code is not among the files read", about=frame.where
        )


def is_telling(name: str) -> bool:
    return any(word in name for word in TELLING_WORDS)


def _is_model(receiver: Value, node: ast.expr) -> bool:
    # By its name `m` is a model, also where re.match made it.
    is_other = receiver.made_by and all(
        _is_harmless(ref) and not ref.startswith("torch.") for ref in receiver.made_by
    )
    return not receiver.refs and not is_other and bool(scope_of(receiver, node))


def _name_method(frame: Frame, node: ast.Call, name: str) -> None:
    if name in MODULE_METHODS or name == "compile" or name.startswith(ASKING_WORDS) or "disable" in name:
        return
    owners = frame.walker.project.owners_of(name)
    why = (
        f"{len(owners)} classes of the files read define it"
        if owners
        else "its class is not among the files read"
    )
    if is_telling(name) or name in PROJECT_CALLS:
        frame.note(node, why)
    elif isinstance(frame.statement, ast.Expr) or _binds_model(frame, node):
        # A submodule that is called looks alike, but its result is used.
        frame.note(node, why, about=frame.where)


def _is_handed_on(frame: Frame, arguments: Arguments) -> bool:
    for value, given in arguments.given():
        for ref in value.refs:
            if given is not None and (transform_of(ref) or "<lambda" in ref) and _has_transform(frame, ref):
                why = f"{written(given)} is handed on: when it is called is not followed"
                frame.note(arguments.node, why)
                return True
    return False


def _is_harmless(ref: str) -> bool:
    return ref.split(".")[0] in HARMLESS_PACKAGES or ref.startswith("builtins.")


def _binds_model(frame: Frame, node: ast.Call) -> bool:
    """Whether the statement binds what this call returns to a name of a model."""
    statement = frame.statement
    if not isinstance(statement, ast.Assign) or statement.value is not node:
        return False
    names = [written(part) for target in statement.targets for part in getattr(target, "elts", [target])]
    return any(scope_of_name(name.rpartition(".")[2]) for name in names)


def _has_transform(frame: Frame, ref: str) -> bool:
    if transform_of(ref):
        return transform_of(ref) not in ("clip", "optimizer")
    made = frame.walker.closures[ref][0]
    return any(
        isinstance(child, ast.Call)
        and any(transform_of(inner) for inner in frame.quietly(lambda c=child: evaluate(frame, c.func)).refs)  # type: ignore[misc]
        for child in ast.walk(made.node)
    )
