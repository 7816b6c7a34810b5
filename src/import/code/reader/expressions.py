"""Evaluates expressions as far as the order of transforms needs it: names, attributes, constants, dictionaries and calls."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from source import Function
from tree import Loop
from values import UNKNOWN, Value, either, scope_of_attribute, scope_of_name

if TYPE_CHECKING:
    from walk import Frame

LONGEST = 100  # of what is quoted from the code


def written(node: ast.AST) -> str:
    """The code as one line, cut where it is long."""
    try:
        text = " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError):
        text = type(node).__name__.lower()
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def evaluate(frame: Frame, node: ast.expr) -> Value:
    frame.walker.count()
    if isinstance(node, ast.Name):
        return _name(frame, node.id)
    if isinstance(node, ast.Attribute):
        return _attribute(frame, node)
    if isinstance(node, ast.Constant):
        return (
            Value(literals=frozenset([node.value]))
            if isinstance(node.value, (str, int, float, bool))
            else UNKNOWN
        )
    if isinstance(node, ast.Call):
        return frame.called(node)
    if isinstance(node, ast.IfExp):
        return _conditional(frame, node)
    if isinstance(node, ast.BoolOp):
        return _boolean(frame, node)
    if isinstance(node, ast.Dict):
        return _dictionary(frame, node)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return _sequence(frame, node)
    if isinstance(node, ast.Subscript):
        return _subscript(frame, node)
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        return _comprehension(frame, node)
    if isinstance(node, ast.Lambda):
        return _lambda(frame, node)
    if isinstance(node, ast.NamedExpr):
        value = evaluate(frame, node.value)
        frame.bind(node.target, value)
        return value
    if isinstance(node, (ast.Await, ast.Starred)):
        return evaluate(frame, node.value)
    mentions: frozenset[str] = frozenset()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            mentions |= evaluate(frame, child).mentions
    return Value(mentions=mentions)


def scope_of(value: Value, node: ast.expr | None) -> str:
    """The part of the model that a value is, else that goes by its name."""
    if value.scope or value.refs or value.literals:
        return value.scope
    return scope_of_name(node.id) if isinstance(node, ast.Name) else ""


def root_of(node: ast.expr | None) -> str:
    """The variable that an expression is, in full; '' for any other expression."""
    while isinstance(node, ast.Subscript):
        node = node.value
    at = node
    while isinstance(at, ast.Attribute):
        at = at.value
    return written(node) if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(at, ast.Name) else ""


def _name(frame: Frame, name: str) -> Value:
    value = _value_of_name(frame, name)
    return replace(value, root=name) if value.scope and not value.root else value


def _value_of_name(frame: Frame, name: str) -> Value:
    value = frame.lookup(name)
    if value is not None:
        is_known = value.scope or value.refs or value.literals or (value.fields and not value.made_by)
        if not is_known and scope_of_name(name):
            return either(value, Value(scope=scope_of_name(name)))
        return value
    for star in frame.function.module.stars:
        found = frame.walker.project.function_named(f"{star}.{name}", frame.function.module)
        if found is not None:
            return Value(refs=frozenset([found.key]))
    if scope_of_name(name):
        return Value(scope=scope_of_name(name))
    if frame.function.module.stars:
        return Value(refs=frozenset(f"{star}.{name}" for star in frame.function.module.stars))
    return Value(refs=frozenset([f"builtins.{name}"]))


def _attribute(frame: Frame, node: ast.Attribute) -> Value:
    text = written(node)
    base = evaluate(frame, node.value)
    value = frame.lookup(text)
    if value is not None and value != UNKNOWN and value != Value(mentions=value.mentions):
        return value
    return attribute_of(base, node.attr, node.value)


def attribute_of(base: Value, name: str, node: ast.expr | None) -> Value:
    if base.refs:
        return Value(
            refs=frozenset(f"{ref}.{name}" for ref in base.refs),
            scope=base.scope and scope_of_attribute(base.scope, name),
        )
    field = base.field(name)
    if field is not None:
        return field
    scope = scope_of_attribute(scope_of(base, node), name)
    if not scope:
        return Value(mentions=base.mentions)
    # self.model is a model; of policy.layers it is the policy.
    named = base.root or (root_of(node) if scope != "model" else f"{root_of(node)}.{name}")
    return Value(scope=scope, mentions=base.mentions, root=named)


def _conditional(frame: Frame, node: ast.IfExp) -> Value:
    evaluate(frame, node.test)
    found: list[Value] = []
    frame.branch(
        written(node.test),
        lambda: found.append(evaluate(frame, node.body)),
        lambda: found.append(evaluate(frame, node.orelse)),
    )
    return either(found[0], found[1])


def _boolean(frame: Frame, node: ast.BoolOp) -> Value:
    """a and b: b is evaluated where a holds."""
    first, rest = node.values[0], node.values[1:]
    evaluate(frame, first)
    for value in rest:
        inner = frame.part(lambda value=value: evaluate(frame, value))  # type: ignore[misc]
        if inner.steps:
            is_and = isinstance(node.op, ast.And)
            frame.branch(
                written(first),
                lambda inner=inner, yes=is_and: frame.steps.extend(inner.steps if yes else ()),  # type: ignore[misc]
                lambda inner=inner, yes=is_and: frame.steps.extend(() if yes else inner.steps),  # type: ignore[misc]
            )
    return UNKNOWN


def _dictionary(frame: Frame, node: ast.Dict) -> Value:
    result = Value()
    for key, entry in zip(node.keys, node.values):  # noqa: B905
        value = evaluate(frame, entry)
        if key is None:
            for name, inherited in value.fields:
                result = result.with_field(name, inherited)
            continue
        names = evaluate(frame, key).literals
        name = str(next(iter(names))) if len(names) == 1 else written(key)
        result = result.with_field(name, value)
    return result


def _sequence(frame: Frame, node: ast.List | ast.Tuple | ast.Set) -> Value:
    values = [evaluate(frame, element) for element in node.elts]
    mentions: frozenset[str] = frozenset()
    for value in values:
        mentions |= value.mentions
    words = tuple(
        element.value
        for element in node.elts
        if isinstance(element, ast.Constant) and isinstance(element.value, str)
    )
    literals = frozenset([words]) if words and len(words) == len(node.elts) else frozenset()
    first = next((value for value in values if value.scope), UNKNOWN)
    return Value(scope=first.scope, mentions=mentions, literals=literals, root=first.root)


def _subscript(frame: Frame, node: ast.Subscript) -> Value:
    held = evaluate(frame, node.value)
    keys = evaluate(frame, node.slice).literals
    if held.fields:
        if len(keys) == 1:
            return held.field(str(next(iter(keys)))) or UNKNOWN
        values = [value for _, value in held.fields]
        result = values[0]
        for value in values[1:]:
            result = either(result, value)
        return result
    if any(not ref.startswith("builtins.") for ref in held.refs):
        return Value(made_by=held.refs)
    axes = (("axes", Value(literals=keys)),) if any(isinstance(key, tuple) for key in keys) else ()
    scope = held.scope or scope_of(held, node.value)
    return Value(scope=scope, mentions=held.mentions, fields=axes, root=held.root)


def _comprehension(frame: Frame, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
    before = dict(frame.names)
    for generator in node.generators:
        frame.bind_each(generator.target, generator.iter)
        for test in generator.ifs:
            evaluate(frame, test)
    found: list[Value] = []
    results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    inner = frame.part(lambda: found.extend(evaluate(frame, result) for result in results))
    frame.rename(before)
    if inner.steps:
        frame.steps.append(Loop(inner))
    return Value(scope=found[-1].scope, mentions=found[-1].mentions, root=found[-1].root)


def _lambda(frame: Frame, node: ast.Lambda) -> Value:
    key = f"{frame.function.key}.<lambda {node.lineno}:{node.col_offset}>"
    made = Function(key, "lambda", frame.function.module, node)  # type: ignore[arg-type]
    frame.walker.closures[key] = (made, dict(frame.names))
    return Value(refs=frozenset([key]))
