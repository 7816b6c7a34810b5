"""The events of a profile, sorted into kinds in one go: a question to the profiler costs more than what is done with its
answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

# Where the two operands of a product begin. Fused attention multiplies queries with keys and weights with values; its
# backward makes the weights again, and four gradients.
PRODUCTS = {"aten::mm": 0, "aten::bmm": 0, "aten::addmm": 1, "aten::baddbmm": 1, "aten::addmv": 1}
ATTENTION = "aten::_scaled_dot_product_flash_attention_for_cpu"
ATTENTION_PRODUCTS = {
    ATTENTION: (0, 2),
    f"{ATTENTION}_backward": (1, 5),
}  # where queries and keys begin, and how many products

# What a program marks (program/marks.py); every other mark is of a phase.
MARK = "ordercheck::"
MARK_OF_SCOPE = MARK + "compiled scope"
MARK_OF_GRAPH = MARK + "graph"
MARK_OF_RECOMPUTED = MARK + "recomputed"

INDUCTOR_GRAPH = "## Call CompiledFxGraph"  # torch._inductor.output_code
AOT_GRAPH = "CompiledFunction"  # AOTAutograd's autograd function around a graph
AOT_BACKWARD = AOT_GRAPH + "Backward"
_OF_A_BACKWARD_NODE = 1  # at::RecordScope::BACKWARD_FUNCTION


@dataclass(frozen=True)
class Product:
    begin: int
    end: int
    name: str
    event: Any

    @property
    def flops(self) -> int:
        return matmul_flops(self.name, self.event.shapes())

    @property
    def dtype(self) -> str:
        first = PRODUCTS[self.name] if self.name in PRODUCTS else ATTENTION_PRODUCTS[self.name][0]
        return str(self.event.dtypes()[first]).removeprefix("c10::")


@dataclass
class Events:
    """A span is its begin and end."""

    phases: list[tuple[int, int, str]] = field(default_factory=list)
    memory: list[tuple[int, int]] = field(default_factory=list)  # time, bytes
    operators: list[tuple[int, int]] = field(default_factory=list)
    products: list[Product] = field(default_factory=list)
    nodes: list[tuple[int, int]] = field(default_factory=list)  # of autograd, as the engine evaluates them
    scopes: list[tuple[int, int]] = field(default_factory=list)
    graphs: list[tuple[int, int]] = field(default_factory=list)
    inductor_graphs: list[tuple[int, int]] = field(default_factory=list)
    marked_graphs: list[tuple[int, int]] = field(
        default_factory=list
    )  # those that a program marked, and their inside
    backward_graphs: list[tuple[int, int]] = field(default_factory=list)  # of AOTAutograd, whoever runs them
    recomputed: list[tuple[int, int]] = field(default_factory=list)  # in a backward graph
    # With the sequence number: operators called with autograd on, Python functions of autograd, and nodes, which have that
    # of the operator whose backward they are.
    numbered: list[tuple[int, int, int]] = field(default_factory=list)
    functions: list[tuple[int, int, int]] = field(default_factory=list)
    backwards: list[tuple[int, int, int]] = field(default_factory=list)

    def take(self, event: Any) -> None:
        name, begin = event.name(), event.start_ns()
        if name == "[memory]":
            self.memory.append((begin, event.nbytes()))
            return
        span = (begin, end_of(event))
        if name.startswith("autograd::"):
            if name.startswith("autograd::engine::evaluate_function"):
                self.nodes.append(span)
            return
        if name.startswith(MARK):
            self.take_mark(name, span)
            return
        if name.startswith(INDUCTOR_GRAPH):
            self.inductor_graphs.append(span)
            self.graphs.append(span)
            return
        if name.startswith("aten::"):
            self.operators.append(span)
            if name in PRODUCTS or name in ATTENTION_PRODUCTS:
                self.products.append(Product(*span, name, event))
        if name in (AOT_GRAPH, AOT_BACKWARD):
            self.graphs.append(span)
        if name == AOT_BACKWARD:
            self.backward_graphs.append(span)
        if event.sequence_nr() >= 0:
            self.take_numbered(name, (*span, event.sequence_nr()), event.scope())

    def take_mark(self, name: str, span: tuple[int, int]) -> None:
        kinds = {MARK_OF_SCOPE: self.scopes, MARK_OF_GRAPH: self.graphs, MARK_OF_RECOMPUTED: self.recomputed}
        if name in kinds:
            kinds[name].append(span)
            if name == MARK_OF_GRAPH:
                self.marked_graphs.append(span)
        else:
            self.phases.append((*span, name.removeprefix(MARK)))

    def take_numbered(self, name: str, span: tuple[int, int, int], scope: int) -> None:
        if scope == _OF_A_BACKWARD_NODE:
            self.backwards.append(span)
        elif scope == 0:
            (self.numbered if "::" in name or name == AOT_GRAPH else self.functions).append(span)


def sorted_out(events: Iterable[Any]) -> Events:
    into = Events()
    for event in events:
        into.take(event)
    return into


def end_of(event: Any) -> int:
    return int(event.start_ns() + event.duration_ns())


def matmul_flops(name: str, shapes: list[list[int]]) -> int:
    """2 m n k of a product, batched or not, and as often of an attention as it multiplies."""
    if name in ATTENTION_PRODUCTS:
        first, products = ATTENTION_PRODUCTS[name]
        batch, heads, queries, width = shapes[first]
        return products * 2 * batch * heads * queries * width * shapes[first + 1][2]
    operands = PRODUCTS[name]
    a, b = shapes[operands], shapes[operands + 1]
    size = 2 * (b[-1] if len(b) > 1 else 1)
    for length in a:
        size *= length
    return size
