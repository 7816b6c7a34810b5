"""Which functions are printed, and what is said of each, as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass

from catalogue import DEFAULT_SCOPE
from paths import Flattened, flatten
from plans import options_of
from registry import ORDER_FROM, Registry, is_registry, items_of
from source import BadFile, Function, Module, Project, read_sources
from stacks import stacks_of
from tree import MARKERS, Item, Note, Path, Seq, notes_of, worded
from values import UNKNOWN
from walk import walk_function
from walker import TooMuch, Walker

MOST_NOTES = 200
MOST_STACKS = 2000


@dataclass
class Result:
    function: Function
    flattened: Flattened
    notes: list[Note]

    def has_items(self) -> bool:
        return any(item.name not in MARKERS for path in self.flattened.paths for item in path.items)


def scan(path: str) -> dict[str, object]:
    sources = read_sources(path)
    project = Project(sources)
    walker = Walker(project, walk_function)
    results: dict[str, Result] = {}
    left_out = list(sources.left_out)
    try:
        for module in sources.modules:
            for function in module.functions.values():
                results[function.key] = _walked(walker, function)
    except TooMuch:
        left_out.append(
            BadFile(
                path, 0, "what comes behind the functions listed is more than is followed; scan a part of it"
            )
        )
    applying = walker.applying()
    for result in results.values():
        result.notes = [note for note in result.notes if not note.about or note.about in applying]
    printed = _printed(results, walker.followed)
    told = [_told(result) for result in printed if result.has_items()]
    # A note of a function without transforms stands where nothing else tells of it.
    others = [note for result in printed if not result.has_items() for note in result.notes]
    for module in sources.modules:
        if is_registry(module):
            told += _configurations(module)
            others += Registry(module).unread()
    return {
        "files": len(sources.modules),
        "bad": [_bad(bad) for bad in sources.bad],
        "left_out": [_bad(bad) for bad in left_out],
        "functions": _bounded(told, left_out),
        "not_understood": [_note(note) for note in _once(others)[:MOST_NOTES]],
        "directives": [
            {"file": module.path, "line": one.line, "covers": one.covers, "text": one.text}
            for module in sources.modules
            for one in module.directives
        ],
    }


def _configurations(module: Module) -> list[dict[str, object]]:
    """The configurations of a registry, each as the one stack that it states."""
    registry = Registry(module)
    told: list[dict[str, object]] = []
    for name, node in registry.functions.items():
        made = registry.configuration(name)
        if made is None:
            continue
        items, notes = items_of(module, node.lineno, made)
        if not items:
            continue
        stated = [{**_item(item, (item.file, item.line)), "degrees": degrees} for item, degrees in items]
        told.append(
            {
                "function": name,
                "file": module.path,
                "line": node.lineno,
                "order_from": ORDER_FROM,
                "stacks": [{"model": "", "where": "", "items": stated}],
                "not_understood": [_note(note) for note in _once(notes)[:MOST_NOTES]],
            }
        )
    return told


def _walked(walker: Walker, function: Function) -> Result:
    try:
        found = walker.body_of(function, {}, "")
    except RecursionError:
        note = Note(
            function.name or "the file",
            function.module.path,
            getattr(function.node, "lineno", 1),
            "it is nested too deeply to be followed",
        )
        return Result(function, Flattened([Path()]), [note])
    tree, _ = found if found is not None else (Seq(), UNKNOWN)
    return Result(function, flatten(tree, walker.known_paths), notes_of(tree))


def _printed(results: dict[str, Result], followed: dict[str, set[str]]) -> list[Result]:
    """Functions that no other one leads to; a function that only passes on to one helper gives way to that."""
    called = {
        helper for caller, helpers in followed.items() if caller for helper in helpers if helper != caller
    }
    printed: list[str] = []
    seen: set[str] = set()
    waiting = [key for key in results if key not in called]
    while True:
        for key in waiting:
            _print_from(key, results, followed, printed, seen)
        rest = [key for key in results if key not in seen]  # helpers that call one another in a circle
        if not rest:
            break
        waiting = rest[:1]
    chosen = set(printed)
    return [result for key, result in results.items() if key in chosen]


def _print_from(
    key: str, results: dict[str, Result], followed: dict[str, set[str]], printed: list[str], seen: set[str]
) -> None:
    while key not in seen:
        seen.add(key)
        only = _passes_on_to(results[key]) if key in results else ""
        if only not in results:
            break
        key = only
    else:
        return
    if key in results:
        printed.append(key)
        waiting = list(followed.get(key, ()))
        while waiting:
            helper = waiting.pop()
            if helper not in seen:
                seen.add(helper)
                waiting.extend(followed.get(helper, ()))


def _passes_on_to(result: Result) -> str:
    """The one helper whose call is all that a function does for the order; '' for any other."""
    items = [item for path in result.flattened.paths for item in path.items]
    calls = {item.chain[0] if item.chain else None for item in items}
    only = next(iter(calls)) if len(calls) == 1 else None
    if only is None or any(
        note.file == result.function.module.path and _is_own(note, result.function) for note in result.notes
    ):
        return ""
    return only[0]


def _is_own(note: Note, function: Function) -> bool:
    first = getattr(function.node, "lineno", 1)
    return first <= note.line <= getattr(function.node, "end_lineno", 1 << 30)


def _told(result: Result) -> dict[str, object]:
    paths = [path for path in result.flattened.paths if path.items]
    notes = list(result.notes)
    if result.flattened.left_out:
        notes.append(_too_many(result))
    stacks: dict[str, dict[str, object]] = {}
    shared = set(paths[0].chosen).intersection(*(path.chosen for path in paths)) if paths else set()
    for path in paths:
        decided = tuple(
            (where, test, holds)
            for (where, test), holds in path.chosen
            if ((where, test), holds) not in shared
        )
        for model, items in stacks_of(path.items, notes):
            if not items:
                continue
            told = [_item(item, _place(item, items)) for item in items]
            order = str(
                [model, *((item["name"], item["mode"], item["options"], item["scope"]) for item in told)]
            )
            if order in stacks:
                stacks[order]["where"] = _either(str(stacks[order]["where"]), worded(decided))
            else:
                stacks[order] = {"model": model, "where": worded(decided), "items": told}
    for of in {stack["model"] for stack in stacks.values()}:
        alike = [stack for stack in stacks.values() if stack["model"] == of]
        if len(alike) == 1:
            alike[0]["where"] = ""
    function = result.function
    return {
        "function": function.name,
        "file": function.module.path,
        "line": getattr(function.node, "lineno", 1),
        "stacks": list(stacks.values()),
        "not_understood": [_note(note) for note in _once(notes)[:MOST_NOTES]],
    }


def _either(one: str, other: str) -> str:
    """Where the same stack is applied in several branches."""
    return one if not one or len(one) > 200 else f"{one}, or {other}" if other else ""


def _too_many(result: Result) -> Note:
    line = getattr(result.function.node, "lineno", 1)
    return Note(
        result.function.name,
        result.function.module.path,
        line,
        "it has more alternatives, or applies more, than is listed",
    )


def _place(item: Item, items: tuple[Item, ...]) -> tuple[str, int]:
    """Where the order can be changed: the outermost call that leads to this item and to no other one of its stack."""
    for depth in range(len(item.chain)):
        way = item.chain[: depth + 1]
        if sum(other.chain[: depth + 1] == way for other in items) == 1:
            return item.chain[depth][1:]
    return item.file, item.line


def _item(item: Item, place: tuple[str, int]) -> dict[str, object]:
    default = DEFAULT_SCOPE.get(item.name)
    of_plan, open_options = options_of(item.plan)
    scope = item.scope if item.scope not in ("part", "inner") else default
    return {
        "name": item.name,
        "mode": item.mode,
        "options": [*(list(option) for option in item.options), *of_plan],
        "open_options": open_options,
        "scope": scope if default is not None and scope != default else "",
        "file": place[0],
        "line": place[1],
        "call": item.call,
        "call_file": item.file,
        "call_line": item.line,
        "condition": worded(item.conditions),
        "through": [
            {"helper": helper.rpartition(":")[2], "file": file, "line": line}
            for helper, file, line in item.chain
        ],
    }


def _once(notes: list[Note]) -> list[Note]:
    return list(dict.fromkeys(notes))


def _note(note: Note) -> dict[str, object]:
    return {"text": note.text, "file": note.file, "line": note.line, "why": note.why, "open": note.is_open}


def _bad(bad: BadFile) -> dict[str, object]:
    return {"file": bad.file, "line": bad.line, "text": bad.text}


def _bounded(told: list[dict[str, object]], left_out: list[BadFile]) -> list[dict[str, object]]:
    count = 0
    for at, function in enumerate(told):
        count += len(function["stacks"])  # type: ignore[arg-type]
        if count > MOST_STACKS:
            left_out.append(
                BadFile(
                    str(function["file"]),
                    0,
                    f"it and what follows is beyond {MOST_STACKS} stacks; scan a part of the folder",
                )
            )
            return told[:at]
    return told


def as_json(answer: dict[str, object]) -> str:
    return json.dumps(answer, ensure_ascii=False)
