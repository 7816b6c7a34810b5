"""What a call does to the order: it applies a transform, is followed into a helper's body, or is named as not understood."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import applied
from catalogue import METHODS, MODULE_METHODS, helper_of, project_name, transform_of, unreadable
from expressions import attribute_of, evaluate, root_of, scope_of, written
from source import Function
from tree import Choice, Seq
from unread import name_unread
from values import UNKNOWN, Value, is_function_name

if TYPE_CHECKING:
    from walk import Frame

# Methods that give back the module they were called on.
SAME_MODULE = (
    "to",
    "cuda",
    "cpu",
    "train",
    "eval",
    "half",
    "float",
    "bfloat16",
    "to_empty",
    "requires_grad_",
    "copy",
    "values",
    "items",
)
NO_MODEL = re.compile(
    r"(dl|loader|loaders|optimizer|scheduler|dataset)$"
)  # what accelerate prepares beside models
OPTIMIZER = re.compile(r"(^|_)opt(im(izer)?)?s?$")
KERAS_WORDS = ("optimizer", "loss", "metrics", "loss_weights")


@dataclass
class Arguments:
    node: ast.Call
    positional: list[Value]
    nodes: list[ast.expr]
    named: dict[str, Value]  # keywords, those of ** and those that a partial bound
    named_nodes: dict[str, ast.expr]
    receiver: Value | None = None  # of a method: the object that it is called on

    def value(self, at: int, *names: str) -> Value | None:
        for name in names:
            if name in self.named:
                return self.named[name]
        return self.positional[at] if 0 <= at < len(self.positional) else None

    def target(self) -> tuple[Value, ast.expr | None]:
        """The module that the call is applied to."""
        for name in ("module", "model", "modules"):
            if name in self.named:
                return self.named[name], self.named_nodes.get(name)
        return (self.positional[0], self.nodes[0]) if self.positional else (UNKNOWN, None)

    def given(self) -> list[tuple[Value, ast.expr | None]]:
        by_place: list[tuple[Value, ast.expr | None]] = list(zip(self.positional, self.nodes))  # noqa: B905
        return by_place + [(value, self.named_nodes.get(name)) for name, value in self.named.items()]

    def scope(self) -> str:
        value, node = self.target()
        return scope_of(value, node)

    def root(self) -> str:
        value, node = self.target()
        return value.root or root_of(node)

    def word(self, at: int, *names: str) -> object:
        """The one constant that an argument is, else None."""
        value = self.value(at, *names)
        return next(iter(value.literals)) if value is not None and len(value.literals) == 1 else None


def apply_call(frame: Frame, node: ast.Call) -> Value:
    frame.walker.count()
    receiver = evaluate(frame, node.func.value) if isinstance(node.func, ast.Attribute) else None
    callee = _callee(frame, node.func, receiver)
    arguments = _arguments(frame, node, callee)
    arguments.receiver = receiver
    special = _builtin(frame, node, callee, arguments)
    if special is not None:
        return special
    ways = [(ref, way) for ref in sorted(callee.refs) if (way := _way_of(frame, ref)) is not None]
    if len(ways) == 1:
        if len(callee.refs) > 1 and isinstance(node.func, ast.Subscript):
            frame.note(node.func, "which of its entries is called is not known")
        return _go(frame, ways[0], arguments)
    if ways:
        found: list[Value] = []
        options = []
        for each in ways:

            def go(each: tuple[str, str | Function] = each) -> None:
                found.append(_go(frame, each, arguments))

            options.append((_named(each[0]), frame.part(go)))
        _add_choice(frame, written(node.func), tuple(options))
        return found[0]
    if isinstance(node.func, ast.Attribute) and receiver is not None:
        of_method = _method(frame, node, node.func, receiver, arguments)
        if of_method is not None:
            return of_method
    if frame.is_sharded:
        _mark_step(frame, node, callee)
    name_unread(frame, callee, receiver, arguments)
    return _made(callee, node, arguments, receiver)


def _mark_step(frame: Frame, node: ast.Call, callee: Value) -> None:
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("backward", "reshard"):
        frame.item(node, "backward", "")
    elif callee.scope == "model" and not callee.refs and isinstance(node.func, (ast.Name, ast.Attribute)):
        frame.item(node, "forward", "", root=callee.root or root_of(node.func))


def _callee(frame: Frame, func: ast.expr, receiver: Value | None) -> Value:
    if not isinstance(func, ast.Attribute) or receiver is None:
        return evaluate(frame, func)
    if isinstance(func.value, ast.Name) and func.value.id in ("self", "cls") and frame.function.owner:
        method = frame.walker.project.method_named(frame.function.owner, func.attr, frame.function.module)
        if method is not None:
            return Value(refs=frozenset([method.key]))
    held = frame.lookup(written(func))
    if held is not None and held.refs:
        return held
    method = _method_of_model(frame, func, receiver)
    if method is not None:
        return Value(refs=frozenset([method.key]))
    return attribute_of(receiver, func.attr, func.value)


def _method_of_model(frame: Frame, func: ast.Attribute, receiver: Value) -> Function | None:
    """The method that is called on a model: of the class that made it, else of the one class that defines it."""
    project = frame.walker.project
    if not scope_of(receiver, func.value):
        return None
    for ref in receiver.made_by:
        made = project.class_named(ref, frame.function.module)
        if made is not None:
            return project.method_named(made[1], func.attr, made[0])
    if receiver.refs or receiver.made_by or func.attr in MODULE_METHODS:
        return None
    owners = project.owners_of(func.attr)
    return owners[0] if len(owners) == 1 else None


def _arguments(frame: Frame, node: ast.Call, callee: Value) -> Arguments:
    arguments = Arguments(node, [], [], dict(callee.fields), {})
    for argument in node.args:
        arguments.positional.append(evaluate(frame, argument))
        arguments.nodes.append(argument)
    for keyword in node.keywords:
        value = evaluate(frame, keyword.value)
        if keyword.arg is None:
            arguments.named.update(value.fields)
        else:
            arguments.named[keyword.arg] = value
            arguments.named_nodes[keyword.arg] = keyword.value
    return arguments


def _builtin(frame: Frame, node: ast.Call, callee: Value, arguments: Arguments) -> Value | None:
    """functools.partial, getattr, dict and their like; None for what is a call like any other."""
    if "functools.partial" in callee.refs and arguments.positional:
        bound = arguments.positional[0]
        return replace(bound, fields=tuple({**dict(bound.fields), **arguments.named}.items()))
    if "builtins.getattr" in callee.refs and len(arguments.positional) > 1:
        name = arguments.word(1)
        return (
            attribute_of(arguments.positional[0], name, arguments.nodes[0])
            if isinstance(name, str)
            else Value(made_by=callee.refs)
        )
    if "builtins.dict" in callee.refs:
        inherited = dict(arguments.positional[0].fields) if arguments.positional else {}
        return Value(fields=tuple({**inherited, **arguments.named}.items()))
    if callee.refs & {
        "builtins.list",
        "builtins.tuple",
        "builtins.reversed",
        "copy.copy",
        "typing.cast",
    }:
        return arguments.positional[-1] if arguments.positional else UNKNOWN
    if "copy.deepcopy" in callee.refs and arguments.positional:
        return replace(arguments.positional[0], root="")  # another model
    if (
        isinstance(node.func, ast.Attribute)
        and node.func.attr in ("update", "append")
        and isinstance(node.func.value, ast.Name)
    ):
        held = frame.lookup(node.func.value.id)
        if held is not None and not held.refs:
            for value in arguments.positional:
                held = replace(
                    held,
                    mentions=held.mentions | value.mentions,
                    fields=tuple({**dict(held.fields), **dict(value.fields)}.items()),
                )
            frame.names[node.func.value.id] = held
    return None


def _way_of(frame: Frame, ref: str) -> str | Function | None:
    """What is done for a callable: a transform, a helper to follow, or None for what says nothing."""
    walker, module = frame.walker, frame.function.module
    if ref.startswith("@"):
        if ref in walker.closures:
            return walker.closures[ref][0]
        return walker.project.by_key.get(ref) or walker.project.by_key.get(ref + ".__init__")
    found = walker.project.function_named(ref, module) or walker.project.function_named(
        ref + ".__init__", module
    )
    known = transform_of(project_name(ref, found.module.parts if found is not None else ()))
    if found is not None:
        return known if known == "data_parallel" else found
    if known is not None:
        return known
    if helper_of(project_name(ref, ())):
        return "project"
    return "unreadable" if unreadable(ref) else None


def _go(frame: Frame, way: tuple[str, str | Function], arguments: Arguments) -> Value:
    ref, what = way
    if isinstance(what, Function):
        return frame.follow(arguments.node, what, _bound(what, arguments))
    if what == "unreadable":
        frame.note(arguments.node, unreadable(ref))
        return UNKNOWN
    if what == "project":
        for name in helper_of(project_name(ref, ())):
            frame.item(
                arguments.node,
                name,
                "block" if name in ("ac", "compile", "fsdp", "hsdp") else "model",
                root=arguments.root(),
            )
        return Value(scope=arguments.scope(), root=arguments.root())
    return applied.apply_transform(frame, what, ref, arguments)


def _add_choice(frame: Frame, of: str, options: tuple[tuple[str, Seq], ...]) -> None:
    if any(seq.steps for _, seq in options):
        frame.steps.append(Choice(frame.where, of, options))


def _named(ref: str) -> str:
    return ref.rpartition(":")[2] if ref.startswith("@") else ref.rpartition(".")[2]


def _bound(function: Function, arguments: Arguments) -> dict[str, Value]:
    node = function.node
    if isinstance(node, ast.Module):
        return {}
    names = [argument.arg for argument in [*node.args.posonlyargs, *node.args.args]]
    bound: dict[str, Value] = {}
    if names and names[0] in ("self", "cls") and function.owner:
        receiver = arguments.receiver
        if receiver is not None and not receiver.refs and not function.name.endswith(".__init__"):
            bound[names[0]] = Value(scope=receiver.scope, root=receiver.root)
        names = names[1:]
    for name, value, written_as in zip(names, arguments.positional, arguments.nodes):  # noqa: B905
        bound[name] = _rooted(value, written_as)
    accepted = {*names, *(argument.arg for argument in node.args.kwonlyargs)}
    for name, value in arguments.named.items():
        if name in accepted:
            bound[name] = _rooted(value, arguments.named_nodes.get(name))
    return bound


def _rooted(value: Value, node: ast.expr | None) -> Value:
    is_constant = value.refs or value.literals or value.fields
    root = value.root or ("" if is_constant else root_of(node))
    return replace(value, scope=scope_of(value, node), root=root)


def _method(
    frame: Frame, node: ast.Call, func: ast.Attribute, receiver: Value, arguments: Arguments
) -> Value | None:
    name = func.attr
    of_accelerate = any(ref.startswith("accelerate.") for ref in receiver.made_by)
    by_name = written(func.value).rpartition(".")[2] == "accelerator" and not receiver.made_by
    if name == "prepare" and (of_accelerate or by_name):
        if all(NO_MODEL.search(written(given)) for given in arguments.nodes):
            return None
        made = applied.apply_accelerate(frame, node, receiver)
        prepared = zip(arguments.positional, arguments.nodes)  # noqa: B905
        if any(_is_optimizer(value, written(one)) for value, one in prepared):
            frame.item(node, "prepared", "model")
        return made
    if name not in METHODS or receiver.refs:
        return None
    if name == "compile":
        if not receiver.scope and receiver.made_by:
            return None
        if not receiver.scope or is_function_name(written(func.value).rpartition(".")[2]):
            return None
        if any(word in arguments.named for word in KERAS_WORDS):
            frame.note(
                node,
                "it takes an optimizer, a loss or metrics, which no torch module's compile does",
                is_open=False,
            )
            return None
        root = receiver.root or root_of(func.value)
        applied.apply_compile(frame, node, receiver.scope, arguments, root, in_place=True)
        return receiver
    if METHODS[name] == "frozen":
        if arguments.word(0, "requires_grad") is False:
            frame.item(node, "frozen", "", root=receiver.root or root_of(func.value))
    elif METHODS[name] == "flag":
        given = (arguments.named.get("gradient_checkpointing_kwargs") or UNKNOWN).field("use_reentrant")
        options = (("reentrant", ""),) if given is not None and given.literals == frozenset([True]) else ()
        frame.item(node, "ac", "block", "", options, receiver.root or root_of(func.value), is_flag=True)
    else:
        frame.item(node, METHODS[name], "attention", root=receiver.root)
    return receiver


def _is_optimizer(value: Value, name: str) -> bool:
    if value.made_by:
        return any(transform_of(ref) == "optimizer" for ref in value.made_by)
    return OPTIMIZER.search(name) is not None


def _made(callee: Value, node: ast.Call, arguments: Arguments, receiver: Value | None) -> Value:
    """What a call that says nothing gives back."""
    if isinstance(node.func, ast.Attribute) and receiver is not None:
        if node.func.attr in SAME_MODULE:
            return receiver
        if node.func.attr == "get_submodule" and isinstance(arguments.word(0), str):
            return attribute_of(receiver, str(arguments.word(0)).rpartition(".")[2], node.func.value)
    mentions = frozenset([written(node.func).rpartition(".")[2]])
    for value in [*arguments.positional, *arguments.named.values()]:
        mentions |= value.mentions
    for ref in callee.refs:
        mentions |= {ref.rpartition(".")[2]}
    return Value(
        mentions=mentions | callee.mentions, made_by=callee.refs, fields=tuple(arguments.named.items())
    )
