"""What a step computes and keeps: matrix products, operators run again inside backward, bytes saved for backward.

Read off the profiler, which sees below autograd what eager code and captured graphs call, and changes neither: a dispatch
mode would make Dynamo skip frames, and saved-tensor hooks would change what checkpointing does. Kernels that a backend has
fused are no operators; where inductor's code ran, operators are reported as not measured."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from torch.autograd.profiler import profile, record_function

from .compiled_share import NOT_MEASURED, products_of_scope
from .profile_events import MARK, Events, Product, sorted_out
from .recompute import recomputations, says_what_it_recomputes
from .spans import Spans, any_within, outermost


@dataclass
class Counted:
    """In the profiled step, by the names of a record's counters."""

    matmul_flops: int = NOT_MEASURED
    matmul_flops_recomputed: int = NOT_MEASURED
    operators_recomputed: int = NOT_MEASURED
    saved_bytes_peak: int = NOT_MEASURED
    products_in_scope: int = NOT_MEASURED
    products_in_graphs: int = NOT_MEASURED


@dataclass
class Step(Counted):
    recast: str = ""


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
        self._mark = record_function(MARK + phase)
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
        # The last step alone: by then wrappers have made their buffers and compilers their graphs.
        with profile(record_shapes=True, profile_memory=True) as profiler:
            self._active = True
            try:
                yield
            finally:
                self._close()
                self._active = False
        # The events as they came: profiler.events() would build a tree of Python objects that nothing here needs.
        self.seen = read_step(profiler.kineto_results.events())

    def counters(self) -> dict[str, int]:
        """By their names in a record."""
        seen = self.seen or Step()
        return {counter.name: int(getattr(seen, counter.name)) for counter in fields(Counted)}

    def notes(self) -> list[str]:
        return [self.seen.recast] if self.seen and self.seen.recast else []


def read_step(profiled: Iterable[Any]) -> Step:
    events = sorted_out(profiled)
    again = Spans(recomputations(events))
    products = products_computed(events)
    step = Step(saved_bytes_peak=saved_bytes(events))
    step.products_in_scope, step.products_in_graphs = products_of_scope(events, products)
    if events.inductor_graphs:  # a kernel that it has fused is no operator
        return step
    step.matmul_flops = sum(product.flops for product in products)
    if not says_what_it_recomputes(events):
        return step
    step.matmul_flops_recomputed = sum(product.flops for product in products if again.hold(product.begin))
    step.operators_recomputed = sum(again.hold(begin) for begin in outermost(events.operators))
    step.recast = recast(events, products, again)
    return step


def recast(events: Events, products: Iterable[Product], again: Spans) -> str:
    """Where a recomputation multiplies in a dtype in which the forward did not: a cast that it lost."""
    forward = Spans([(begin, end) for begin, end, name in events.phases if name == "forward"])
    first = {product.dtype for product in products if forward.hold(product.begin)}
    later = {product.dtype for product in products if again.hold(product.begin)}
    if not first or later <= first:
        return ""
    return f"matrix products are in {' and '.join(sorted(first))}, and computed again in {' and '.join(sorted(later))}"


def products_computed(events: Events) -> list[Product]:
    allocations = sorted(at for at, size in events.memory if size > 0)
    inductor = Spans(events.inductor_graphs)
    # Events come without their parents: what lies in what is told by times, outer calls first.
    in_order = sorted(events.products, key=lambda product: (product.begin, -product.end))
    computed = []
    for product, after in itertools.zip_longest(in_order, in_order[1:]):
        # Below a dispatch mode an operator is called a second time, within the first; and one that a policy hands its kept
        # result to is called and computes nothing. Inductor's code allocates first and computes into that.
        inner = after is not None and after.name == product.name and after.begin < product.end
        allocates = any_within(allocations, product.begin, product.end)
        if not inner and (allocates or inductor.hold(product.begin)):
            computed.append(product)
    return computed


def saved_bytes(events: Events) -> int:
    """The most that a forward left allocated when it ended: what backward is going to need, and the outputs."""
    forwards = [(begin, end) for begin, end, name in events.phases if name == "forward"]
    if not any(name == "backward" for _, _, name in events.phases):  # a pipeline's schedule runs both at once
        return NOT_MEASURED
    return max((sum(n for at, n in events.memory if b <= at < e) for b, e in forwards), default=NOT_MEASURED)
