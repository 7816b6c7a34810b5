"""What is known of a value: which part of the model, which callable, which constants it may be. The empty Value is unknown."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

# Names by which models, their blocks and parts go. A name decides only where nothing else is known of a value.
BLOCKS = re.compile(r"(^|_)(layers?|blocks?)$")
EXPERTS = re.compile(r"(^|_)experts?$")
ATTENTION = re.compile(r"(^|_)(attn|attention)$")
MODEL = re.compile(
    r"^(ddp_|fsdp_|compiled_|wrapped_|raw_|unwrapped_)?(models?|net|network|module|backbone|transformer|llm|lm|encoder|decoder|gpt|llama)$"
    r"|_(model|module|encoder|decoder|transformer|net|stage|part|parts|chunk|mod)$|^(model|stage)_|^(m|mod|stage|submod|stage_mod)$"
)
MODELS = re.compile(r"(^|_)(models?|parts?|stages?|chunks?|nets?)$")
MODULE = re.compile(r"(^|_)(m|mod|module|submod|submodule)$")
METHODS_OF_CALL = ("forward", "__call__", "_call_impl")
FUNCTION = re.compile(r"(^|_)(fn|func|function|loss|step|criterion|optimizer|generate|kernel|policy)(_|$)")


@dataclass(frozen=True)
class Value:
    scope: str = ""  # "model", "block", "experts", "attention", "inner" (of a block), "part" (of the root); "" if unknown
    refs: frozenset[str] = frozenset()  # callables or modules in full: "torch.compile", "@<file>:<function>"
    mentions: frozenset[str] = frozenset()  # last names of the callables that made it, at any depth
    literals: frozenset[object] = frozenset()  # constants that it may be; empty where it may be anything
    fields: tuple[tuple[str, Value], ...] = ()  # entries of a dictionary, or keywords that were bound
    made_by: frozenset[str] = frozenset()  # the callables whose call it is
    root: str = ""  # the variable of the model that it is, or is a part of

    def field(self, name: str) -> Value | None:
        return dict(self.fields).get(name)

    def with_field(self, name: str, value: Value) -> Value:
        return replace(
            self,
            fields=tuple({**dict(self.fields), name: value}.items()),
            mentions=self.mentions | value.mentions,
        )


UNKNOWN = Value()
MOST = 16  # of what a value may be: beyond it, nothing is known


def either(one: Value, other: Value) -> Value:
    """What is known of a value that is one of them."""
    if one == other:
        return one
    literals = one.literals | other.literals if one.literals and other.literals else frozenset()
    theirs = dict(other.fields)
    fields = tuple((name, either(value, theirs[name])) for name, value in one.fields if name in theirs)
    return Value(
        scope=one.scope or other.scope,
        refs=_few(one.refs | other.refs),
        mentions=one.mentions | other.mentions,
        literals=_few(literals),
        fields=fields or one.fields or other.fields,
        made_by=_few(one.made_by | other.made_by),
        root=one.root or other.root,
    )


def _few(values: frozenset) -> frozenset:  # type: ignore[type-arg]
    return values if len(values) <= MOST else frozenset()


def scope_of_name(name: str) -> str:
    """Which part of a model goes by this name."""
    name = name.lower().rstrip("0123456789")
    if EXPERTS.search(name):
        return "experts"
    if ATTENTION.search(name):
        return "attention"
    if BLOCKS.search(name):
        return "block"
    return "model" if MODEL.search(name) else ""


def scope_of_attribute(base: str, name: str) -> str:
    """Which part of a model an attribute of one of its parts is."""
    named = "block" if name == "h" else scope_of_name(name)  # transformer.h of GPT-2
    if base in ("block", "inner", "attention", "experts"):
        if named in ("attention", "experts", "block"):
            return named
        # What a block wraps, and its methods, are the block.
        return "inner" if base == "block" and not named and name not in METHODS_OF_CALL else base
    if base in ("model", "part"):
        return named or "part"
    return named


def is_function_name(name: str) -> bool:
    return FUNCTION.search(name.lower()) is not None


def is_models(text: str) -> bool:
    """Whether a list of this name holds whole models, or the parts of one that a pipeline cuts."""
    return MODELS.search(text.rpartition(".")[2].lower()) is not None


def is_module_name(name: str) -> bool:
    return MODULE.search(name.lower()) is not None


def is_plural(text: str) -> bool:
    last = text.rpartition(".")[2]
    return last.endswith("s") or last == "h"
