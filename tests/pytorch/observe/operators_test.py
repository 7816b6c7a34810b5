"""What a step computed, read off made-up events of a profiler."""

from dataclasses import dataclass, field

from ordercheck_pytorch.observe.compiled_share import NOT_MEASURED
from ordercheck_pytorch.observe.operators import read_step
from ordercheck_pytorch.observe.profile_events import matmul_flops
from ordercheck_pytorch.observe.spans import Spans, innermost


@dataclass
class Event:
    called: str
    start: int
    length: int = 0
    bytes: int = 0
    sequence: int = -1
    sizes: list[list[int]] = field(default_factory=list)
    kind: int = 0
    dtype: str = "double"

    def name(self) -> str:
        return self.called

    def start_ns(self) -> int:
        return self.start

    def duration_ns(self) -> int:
        return self.length

    def nbytes(self) -> int:
        return self.bytes

    def sequence_nr(self) -> int:
        return self.sequence

    def scope(self) -> int:
        return self.kind

    def shapes(self) -> list[list[int]]:
        return self.sizes

    def dtypes(self) -> list[str]:
        return [self.dtype] * len(self.sizes)


SIZES = [[2, 3], [3, 5]]
FLOPS = 2 * 2 * 3 * 5
FORWARD, BACKWARD = Event("ordercheck::forward", 0, 99), Event("ordercheck::backward", 100, 100)


def product(start: int, sequence: int = -1) -> list[Event]:
    """A product, and the memory that it allocates."""
    return [
        Event("aten::mm", start, 9, sequence=sequence, sizes=SIZES),
        Event("[memory]", start + 5, bytes=80),
    ]


def test_spans_are_joined() -> None:
    spans = Spans([(10, 20), (15, 30), (40, 50)])
    assert [spans.hold(time) for time in (9, 10, 25, 30, 39, 40, 50)] == [
        False, True, True, False, False, True, False,
    ]  # fmt: skip


def test_flops_of_products() -> None:
    assert matmul_flops("aten::mm", SIZES) == FLOPS
    assert matmul_flops("aten::bmm", [[7, 2, 3], [7, 3, 5]]) == 7 * FLOPS
    assert matmul_flops("aten::addmm", [[5], *SIZES]) == FLOPS


def test_a_stage_without_a_product_has_computed_none() -> None:
    assert read_step([FORWARD, BACKWARD]).matmul_flops == 0


def test_what_runs_again_inside_backward_is_told_from_the_rest() -> None:
    node = Event("autograd::engine::evaluate_function: MmBackward0", 110, 50)
    again, formula = product(120, sequence=7), product(140)
    step = read_step([FORWARD, BACKWARD, *product(10, sequence=3), node, *again, *formula])
    assert step.matmul_flops == 3 * FLOPS
    assert step.matmul_flops_recomputed == FLOPS
    assert step.operators_recomputed == 1


def test_a_cast_that_a_recomputation_lost_is_noted() -> None:
    node = Event("autograd::engine::evaluate_function: X", 110, 80)
    kept, lost = (product(start=120, sequence=3) for _ in range(2))
    first = product(start=10, sequence=2)
    first[0].dtype = kept[0].dtype = "c10::BFloat16"
    lost[0].dtype = "float"
    assert read_step([FORWARD, BACKWARD, *first, node, *kept]).recast == ""
    assert (
        read_step([FORWARD, BACKWARD, *first, node, *lost]).recast
        == "matrix products are in BFloat16, and computed again in float"
    )


def test_a_product_that_computes_nothing_is_not_counted() -> None:
    handed = Event("aten::mm", 10, 9, sizes=SIZES)
    assert read_step([FORWARD, BACKWARD, handed]).matmul_flops == 0


def test_a_call_within_the_same_call_counts_once() -> None:
    outer = Event("aten::mm", 8, 20, sizes=SIZES)
    assert read_step([FORWARD, BACKWARD, outer, *product(10)]).matmul_flops == FLOPS


def test_saved_bytes_are_what_forward_left() -> None:
    freed = Event("[memory]", 50, bytes=-30)
    assert read_step([FORWARD, BACKWARD, *product(10), freed]).saved_bytes_peak == 50
    assert read_step([FORWARD, *product(10)]).saved_bytes_peak == NOT_MEASURED


def test_a_function_of_autograd_in_a_backward_formula_is_no_recomputation() -> None:
    """DTensor's redistribute calls its own in backward: it carries a sequence number and runs with autograd off."""
    node = Event("autograd::engine::evaluate_function: RedistributeBackward", 110, 50)
    function = Event("NestedRedistribute", 115, 30, sequence=7)
    step = read_step([FORWARD, BACKWARD, node, function, *product(120)])
    assert (step.matmul_flops_recomputed, step.operators_recomputed) == (0, 0)
    # Within a recomputation it is a part of it, and so is what it runs inside.
    numbered = Event("aten::tanh", 112, 2, sequence=6)
    step = read_step([FORWARD, BACKWARD, node, numbered, function, *product(120), *product(150)])
    assert (step.matmul_flops_recomputed, step.operators_recomputed) == (FLOPS, 2)


def test_recomputation_inside_a_backward_graph_is_told_by_its_mark() -> None:
    node = Event("autograd::engine::evaluate_function: CompiledFunctionBackward", 105, 90)
    of_aot = Event("CompiledFunctionBackward", 106, 80, sequence=3, kind=1)
    graph, mark = Event("ordercheck::graph", 110, 70), Event("ordercheck::recomputed", 118, 15)
    step = read_step([FORWARD, BACKWARD, node, of_aot, graph, mark, *product(120), *product(140)])
    assert (step.matmul_flops, step.matmul_flops_recomputed, step.operators_recomputed) == (
        2 * FLOPS,
        FLOPS,
        1,
    )


def test_a_backward_graph_of_another_backend_does_not_tell_its_recomputation() -> None:
    of_aot = Event("CompiledFunctionBackward", 106, 80, sequence=3, kind=1)
    step = read_step([FORWARD, BACKWARD, of_aot, *product(120)])
    assert step.matmul_flops == FLOPS
    assert (step.matmul_flops_recomputed, step.operators_recomputed) == (NOT_MEASURED, NOT_MEASURED)


def test_products_of_the_compiled_scope_forward_and_backward() -> None:
    scope, graph = Event("ordercheck::compiled scope", 5, 50), Event("ordercheck::graph", 8, 14)
    eager, outside = product(30, sequence=3), product(60, sequence=4)
    its_backward = Event("MmBackward0", 110, 20, sequence=3, kind=1)
    the_others = Event("MmBackward0", 140, 20, sequence=4, kind=1)
    events = [FORWARD, BACKWARD, scope, graph, *product(10), *eager, *outside]
    events += [its_backward, *product(115), the_others, *product(145)]
    step = read_step(events)
    assert (step.products_in_scope, step.products_in_graphs) == (3, 1)


def test_a_number_belongs_to_the_operator_that_left_the_node() -> None:
    """One that leaves none shows the number of the next that does."""
    scope = Event("ordercheck::compiled scope", 5, 20)
    events = [FORWARD, BACKWARD, scope, *product(10, sequence=3), *product(30, sequence=3)]
    events += [Event("MmBackward0", 110, 20, sequence=3, kind=1), *product(115)]
    assert read_step(events).products_in_scope == 1


def test_graphs_of_nobody_knows_what_say_no_share() -> None:
    step = read_step([FORWARD, BACKWARD, Event("CompiledFunction", 5, 20, sequence=1), *product(10)])
    assert (step.products_in_scope, step.products_in_graphs) == (NOT_MEASURED, NOT_MEASURED)


def test_under_inductor_operators_are_not_measured_but_calls_of_libraries_are() -> None:
    scope = Event("ordercheck::compiled scope", 5, 30)
    graph = Event("## Call CompiledFxGraph fabc ##", 8, 20)
    into_a_buffer = Event("aten::mm", 10, 9, sizes=SIZES)
    step = read_step([FORWARD, BACKWARD, scope, graph, into_a_buffer])
    assert (step.matmul_flops, step.matmul_flops_recomputed, step.operators_recomputed) == (NOT_MEASURED,) * 3
    assert (step.products_in_scope, step.products_in_graphs) == (1, 1)


def test_the_innermost_of_nested_spans_has_the_time() -> None:
    assert innermost([12, 25, 60, 99], [(10, 50), (20, 30), (55, 70)]) == {
        (10, 50): [12],
        (20, 30): [25],
        (55, 70): [60],
    }
