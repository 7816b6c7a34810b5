"""The main of a reproduction script: the model on one rank, the case, and the comparison."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
import sys
import traceback

import torch
import torch.distributed as dist

from ..observe.graphs import graph_counters
from ..observe.operators import OperatorMeter
from ..observe.wording import first_line
from ..process_state import reset
from ..program.case import Case
from ..program.exact.grid import OutOfRange
from ..program.exact.kernels import Unsupported
from ..program.rank import run_rank
from ..program.result import RankResult
from ..program.watch import Watch
from .noise_floor import (
    FAR_BEYOND,
    Place,
    alone,
    describe_place,
    distances,
    farthest,
    floor_cases,
    in_float64,
    widened,
)


class Observed(Watch):
    """Where the run is, and what rank 0 computes in the last step."""

    def __init__(self, rank: int) -> None:
        self.now = "build"
        self.meter = OperatorMeter() if rank == 0 else None

    def phase(self, step: int, phase: str) -> None:
        self.now = phase
        if self.meter:
            self.meter.phase(phase)

    def training(self, step: int, last: bool) -> contextlib.AbstractContextManager[None]:
        return self.meter.training(last) if self.meter else contextlib.nullcontext()


def run(case: Case, rank: int, of_case: bool = True) -> tuple[RankResult, dict[str, int]]:
    """What the rank saw, and its counters. Without what it is held against nothing is decided: then the script ends."""
    reset()
    observed = Observed(rank)
    try:
        seen = run_rank(case, rank, "cpu", observed)
    except Exception as error:
        traceback.print_exc()
        fails = "unrun: it" if isinstance(error, (Unsupported, OutOfRange)) else "fails"
        verdict = fails if of_case else "unrun: the single-rank reference fails"
        say(
            f"verdict: {verdict} in {observed.now} on rank {rank}: {type(error).__name__}: {first_line(str(error))}"
        )
        os._exit(
            1 if of_case and fails == "fails" else EXIT_CODES["unrun"]
        )  # torchrun ends the ranks that wait for this one
    counters = seen.counters | graph_counters() | (observed.meter.counters() if observed.meter else {})
    return seen, counters


def first_difference(expected: RankResult, got: RankResult, owner: str) -> str:
    """In the order of a step: loss, gradients, gradient norm; then the parameters. "" when they are bitwise equal."""
    for step in range(len(expected.losses)):
        if got.losses[step] != expected.losses[step]:
            return f"the loss of step {step} is {got.losses[step]!r}, {owner} has {expected.losses[step]!r}"
        for name, gradient in got.gradients[step].items():
            if not torch.equal(gradient, expected.gradients[step][name]):
                most = float((gradient - expected.gradients[step][name]).abs().max())
                return f"the gradient of {name} in step {step} is off by up to {most:.3g}"
        if got.gradient_norms[step] != expected.gradient_norms[step]:
            return f"the gradient norm of step {step} is {got.gradient_norms[step]!r}"
    for name, value in got.values.items():
        if not torch.equal(value, expected.values[name]):
            return f"{name} after the last step"
    for name, buffer in got.buffers.items():
        owed = expected.buffers[name].value
        if buffer.value is not None and owed is not None and not torch.equal(buffer.value, owed):
            return f"the buffer {name} after the last step"
    return ""


def without_effect(case: Case, rank: int, counters: dict[str, int]) -> str:
    """The first layout item that has no mesh axis and moves none of rank 0's counters. Collective."""
    for index, item in enumerate(case.items):
        if item.axes or item.kind != "layout":
            continue
        _, twin = run(dataclasses.replace(case, items=case.items[:index] + case.items[index + 1 :]), rank)
        if rank == 0:
            say(f"with {item.name}: {counters}\nwithout: {twin}")
        moved = torch.tensor(int(any(counters[name] != value for name, value in twin.items())))
        dist.broadcast(moved, 0)
        if not moved.item():
            return item.name
    return ""


def say(text: str) -> None:
    print(text, flush=True)


def leave(code: int) -> None:
    """Past the interpreter's end: now and then a thread of gloo outlives its group, and what then takes it down aborts."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def anywhere(rank: int, what: str) -> bool:
    """Whether a rank has something to tell, which it then tells. Collective."""
    if what:
        say(f"rank {rank}: {what}")
    one_has = torch.tensor(int(bool(what)))
    dist.all_reduce(one_has, op=dist.ReduceOp.MAX)
    return bool(one_has.item())


def bitwise_verdict(case: Case, rank: int) -> tuple[str, str]:
    expected, _ = run(alone(case), 0, of_case=False)
    got, counters = run(case, rank)
    difference = first_difference(expected, got, "the single-rank reference")
    if anywhere(rank, difference):
        return "differs", difference or "on another rank"
    if ignored := "" if case.apply else without_effect(case, rank, counters):
        return (
            "ignored",
            f"bitwise equal to the single-rank reference, but {ignored} changes nothing that is counted",
        )
    return "equal", "every loss, gradient and parameter is bitwise equal to the single-rank reference"


def float32_verdict(case: Case, rank: int) -> tuple[str, str]:
    """To repeat oneself is not to be right: what is as the second run is held against the noise floor."""
    got, counters = run(case, rank)
    again, _ = run(case, rank)
    difference = first_difference(again, got, "the second run")
    if anywhere(rank, difference):
        return "unstable", difference or "on another rank"
    floor: dict[Place, float] = {}
    float64, _ = run(in_float64(case), 0, of_case=False)
    for rounded in floor_cases(case):
        seen, _ = run(rounded, 0, of_case=False)
        floor = widened(floor, distances(float64, seen))
    if no_number := [describe_place(place) for place, noise in floor.items() if not math.isfinite(noise)]:
        return (
            "unrun",
            f"no noise floor: {no_number[0]} of the single-rank reference is not a number in this dtype",
        )
    place, distance, noise = farthest(distances(float64, got), floor)
    text = f"{describe_place(place)} is {distance:.1e} from a float64 single-rank run; rounding explains {noise:.1e}"
    if anywhere(rank, text if distance > FAR_BEYOND * noise else ""):
        return "differs", text if distance > FAR_BEYOND * noise else "on another rank"
    if ignored := "" if case.apply else without_effect(case, rank, counters):
        return (
            "ignored",
            f"close to the single-rank reference, but {ignored} changes nothing that is counted",
        )
    return "close", text


EXIT_CODES = {"equal": 0, "close": 0, "differs": 1, "ignored": 1, "unstable": 3, "unrun": 3}


def main(case: Case) -> int:
    rank = int(os.environ["RANK"])
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    if dist.get_world_size() != case.world_size:
        sys.exit(f"expected {case.world_size} ranks, got {dist.get_world_size()}")
    judged = float32_verdict if case.settings.arithmetic == "float32" else bitwise_verdict
    verdict, reason = judged(case, rank)
    dist.barrier()
    if rank == 0:
        say(f"verdict: {verdict}: {reason} (torch {torch.__version__})")
    dist.destroy_process_group()
    return EXIT_CODES[verdict]
