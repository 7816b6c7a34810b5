"""The paths through the calls of a function: one for each order that it can apply."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from excluded import without_excluded
from tree import (
    Branch,
    Call,
    Change,
    Choice,
    Condition,
    End,
    Item,
    Loop,
    Note,
    Path,
    Seq,
    Step,
    has_items,
    joined,
    merged,
)

MOST_ITEMS = 32  # of one path, as of a stack: stack/notation.h
MOST_PATHS = 32  # of one function; further ones are counted, not kept


@dataclass
class Flattened:
    paths: list[Path] = field(default_factory=list)
    left_out: int = 0
    # Of the bodies of helpers, which several calls share: their paths, and how many were left out.
    known: dict[int, tuple[list[Path], int]] = field(default_factory=dict)


def flatten(tree: Seq, known: dict[int, tuple[list[Path], int]]) -> Flattened:
    result = Flattened(known=known)
    result.paths = without_excluded(_paths(tree, result), tree)
    return result


def _paths(tree: Seq, result: Flattened) -> list[Path]:
    paths = [Path()]
    for step in tree.steps:
        if isinstance(step, Note):
            continue
        longer: list[Path] = []
        for path in paths:
            longer.extend([path] if path.ended else _continued(path, step, result))
        paths = _bounded(longer, result)
    return paths


def _bounded(paths: list[Path], result: Flattened) -> list[Path]:
    if any(len(path.items) > MOST_ITEMS for path in paths):
        result.left_out += 1
        paths = [replace(path, items=path.items[:MOST_ITEMS]) for path in paths]
    paths = list(dict.fromkeys(paths))
    result.left_out += max(0, len(paths) - MOST_PATHS)
    return paths[:MOST_PATHS]


def _continued(path: Path, step: Step, result: Flattened) -> list[Path]:
    if isinstance(step, Item):
        guarded = replace(step, conditions=(*path.guards, *step.conditions))
        return [replace(path, items=merged((*path.items, guarded)))]
    if isinstance(step, End):
        return [replace(path, ended=step.kind)]
    if isinstance(step, Change):
        return [replace(path, items=_changed(path.items, step))]
    if isinstance(step, Branch):
        return _agreeing(path, _branch(step, dict(path.chosen), result))
    if isinstance(step, Choice):
        if not has_items(step):
            return [path]
        ways: list[Path] = []
        for value, seq in step.options:
            condition = (step.where, step.of, value)
            ways += [_under(one, condition, True) for one in _paths(seq, result)]
        return _agreeing(path, ways)
    if isinstance(step, Call):
        ends = _of_body(step.body, result)
        inner = [replace(one, ended="raise" if one.ended == "raise" else "", guards=()) for one in ends]
        return _agreeing(path, [_within(one, step) for one in _bounded(inner, result)])
    if isinstance(step, Loop):
        # Whether a loop runs at all is not known: a return in it ends nothing for sure.
        inner = [
            replace(one, ended="", guards=()) for one in _paths(step.body, result) if one.ended != "raise"
        ]
        with_items = [one for one in inner if one.items]
        return _agreeing(path, _bounded(with_items or [Path()], result))
    assert isinstance(step, Seq)
    return _agreeing(path, _paths(step, result))


def _agreeing(path: Path, ways: list[Path]) -> list[Path]:
    """What goes on from here, without ways that decide a test otherwise than it was decided."""
    decided = dict(path.chosen)
    agreeing = [one for one in ways if all(decided.get(test, holds) == holds for test, holds in one.chosen)]
    return [_after(path, one) for one in agreeing or ways]


def _of_body(body: Seq, result: Flattened) -> list[Path]:
    if id(body) not in result.known:
        alone = Flattened(known=result.known)
        result.known[id(body)] = (_paths(body, alone), alone.left_out)
    paths, left_out = result.known[id(body)]
    result.left_out += left_out
    return paths


def _changed(items: tuple[Item, ...], change: Change) -> tuple[Item, ...]:
    for at in reversed(range(len(items))):
        if items[at].name == change.item:
            options = tuple({**dict(items[at].options), change.name: change.value}.items())
            return (*items[:at], replace(items[at], options=options), *items[at + 1 :])
    return items


def _after(path: Path, one: Path) -> Path:
    items = tuple(replace(item, conditions=(*path.guards, *item.conditions)) for item in one.items)
    return Path(
        merged((*path.items, *items)),
        one.ended,
        (*path.guards, *one.guards),
        tuple({**dict(path.chosen), **dict(one.chosen)}.items()),
    )


def _within(path: Path, call: Call) -> Path:
    link = (call.helper, call.file, call.line)
    return replace(path, items=tuple(replace(item, chain=(link, *item.chain)) for item in path.items))


def _under(path: Path, condition: Condition, decides: bool) -> Path:
    items = tuple(replace(item, conditions=(condition, *item.conditions)) for item in path.items)
    chosen = tuple({**dict(path.chosen), condition[:2]: condition[2]}.items()) if decides else path.chosen
    return replace(path, items=items, chosen=chosen)


def _branch(step: Branch, chosen: dict[tuple[str, str], bool | str], result: Flattened) -> list[Path]:
    key = (step.where, step.test)
    holds, fails = (*key, True), (*key, False)
    then = [one for one in _paths(step.then, result) if one.ended != "raise"]
    otherwise = [one for one in _paths(step.otherwise, result) if one.ended != "raise"]
    if key in chosen:
        then, otherwise = (then, []) if chosen[key] else ([], otherwise)
    if not then and not otherwise:
        return [Path()] if key in chosen else [Path(ended="raise")]
    if not then:
        return otherwise
    if not otherwise:
        return [_under(one, holds, False) for one in then]
    then_items, other_items = any(one.items for one in then), any(one.items for one in otherwise)
    if then_items and other_items:
        return _alternatives(then, otherwise, holds, fails)
    if not then_items and not other_items:
        return _early_end(then, otherwise, holds, fails)
    some, none, condition, opposite = (
        (then, otherwise, holds, fails) if then_items else (otherwise, then, fails, holds)
    )
    some = [one for one in some if one.items]
    if all(one.ended for one in none):
        return [replace(_under(one, condition, True), guards=(condition, *one.guards)) for one in some]
    paths = [_under(one, condition, bool(one.ended)) for one in some]
    if any(one.ended for one in some):
        paths.append(Path(guards=(opposite,), chosen=((opposite[:2], opposite[2]),)))
    return paths


def _early_end(then: list[Path], otherwise: list[Path], holds: Condition, fails: Condition) -> list[Path]:
    then_ends, other_ends = all(one.ended for one in then), all(one.ended for one in otherwise)
    if then_ends and other_ends:
        return [then[0]]
    if then_ends or other_ends:
        passed, live = (fails, otherwise) if then_ends else (holds, then)
        inner = next(one for one in live if not one.ended)
        return [Path(guards=(passed, *inner.guards))]
    return [Path()]


def _alternatives(then: list[Path], otherwise: list[Path], holds: Condition, fails: Condition) -> list[Path]:
    if len(then) == 1 and len(otherwise) == 1 and then[0].ended == otherwise[0].ended:
        one, other = then[0].items, otherwise[0].items
        if len(one) == len(other) and all(a.same(b) for a, b in zip(one, other)):  # noqa: B905
            return [replace(then[0], items=tuple(joined(a, b) for a, b in zip(one, other)))]  # noqa: B905
    return [_under(one, holds, True) for one in _telling(then)] + [
        _under(one, fails, True) for one in _telling(otherwise)
    ]


def _telling(paths: list[Path]) -> list[Path]:
    """Without the path that leaves out what its neighbour's condition already says may be left out."""
    an_end = any(one.ended for one in paths)
    return [one for one in paths if one.items or (an_end and not one.ended)]
