"""The native engine's pipeline schedules are PyTorch's, slot by slot and bubbles too, and both refuse the same sizes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from torch.distributed.pipelining import schedules

PROGRAM = Path(__file__).parents[2] / "build" / "cpu" / "bin" / "schedule-lists"

KINDS: dict[str, Any] = {
    "gpipe": schedules.ScheduleGPipe,
    "one_forward_one_backward": schedules.Schedule1F1B,
    "interleaved": schedules.ScheduleInterleaved1F1B,
    "zero_bubble": schedules.ScheduleInterleavedZeroBubble,
    "zbv": schedules.ScheduleZBVZeroBubble,
    "dual_pipe_v": schedules.ScheduleDualPipeV,
}
SINGLE = ("gpipe", "one_forward_one_backward")

Sizes = tuple[int, int, int]
Lists = list[list[str]]  # the rank of every stage, then the list of every rank; empty where sizes are refused


class Stage:
    """Stands in for a stage of a rank: it says where it is, and keeps what it was told to compute."""

    submod = None
    has_backward = True
    is_last = False  # with no loss to compute

    def __init__(self, rank: int, ranks: int, stages: int) -> None:
        self.group_rank = self.stage_index = rank
        self.group_size = ranks
        self.num_stages = stages
        self.computed: list[str] = []

    def forward_one_chunk(self, microbatch: int, *_: Any, **__: Any) -> None:
        self.computed.append(f"{self.stage_index}F{microbatch}")

    def backward_one_chunk(self, microbatch: int, **_: Any) -> None:
        self.computed.append(f"{self.stage_index}B{microbatch}")

    def nothing_to_send(self, *_: Any) -> list[Any]:
        return []

    get_fwd_recv_ops = get_fwd_send_ops = get_bwd_recv_ops = get_bwd_send_ops = nothing_to_send
    _get_init_p2p_neighbors_ops = _prepare_forward_infra = perform_reduce_grad = nothing_to_send


def grid() -> Iterator[Sizes]:
    for ranks in (1, 2, 3, 4, 5, 8):
        for stages_per_rank in (1, 2, 3):
            for microbatches in range(1, max(12, 3 * ranks) + 1):
                yield ranks, stages_per_rank, microbatches


def made(kind: str, sizes: Sizes, rank: int = 0) -> Any:
    """PyTorch's object on a rank; nothing where it refuses the sizes. A class for one stage has no place for a list of them."""
    ranks, stages_per_rank, microbatches = sizes
    stages = [Stage(rank, ranks, ranks * stages_per_rank) for _ in range(stages_per_rank)]
    takes_one = kind in SINGLE and len(stages) == 1
    try:
        return KINDS[kind](stages[0] if takes_one else stages, microbatches)
    except (ValueError, AttributeError):
        return None


def listed(actions: list[Any]) -> list[str]:
    """Without the sum of gradients behind the last backward, which is none of a stage's computations."""
    sums = schedules.REDUCE_GRAD
    return ["" if one is None else str(one) for one in actions if one is None or one.computation_type != sums]


def computed(kind: str, sizes: Sizes, rank: int) -> list[str]:
    """What a schedule of one stage a rank computes: it runs without its list."""
    schedule = made(kind, sizes, rank)
    schedule._step_microbatches()
    return list(schedule._stage.computed)


def theirs(kind: str, sizes: Sizes) -> Lists:
    schedule = made(kind, sizes)
    if schedule is None:
        return []
    ranks = range(sizes[0])
    if kind in SINGLE:
        return [[str(rank) for rank in ranks], *(computed(kind, sizes, rank) for rank in ranks)]
    places = schedule.stage_index_to_group_rank
    placed = [str(places[stage]) for stage in range(len(places))]
    return [placed, *(listed(schedule.pipeline_order[rank]) for rank in ranks)]


def ours(kind: str) -> list[Lists]:
    asked = "".join(f"{kind} {' '.join(map(str, sizes))}\n" for sizes in grid())
    printed = subprocess.run([str(PROGRAM)], input=asked, capture_output=True, text=True, check=True).stdout
    lines = [line.split("\t") for line in printed.splitlines()]
    return [[] if line[0] == "refused" else [part.split(",") for part in line] for line in lines]


@pytest.mark.skipif(not PROGRAM.exists(), reason=f"no native engine is built: {PROGRAM} is missing")
@pytest.mark.parametrize("kind", KINDS)
def test_every_list_is_pytorchs(kind: str) -> None:
    lists = refused = 0
    for sizes, own in zip(grid(), ours(kind), strict=True):
        assert own == theirs(kind, sizes), (kind, sizes)
        lists += len(own[1:])
        refused += not own
    print(f"{kind}: {lists} lists compared, and {refused} sizes that both refuse")
    assert lists > 0


@pytest.mark.parametrize("kind", SINGLE)
def test_of_one_stage_a_rank_pytorch_computes_what_it_lists(kind: str) -> None:
    """But on the last rank of 1F1B, whose list begins with the second microbatch: held here so that its cure is seen."""
    lists = 0
    for sizes in grid():
        schedule = made(kind, sizes)
        for rank, actions in schedule.pipeline_order.items() if schedule else ():
            expected = computed(kind, sizes, rank)
            if kind == "one_forward_one_backward" and rank == sizes[0] - 1:
                forwards = (f"{rank}F{microbatch + 1}" for microbatch in range(sizes[2]))
                expected = [next(forwards) if "F" in action else action for action in expected]
            assert listed(actions) == expected, (sizes, rank)
            lists += 1
    assert lists > 0
