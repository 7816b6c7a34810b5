"""Transforms that never meet: a test that raises rules out every path on which all of its conditions hold."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import lru_cache

from tree import Branch, Call, Condition, End, Item, Path, Seq, Step

MOST = 64  # combinations of one function
Combination = frozenset[Condition]


def without_excluded(paths: list[Path], tree: Seq) -> list[Path]:
    """The paths, those that a raise rules out divided into what is left of them: one for each condition that fails."""
    if not any(path.items for path in paths):
        return paths
    for excluded in excluded_by(tree, {}):
        divided = [part for path in paths for part in _divided(path, excluded)]
        paths = list(dict.fromkeys(divided))
    return paths


def excluded_by(tree: Seq, known: dict[int, list[Combination]]) -> list[Combination]:
    """Conditions that hold together on no path that ends without a raise."""
    if id(tree) in known:
        return known[id(tree)]
    known[id(tree)] = []  # a body that calls itself adds nothing
    found: list[Combination] = []
    passed: Combination = frozenset()  # an early return was passed: what follows holds only then
    for step in tree.steps:
        found += [one | passed for one in _of_step(step, known)]
        if isinstance(step, Branch):
            for ways, holds in ((step.then, False), (step.otherwise, True)):
                if _ends(ways, "return") or _ends(ways, "loop"):
                    passed |= _parts(step.where, step.test, holds)
    known[id(tree)] = list(dict.fromkeys(found))[:MOST]
    return known[id(tree)]


def _of_step(step: Step, known: dict[int, list[Combination]]) -> list[Combination]:
    if isinstance(step, Seq):
        return excluded_by(step, known)
    if isinstance(step, Call):
        return excluded_by(step.body, known)
    if not isinstance(step, Branch):
        return []
    found: list[Combination] = []
    for ways, holds in ((step.then, True), (step.otherwise, False)):
        parts = _parts(step.where, step.test, holds)
        found += [parts] if _ends(ways, "raise") else [one | parts for one in excluded_by(ways, known)]
    return found


def _ends(ways: Seq, kind: str) -> bool:
    last = ways.steps[-1] if ways.steps else None
    if isinstance(last, Branch):
        return _ends(last.then, kind) and _ends(last.otherwise, kind)
    return isinstance(last, End) and last.kind == kind


def _parts(where: str, test: str, holds: bool) -> Combination:
    """The tests that all hold, or fail, where this one does: of 'a and not b', a and b."""
    return frozenset((where, part, is_true) for part, is_true in _split(test, holds))


@lru_cache(maxsize=20_000)
def _split(test: str, holds: bool) -> frozenset[tuple[str, bool]]:
    try:
        node = ast.parse(test, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset([(test, holds)])
    parts: set[tuple[str, bool]] = set()
    waiting = [(node, holds)]
    while waiting:
        one, is_true = waiting.pop()
        if isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.Not):
            waiting.append((one.operand, not is_true))
        elif isinstance(one, ast.BoolOp) and isinstance(one.op, ast.And if is_true else ast.Or):
            waiting += [(value, is_true) for value in one.values]
        else:
            parts.add((" ".join(ast.unparse(one).split()), is_true))
    return frozenset(parts)


def _divided(path: Path, excluded: Combination) -> list[Path]:
    needs = {item: _conditions_of(item) for item in path.items}
    held = frozenset().union(*needs.values()) | _conditions(
        (where, test, holds) for (where, test), holds in path.chosen
    )
    if not excluded <= held:
        return [path]
    left: list[Path] = []
    for condition in sorted(excluded, key=str):
        items = tuple(item for item in path.items if condition not in needs[item])
        where, test, holds = condition
        if items and len(items) < len(path.items):
            chosen = {**dict(path.chosen), (where, test): not holds}
            left.append(replace(path, items=items, chosen=tuple(chosen.items())))
    return left


def _conditions_of(item: Item) -> Combination:
    return _conditions(item.conditions)


def _conditions(conditions: object) -> Combination:
    held: Combination = frozenset()
    for where, test, holds in conditions:  # type: ignore[attr-defined]
        if isinstance(holds, bool) and where:
            held |= _parts(where, test, holds)
    return held
