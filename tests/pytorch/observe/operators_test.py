"""What a step computed, read off made-up events of a profiler."""

from dataclasses import dataclass, field

from ordercheck_pytorch.observe.operators import NOT_MEASURED, Spans, matmul_flops, read_step


@dataclass
class Event:
    called: str
    start: int
    length: int = 0
    bytes: int = 0
    sequence: int = -1
    sizes: list[list[int]] = field(default_factory=list)

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
        return 0

    def shapes(self) -> list[list[int]]:
        return self.sizes


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


def test_what_runs_again_inside_backward_is_told_from_the_rest() -> None:
    node = Event("autograd::engine::evaluate_function: MmBackward0", 110, 50)
    again, formula = product(120, sequence=7), product(140)
    step = read_step([FORWARD, BACKWARD, *product(10, sequence=3), node, *again, *formula])
    assert step.matmul_flops == 3 * FLOPS
    assert step.matmul_flops_recomputed == FLOPS
    assert step.operators_recomputed == 1


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
