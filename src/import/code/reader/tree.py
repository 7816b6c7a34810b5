"""The calls of a function in their order, with its branches and loops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Tuple, Union  # noqa: UP035

# Calls that are no transform, but matter by what stands before and after them: see stacks.py.
MARKERS = ("forward", "backward", "adapter", "frozen", "prepared")
SHARDS = frozenset(["fsdp", "hsdp"])
# File and function, the test as written, whether it holds or which value it is of several.
Condition = Tuple[str, str, Union[bool, str]]  # noqa: UP006, UP007 (of Python 3.9)


@dataclass(frozen=True)
class Item:
    name: str
    scope: str  # of the call: "model", "block", "experts", "attention", "inner" (of a block), "part" (of the root)
    file: str
    line: int
    call: str  # the callable as written
    mode: str = ""
    options: tuple[tuple[str, str], ...] = ()
    conditions: tuple[Condition, ...] = ()
    chain: tuple[
        tuple[str, str, int], ...
    ] = ()  # calls of helpers that lead to it: helper, file, line; the outermost first
    root: str = ""  # the variable of the model that it is applied to, or to a part of which
    is_whole: bool = False  # it is applied to that model as a whole, maybe after its parts
    plan: frozenset[str] = frozenset()  # of tp: what its plans show, see plans.py
    is_flag: bool = False  # it acts around the call of each block, wherever its line stands

    def same(self, other: Item) -> bool:
        return (self.name, self.scope) == (other.name, other.scope)


@dataclass(frozen=True)
class Note:
    text: str
    file: str
    line: int
    why: str
    about: str = ""  # a function: what is said matters only if that applies a transform
    is_open: bool = True  # a transform may be missing; False for what is said of calls that are understood


@dataclass(frozen=True)
class Seq:
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Branch:
    test: str
    where: str  # file and function: the same text is another test elsewhere
    then: Seq
    otherwise: Seq


@dataclass(frozen=True)
class Choice:
    """One of several, by the value of what is named."""

    where: str
    of: str
    options: tuple[tuple[str, Seq], ...]


@dataclass(frozen=True)
class Call:
    """The body of a helper: a return within ends it and not the caller."""

    helper: str
    file: str
    line: int
    body: Seq
    # Of the body, which many calls may share: asked once, not once for each way that leads to it.
    names: frozenset[str] = frozenset()  # of its items
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Loop:
    body: Seq


@dataclass(frozen=True)
class End:
    kind: str  # "return", "raise", "loop"


@dataclass(frozen=True)
class Change:
    """An option of an earlier item, set by a later call."""

    item: str
    name: str
    value: str


Step = Union[Item, Note, Seq, Branch, Choice, Call, Loop, End, Change]  # noqa: UP007 (of Python 3.9)


@dataclass(frozen=True)
class Path:
    items: tuple[Item, ...] = ()
    ended: str = ""
    guards: tuple[Condition, ...] = ()  # what holds from here on: an early return was passed
    chosen: tuple[tuple[tuple[str, str], bool | str], ...] = ()  # tests that this path has decided


MERGES_ACROSS_SCOPES = (
    "fsdp",
    "hsdp",
    "tp",
    "ep",
    "cp",
    "pp",
    "replicate",
    "quantize",
    "optimizer",
    "amp",
    "ddp",
)


def merged(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Neighbours that are one transform, applied part by part, as one item."""
    done: list[Item] = []
    for item in items:
        if done and _one_transform(done[-1], item):
            done[-1] = joined(done[-1], item)
        else:
            done.append(item)
    return tuple(done)


def _one_transform(one: Item, other: Item) -> bool:
    if one.name != other.name or one.is_flag != other.is_flag:
        return False
    if one.root and other.root and one.root != other.root and one.is_whole:
        return False  # another model
    return (
        one.name in MERGES_ACROSS_SCOPES
        or one.name.startswith("simple_")
        or one.scope == other.scope
        or "part" in (one.scope, other.scope)
        or (one.scope in PARTS_OF_BLOCK and other.scope in PARTS_OF_BLOCK)
    )


PARTS_OF_BLOCK = ("inner", "attention", "experts")  # siblings: none of them is inside another
SCOPES = ("block", "model", "inner", "attention", "experts", "part")


def joined(one: Item, other: Item) -> Item:
    # The blocks are most of a model: their options are the item's, else those on which both calls agree.
    leading = [item for item in (one, other) if item.scope == "block"] if one.scope != other.scope else []
    options = (
        leading[0].options if leading else tuple(option for option in one.options if option in other.options)
    )
    scope = one.scope if one.scope == other.scope else min(one.scope, other.scope, key=SCOPES.index)
    if one.name in ("replicate", "ddp") or one.name.startswith("simple_"):
        scope = "model" if "model" in (one.scope, other.scope) else scope
    mode = one.mode if one.mode == other.mode else ""
    return replace(
        one,
        scope=scope,
        options=options,
        mode=mode,
        conditions=either_holds(one.conditions, other.conditions),
        plan=one.plan | other.plan,
        root=other.root if other.is_whole or not one.root else one.root,
        is_whole=one.is_whole or other.is_whole,
    )


def either_holds(one: tuple[Condition, ...], other: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """Where at least one of two calls is reached."""
    shared = 0
    while shared < min(len(one), len(other)) and one[shared] == other[shared]:
        shared += 1
    if shared in (len(one), len(other)):
        return one[:shared]
    last = tuple(dict.fromkeys((worded(one[shared:]), worded(other[shared:]))))
    return (*one[:shared], ("", " or ".join(last), True))


def worded(conditions: tuple[Condition, ...]) -> str:
    """'if a and not b'; '' for none."""
    words = list(dict.fromkeys(_worded(test, holds) for _, test, holds in conditions))
    return " and ".join(f"({word})" if " or " in word and len(words) > 1 else word for word in words)


def _worded(test: str, holds: bool | str) -> str:
    if isinstance(holds, str):
        return f"{test} is {holds}"
    return test if holds else _negated(test)


def _negated(test: str) -> str:
    if test.startswith("not ") and not any(word in test for word in (" and ", " or ")):
        return test[len("not ") :]
    return f"not ({test})" if " " in test else f"not {test}"


def notes_of(step: Step) -> list[Note]:
    if isinstance(step, Note):
        return [step]
    children: tuple[Step, ...] = ()
    if isinstance(step, Seq):
        children = step.steps
    elif isinstance(step, Branch):
        children = (step.then, step.otherwise)
    elif isinstance(step, Choice):
        children = tuple(seq for _, seq in step.options)
    elif isinstance(step, Loop):
        children = (step.body,)
    elif isinstance(step, Call):
        return list(step.notes)
    return list(dict.fromkeys(note for child in children for note in notes_of(child)))


def has_items(step: Step) -> bool:
    return not names_in(step) <= frozenset(MARKERS)


def names_in(step: Step) -> frozenset[str]:
    """The names of all items in it."""
    if isinstance(step, Item):
        return frozenset([step.name])
    if isinstance(step, Call):
        return step.names
    inner: tuple[Step, ...] = ()
    if isinstance(step, Seq):
        inner = step.steps
    elif isinstance(step, Branch):
        inner = (step.then, step.otherwise)
    elif isinstance(step, Choice):
        inner = tuple(seq for _, seq in step.options)
    elif isinstance(step, Loop):
        inner = (step.body,)
    return frozenset().union(*(names_in(one) for one in inner))
