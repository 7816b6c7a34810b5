"""What a step computes and keeps: matrix products, operators run again inside backward, bytes saved for backward.

Read off the profiler, which sees below autograd what eager code and captured graphs call, and changes neither: a dispatch
mode would make Dynamo skip frames, and saved-tensor hooks would change what checkpointing does. Kernels that a backend has
fused are no operators; where graphs are compiled to such, operators are reported as not measured."""

from __future__ import annotations

import bisect
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._dynamo.utils import counters
from torch.autograd.profiler import profile, record_function

NOT_MEASURED = -1
_MARK = "ordercheck::"


@dataclass
class Step:
    """Of the profiled step."""

    matmul_flops: int = 0
    matmul_flops_recomputed: int = 0
    operators_recomputed: int = 0
    saved_bytes_peak: int = NOT_MEASURED


@dataclass
class OperatorMeter:
    """Profiles the last step of a run. `phase` and `training` are called as a Watch's are."""

    seen: Step | None = None
    _mark: Any = field(default=None, repr=False)
    _active: bool = False

    def phase(self, phase: str) -> None:
        if not self._active:
            return
        self._close()
        self._mark = record_function(_MARK + phase)
        self._mark.__enter__()

    def _close(self) -> None:
        if self._mark is not None:
            self._mark.__exit__(None, None, None)
            self._mark = None

    @contextlib.contextmanager
    def training(self, last: bool) -> Iterator[None]:
        if not last:
            yield
            return
        with profile(record_shapes=True, profile_memory=True) as profiler:
            self._active = True
            try:
                yield
            finally:
                self._close()
                self._active = False
        self.seen = read_step(profiler.kineto_results.events())

    def counters(self) -> dict[str, int]:
        """By their names in a record."""
        step = self.seen
        if step is None:
            return dict.fromkeys(COUNTERS, NOT_MEASURED)
        seen = {name: int(getattr(step, name)) for name in COUNTERS}
        if counters["inductor"]:
            seen |= {name: NOT_MEASURED for name in COUNTERS if name != "saved_bytes_peak"}
        return seen


# Where the two operands of a product begin.
PRODUCTS = {"aten::mm": 0, "aten::bmm": 0, "aten::addmm": 1, "aten::baddbmm": 1}
COUNTERS = ("matmul_flops", "matmul_flops_recomputed", "operators_recomputed", "saved_bytes_peak")


@dataclass
class Events:
    """Of a profile, sorted into kinds in one go: a question to the profiler costs more than what is done with its answer."""

    phases: list[tuple[int, int, str]] = field(default_factory=list)  # begin, end, name
    memory: list[tuple[int, int]] = field(default_factory=list)  # time, bytes
    operators: list[int] = field(default_factory=list)  # begin
    products: list[tuple[int, int, str, Any]] = field(default_factory=list)  # begin, end, name, event
    nodes: list[tuple[int, int]] = field(default_factory=list)  # of autograd: begin, end
    # What carries a sequence number: begin, end.
    numbered: list[tuple[int, int]] = field(default_factory=list)

    def take(self, event: Any) -> None:
        name, begin = event.name(), event.start_ns()
        if name == "[memory]":
            self.memory.append((begin, event.nbytes()))
            return
        if name.startswith("autograd::"):
            if name.startswith("autograd::engine::evaluate_function"):
                self.nodes.append((begin, end_of(event)))
            return
        if name.startswith(_MARK):
            self.phases.append((begin, end_of(event), name[len(_MARK) :]))
        elif name.startswith("aten::"):
            self.operators.append(begin)
            if name in PRODUCTS:
                self.products.append((begin, end_of(event), name, event))
        if event.sequence_nr() >= 0 and event.scope() == 0:
            self.numbered.append((begin, end_of(event)))


def read_step(events: list[Any]) -> Step:
    sorted_out = Events()
    for event in events:
        sorted_out.take(event)
    allocations = sorted(at for at, size in sorted_out.memory if size > 0)
    products = sorted(sorted_out.products, key=lambda product: (product[0], -product[1]))
    again = Spans(recomputations(sorted_out))
    step = Step(saved_bytes_peak=saved_bytes(sorted_out))
    for (begin, end, name, event), after in zip(products, [*products[1:], None], strict=True):
        # Below a dispatch mode an operator is called a second time, within the first; and one that a policy hands its kept
        # result to is called and computes nothing.
        inner = after is not None and after[2] == name and after[0] < end
        if inner or not any_within(allocations, begin, end):
            continue
        flops = matmul_flops(name, event.shapes())
        step.matmul_flops += flops
        step.matmul_flops_recomputed += flops if again.hold(begin) else 0
    step.operators_recomputed = sum(again.hold(begin) for begin in sorted_out.operators)
    return step


def end_of(event: Any) -> int:
    return int(event.start_ns() + event.duration_ns())


def any_within(sorted_times: list[int], begin: int, end: int) -> bool:
    at = bisect.bisect_left(sorted_times, begin)
    return at < len(sorted_times) and sorted_times[at] <= end


class Spans:
    """Spans of time, joined where they overlap."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self.begins: list[int] = []
        self.ends: list[int] = []
        for begin, end in sorted(spans):
            if self.ends and begin < self.ends[-1]:
                self.ends[-1] = max(self.ends[-1], end)
            else:
                self.begins.append(begin)
                self.ends.append(end)

    def hold(self, time: int) -> bool:
        at = bisect.bisect_right(self.begins, time) - 1
        return at >= 0 and time < self.ends[at]


def recomputations(events: Events) -> list[tuple[int, int]]:
    """When forward code ran inside backward. Operators of a backward formula run with autograd off and carry no sequence
    number; what a recomputation calls, a function of a captured graph too, carries one."""
    nodes = Spans(events.nodes)
    return [span for span in events.numbered if nodes.hold(span[0])]


def matmul_flops(name: str, shapes: list[list[int]]) -> int:
    """2 m n k of a product, batched or not."""
    operands = PRODUCTS[name]
    a, b = shapes[operands], shapes[operands + 1]
    return 2 * int(torch.Size(a).numel()) * b[-1]


def saved_bytes(events: Events) -> int:
    """The most that a forward left allocated when it ended: what backward is going to need, and the outputs."""
    forwards = [(begin, end) for begin, end, name in events.phases if name == "forward"]
    if not any(name == "backward" for _, _, name in events.phases):  # a pipeline's schedule runs both at once
        return NOT_MEASURED
    return max((sum(n for at, n in events.memory if b <= at < e) for b, e in forwards), default=NOT_MEASURED)
