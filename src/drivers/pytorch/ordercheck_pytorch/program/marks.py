"""Marks in a profile: which code ran when. They are read by observe/operators.py, which knows them by these names. Without a
profiler nothing is done, and no dispatch mode or tracer sees a mark."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from ..process_state import CASE_STATE
from ..torch_compat import is_profiling, profiler_mark

SCOPE = (
    "ordercheck::compiled scope"  # a call of what was handed to compile, whether a graph of it runs or not
)
GRAPH = "ordercheck::graph"  # a captured graph
RECOMPUTED = "ordercheck::recomputed"  # in a backward graph, operators of the forward


def begin_recomputed() -> None:
    mark = mark_of(RECOMPUTED)
    mark.__enter__()
    CASE_STATE.open_marks.append(mark)


def end_recomputed() -> None:
    CASE_STATE.open_marks.pop().__exit__(None, None, None)


def mark_of(name: str) -> contextlib.AbstractContextManager[Any]:
    if not is_profiling():
        return contextlib.nullcontext()
    return profiler_mark(name)


def marked(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def with_mark(*args: Any, **kwargs: Any) -> Any:
        if torch.compiler.is_compiling():  # another compiler looks into the call
            return call(*args, **kwargs)
        with mark_of(name):
            return call(*args, **kwargs)

    return with_mark


def mark_compiled(module: nn.Module) -> None:
    """What was handed to compile, so that a profile tells what of it ran in graphs."""
    module.forward = marked(SCOPE, module.forward)
