"""Walks the statements of a function in their order and notes the calls that apply a transform, as a tree."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from bound import assigned_in, bind_each, each_of
from calls import apply_call
from expressions import evaluate, written
from source import Function, imported_names
from tree import SHARDS, Branch, Call, End, Item, Loop, Note, Seq, Step, has_items, names_in, notes_of
from values import UNKNOWN, Value, either
from walker import Walker

MOST_NOTES = 200  # of one helper
# Around calls they change nothing of the order.
HARMLESS_CONTEXTS = ("torch", "contextlib", "accelerate", "transformers", "warnings", "open")


def walk_function(
    walker: Walker, function: Function, names: dict[str, Value], bound: dict[str, Value]
) -> tuple[Seq, Value]:
    frame = Frame(walker, function, names)
    frame.enter(bound)
    return Seq(tuple(frame.steps)), frame.returned or UNKNOWN


class Frame:
    """One function while it is walked."""

    def __init__(self, walker: Walker, function: Function, names: dict[str, Value]) -> None:
        self.walker = walker
        self.function = function
        self.names = names
        # What the file calls so, where the function does not.
        self.of_file = {} if isinstance(function.node, ast.Module) else walker.names_of(function.module.path)
        self.file = function.module.path
        self.where = function.key
        self.steps: list[Step] = []
        self.returned: Value | None = None
        self.statement: ast.stmt | None = None  # that is being walked
        self.is_sharded = False  # fully_shard was called on what this function sets up

    def lookup(self, name: str) -> Value | None:
        value = self.names.get(name)
        return self.of_file.get(name) if value is None else value

    def rename(self, names: dict[str, Value]) -> None:
        """Replaces the names in place: inner functions, and all functions of a file, read this same dictionary later."""
        held = dict(names)
        self.names.clear()
        self.names.update(held)

    def one_of(self, names: dict[str, Value], others: dict[str, Value]) -> dict[str, Value]:
        """What names are where either of two ways was gone."""
        both = dict(names)
        for name, value in others.items():
            here = names.get(name)
            if here is not value:
                both[name] = either(here if here is not None else self.of_file.get(name, UNKNOWN), value)
        for name in names.keys() - others.keys():
            both[name] = either(names[name], self.of_file.get(name, UNKNOWN))
        return both

    def enter(self, bound: dict[str, Value]) -> None:
        node = self.function.node
        if isinstance(node, ast.Module):
            self.walk_all(node.body)
            return
        arguments = node.args
        for argument in [
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            arguments.vararg,
            arguments.kwarg,
        ]:
            if argument is not None:
                self.names[argument.arg] = bound.get(argument.arg) or self.annotated(argument.annotation)
        if isinstance(node, ast.Lambda):
            self.returned = evaluate(self, node.body)
            return
        for name in assigned_in(node.body):
            self.names[name] = (
                UNKNOWN  # a local name hides what the file calls so, also above its first assignment
            )
        self.walk_all(node.body)
        self.note_decorators(node)

    def annotated(self, annotation: ast.expr | None) -> Value:
        """An argument of which its annotation alone says what made it."""
        if not isinstance(annotation, (ast.Name, ast.Attribute)):
            return UNKNOWN
        refs = self.quietly(lambda: evaluate(self, annotation)).refs
        project, module = self.walker.project, self.function.module
        return Value(made_by=frozenset(ref for ref in refs if project.class_named(ref, module)))

    def note_decorators(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        applies = any(has_items(step) for step in self.steps)
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            for ref in self.quietly(lambda called=called: evaluate(self, called)).refs:  # type: ignore[misc]
                if ref == "torch.compile":
                    self.note(
                        decorator, "it compiles the function that it decorates, no module", is_open=False
                    )
                elif ref.startswith("@") and applies:
                    self.note(decorator, "what a decorator does around the function is not followed")

    def walk_all(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.walk(statement)

    def quietly(self, evaluated: Callable[[], Value]) -> Value:
        before, self.steps = self.steps, []
        try:
            return evaluated()
        finally:
            self.steps = before

    def part(self, walked: Callable[[], object]) -> Seq:
        before, self.steps = self.steps, []
        try:
            walked()
            return Seq(tuple(self.steps))
        finally:
            self.steps = before

    def note(self, node: ast.AST, why: str, text: str = "", about: str = "", is_open: bool = True) -> None:
        line = getattr(node, "lineno", 0)
        self.steps.append(Note(text or written(node), self.file, line, why, about, is_open))

    def item(
        self,
        node: ast.AST,
        name: str,
        scope: str,
        mode: str = "",
        options: tuple[tuple[str, str], ...] = (),
        root: str = "",
        is_flag: bool = False,
        plan: frozenset[str] = frozenset(),
    ) -> None:
        self.is_sharded = self.is_sharded or name in SHARDS
        call = written(node.func) if isinstance(node, ast.Call) else written(node)
        line = getattr(node, "lineno", 0)
        made = Item(name, scope, self.file, line, call, mode, options, root=root, is_flag=is_flag, plan=plan)
        self.steps.append(replace(made, is_whole=scope == "model" and bool(root)))

    def value(self, node: ast.expr) -> Value:
        return evaluate(self, node)

    def called(self, node: ast.Call) -> Value:
        return apply_call(self, node)

    def branch(self, test: str, then: Callable[[], object], otherwise: Callable[[], object]) -> None:
        """Two ways, of which one is gone; afterwards a name is what it is on either."""
        before = dict(self.names)
        one = self.part(then)
        names_then = dict(self.names)
        self.rename(before)
        other = self.part(otherwise)
        ends = [bool(seq.steps) and isinstance(seq.steps[-1], End) for seq in (one, other)]
        if ends[1] and not ends[0]:
            self.rename(names_then)
        elif ends[0] == ends[1]:
            self.rename(self.one_of(names_then, dict(self.names)))
        if one.steps or other.steps:
            self.steps.append(Branch(test, self.where, one, other))

    def follow(self, node: ast.AST, function: Function, bound: dict[str, Value]) -> Value:
        found = self.walker.body_of(function, bound, self.function.key)
        if found is None:
            self.note(
                node, "it calls itself, or helpers go too deep: followed no further", about=function.key
            )
            return UNKNOWN
        body, returned = found
        if body.steps:
            line, names = getattr(node, "lineno", 0), names_in(body)
            self.is_sharded = self.is_sharded or bool(names & SHARDS)
            self.steps.append(
                Call(function.key, self.file, line, body, names, tuple(notes_of(body)[:MOST_NOTES]))
            )
        return returned

    def walk(self, node: ast.stmt) -> None:
        self.walker.count()
        around, self.statement = self.statement, node
        method = getattr(self, "walk_" + type(node).__name__.lower(), None)
        if method is not None:
            method(node)
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.value(child)
        self.statement = around

    def walk_import(self, node: ast.Import) -> None:
        names, _ = imported_names(node, self.function.module)
        self.names.update({name: Value(refs=frozenset([ref])) for name, ref in names.items()})

    def walk_importfrom(self, node: ast.ImportFrom) -> None:
        names, _ = imported_names(node, self.function.module)
        self.names.update({name: Value(refs=frozenset([ref])) for name, ref in names.items()})

    def walk_functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if isinstance(self.function.node, ast.Module):
            key = f"@{self.file}:{node.name}"
        else:
            key = f"{self.function.key}.{node.name}"
            inner = Function(key, f"{self.function.name}.{node.name}", self.function.module, node)
            self.walker.closures[key] = (inner, self.names)  # shared: it sees names that are bound after it
        self.names[node.name] = Value(refs=frozenset([key]))

    walk_asyncfunctiondef = walk_functiondef

    def walk_classdef(self, node: ast.ClassDef) -> None:
        self.names[node.name] = Value(refs=frozenset([f"@{self.file}:{node.name}"]))

    def walk_return(self, node: ast.Return) -> None:
        value = self.value(node.value) if node.value is not None else UNKNOWN
        self.returned = value if self.returned is None else either(self.returned, value)
        self.steps.append(End("return"))

    def walk_raise(self, node: ast.Raise) -> None:
        self.steps.append(End("raise"))

    def walk_assert(self, node: ast.Assert) -> None:
        self.value(node.test)
        self.branch(written(node.test), lambda: None, lambda: self.steps.append(End("raise")))

    def walk_continue(self, node: ast.Continue) -> None:
        self.steps.append(End("loop"))

    def walk_break(self, node: ast.Break) -> None:
        self.steps.append(End("loop"))

    def walk_assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.bind(target, value, node.value)

    def walk_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.bind(node.target, self.value(node.value), node.value)

    def bind(self, target: ast.expr, value: Value, source: ast.expr | None = None) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = (
                source.elts
                if isinstance(source, (ast.Tuple, ast.List)) and len(source.elts) == len(target.elts)
                else None
            )
            for at, inner in enumerate(target.elts):
                of_it = self.quietly(lambda at=at: self.value(parts[at])) if parts else value  # type: ignore[misc]
                self.bind(inner, of_it)
        elif isinstance(target, ast.Attribute):
            self.names[written(target)] = value
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            key = self.quietly(lambda: self.value(target.slice)).literals
            held = self.lookup(target.value.id) or UNKNOWN
            if len(key) == 1 and not held.refs:
                self.names[target.value.id] = held.with_field(str(next(iter(key))), value)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, value)

    def walk_if(self, node: ast.If) -> None:
        self.value(node.test)
        if self.is_main_guard(node.test):
            self.walk_all(node.body)
            return
        self.branch(written(node.test), lambda: self.walk_all(node.body), lambda: self.walk_all(node.orelse))

    def is_main_guard(self, test: ast.expr) -> bool:
        return (
            isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"
        )

    def walk_match(self, node: ast.stmt) -> None:
        subject = written(node.subject)  # type: ignore[attr-defined]
        self.value(node.subject)  # type: ignore[attr-defined]
        self.walk_cases(subject, list(node.cases))  # type: ignore[attr-defined]

    def walk_cases(self, subject: str, cases: list[ast.AST]) -> None:
        if not cases:
            return
        first: ast.AST = cases[0]
        test = f"{subject} is {written(first.pattern)}"  # type: ignore[attr-defined]
        if first.guard is not None:  # type: ignore[attr-defined]
            test += f" and {written(first.guard)}"  # type: ignore[attr-defined]
        elif written(first.pattern) == "_":  # type: ignore[attr-defined]
            self.walk_all(first.body)  # type: ignore[attr-defined]
            return
        self.branch(test, lambda: self.walk_all(first.body), lambda: self.walk_cases(subject, cases[1:]))  # type: ignore[attr-defined]

    def walk_for(self, node: ast.For | ast.AsyncFor) -> None:
        self.bind_each(node.target, node.iter)
        self.loop(node.body)
        self.walk_all(node.orelse)

    walk_asyncfor = walk_for

    def bind_each(self, target: ast.expr, over: ast.expr) -> None:
        bind_each(self, target, each_of(self, over))

    def walk_while(self, node: ast.While) -> None:
        self.value(node.test)
        self.loop(node.body)
        self.walk_all(node.orelse)

    def loop(self, body: list[ast.stmt]) -> None:
        before = dict(self.names)
        inner = self.part(lambda: self.walk_all(body))
        self.rename(self.one_of(self.names, before))
        if inner.steps:
            self.steps.append(Loop(inner))

    def walk_with(self, node: ast.With | ast.AsyncWith) -> None:
        unread: list[ast.expr] = []
        for entry in node.items:
            context = entry.context_expr
            before = len(self.steps)
            value = self.value(context)
            if entry.optional_vars is not None:
                self.bind(entry.optional_vars, value)
            known = (
                len(self.steps) > before or not value.made_by or all(_harmless(ref) for ref in value.made_by)
            )
            if not known:
                unread.append(context)
            if any(isinstance(step, Item) and step.name == "cp" for step in self.steps[before:]):
                self.note_backward_outside(context, node)
        body = self.part(lambda: self.walk_all(node.body))
        if has_items(body):
            for context in unread:
                self.note(context, "what this context changes of the calls in it is not read")
        self.steps.extend(body.steps)

    walk_asyncwith = walk_with

    def note_backward_outside(self, context: ast.expr, node: ast.With | ast.AsyncWith) -> None:
        """PyTorch exchanges keys and values for as long as the context is open."""
        outside = line_of_backward(self.function.node, node)
        if outside and not line_of_backward(node):
            why = (
                f"backward is called outside of it, at line {outside}: there, and in a recomputation, attention sees the "
                "positions of its rank alone"
            )
            self.note(context, why)

    def walk_try(self, node: ast.Try) -> None:
        before = dict(self.names)
        self.walk_all([*node.body, *node.orelse])
        for handler in node.handlers:
            after = dict(self.names)
            self.rename(before)
            inner = self.part(lambda handler=handler: self.walk_all(handler.body))  # type: ignore[misc]
            ends = bool(inner.steps) and isinstance(inner.steps[-1], End)
            self.rename(after if ends else self.one_of(after, self.names))
            if has_items(inner):
                self.note(
                    handler,
                    "transforms in an exception handler are not followed",
                    "except: " + written(handler.body[0]),
                )
        self.walk_all(node.finalbody)

    walk_trystar = walk_try


def _harmless(ref: str) -> bool:
    return ref.split(".")[0] in HARMLESS_CONTEXTS or ref.startswith("builtins.")


def line_of_backward(within: ast.AST, but: ast.AST | None = None) -> int:
    """The line of the first call of a method `backward`, outside of `but`; 0 without one."""
    left_out = set(ast.walk(but)) if but is not None else set()
    lines = [
        node.lineno
        for node in ast.walk(within)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "backward"
        and node not in left_out
    ]
    return min(lines, default=0)
