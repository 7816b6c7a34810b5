"""The backend that stands in for inductor where `compile` names none: inductor itself up to the code that it writes.

Decompositions, graph passes and partition are inductor's (compile_fx); only the last stage, which turns a graph into C++ or
Triton, is another one: the graph is run operator by operator with stock kernels. As with the code that inductor writes, a
dispatch mode outside sees nothing of what runs inside.

In one thing it hides more than inductor, whose code calls products of libraries as `mm.out` and functional collectives as
they are: a mode outside sees those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import fx

from ..torch_compat import boxed_form, compile_up_to_code, no_dispatch_modes, takes_a_list
from .marks import GRAPH, begin_recomputed, end_recomputed, mark_of

NOTE = "compile: without inductor's code generation"


def stand_in_for_inductor(graph: fx.GraphModule, inputs: Sequence[Any]) -> Any:
    forward: set[str] = set()

    def run_with_stock_kernels(
        part: fx.GraphModule, inputs: Sequence[Any], *, is_backward: bool = False, **_: Any
    ) -> Any:
        if is_backward:
            mark_recomputed(part.graph, forward)
        else:
            forward.update(node.name for node in part.graph.nodes if node.op == "call_function")
        return opaque(part)

    return compile_up_to_code(graph, inputs, run_with_stock_kernels)


def mark_recomputed(graph: fx.Graph, forward: set[str]) -> None:
    """Of a backward graph: its nodes that are the forward's, which the partition copies under their names. One that could
    draw random numbers, as attention with dropout does, it wraps into a call that restores the state of the generator."""

    def is_forward(node: fx.Node) -> bool:
        return node.op == "call_function" and (node.name in forward or calls_with_state(node))

    for run in runs_of(graph, is_forward):
        with graph.inserting_before(run[0]):
            graph.call_function(begin_recomputed)
        with graph.inserting_after(run[-1]):
            graph.call_function(end_recomputed)


def calls_with_state(node: fx.Node) -> bool:
    return getattr(node.target, "__name__", "") in ("run_with_rng_state", "graphsafe_run_with_rng_state")


def runs_of(graph: fx.Graph, wanted: Callable[[fx.Node], bool]) -> list[list[fx.Node]]:
    """Wanted nodes that stand one behind the other."""
    runs: list[list[fx.Node]] = [[]]
    for node in graph.nodes:
        if wanted(node):
            runs[-1].append(node)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def opaque(part: fx.GraphModule) -> Callable[..., Any]:
    call = boxed_form(part)

    def run(arguments: list[Any]) -> Any:
        with mark_of(GRAPH), no_dispatch_modes():
            return call(arguments)

    takes_a_list(run)
    return run
