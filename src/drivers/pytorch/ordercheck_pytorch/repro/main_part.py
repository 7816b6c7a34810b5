"""The main of a reproduction script: the model on one rank, the case, and the comparison."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
import traceback
from types import SimpleNamespace  # noqa: F401 (the catalogue of the script is made of them)

import torch
import torch.distributed as dist

from ..observe.graphs import forget_graphs, graph_counters
from ..observe.operators import OperatorMeter
from ..observe.wording import first_line
from ..program.case import MESH_AXES, Case, numeric_part
from ..program.rank import Yield, run_rank
from ..program.watch import Watch


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


def run(case: Case, rank: int) -> tuple[Yield, dict[str, int]]:
    """What the rank saw, and its counters."""
    forget_graphs()
    observed = Observed(rank)
    try:
        seen = run_rank(case, rank, "cpu", observed)
    except Exception as error:
        traceback.print_exc()
        say(
            f"verdict: fails in {observed.now} on rank {rank}: {type(error).__name__}: {first_line(str(error))}"
        )
        os._exit(1)  # torchrun ends the ranks that wait for this one
    counters = seen.counters | graph_counters() | (observed.meter.counters() if observed.meter else {})
    return seen, counters


def alone(case: Case) -> Case:
    """The model on one rank, with what changes numbers and nothing else."""
    numeric = tuple(part for item in case.items if (part := numeric_part(item)))
    return dataclasses.replace(case, items=numeric, apply="", mesh=dict.fromkeys(MESH_AXES, 1))


def first_difference(expected: Yield, got: Yield, owner: str) -> str:
    """In the order of a step: loss, gradients, gradient norm; then the parameters. "" when every bit is there."""
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
    return ""


def without_effect(case: Case, rank: int, counters: dict[str, int]) -> str:
    """The first item that has no mesh axis and moves none of rank 0's counters. Collective."""
    for index, item in enumerate(case.items):
        if item.name not in ("ac", "sac", "compile"):
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


def main(case: Case) -> int:
    rank = int(os.environ["RANK"])
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    if dist.get_world_size() != case.world_size:
        sys.exit(f"expected {case.world_size} ranks, got {dist.get_world_size()}")
    expected, _ = run(alone(case), 0)
    got, counters = run(case, rank)
    owner = "one rank"
    if case.settings.arithmetic == "native":
        if rank == 0:
            pairs = zip(got.losses, expected.losses, strict=True)
            say("losses, and of one rank: " + ", ".join(f"{a!r} ({b!r})" for a, b in pairs))
        (expected, _), owner = run(case, rank), "the second run"
    difference = first_difference(expected, got, owner)
    if difference:
        say(f"rank {rank}: {difference}")
    anywhere = torch.tensor(int(bool(difference)))
    dist.all_reduce(anywhere, op=dist.ReduceOp.MAX)
    ignored = "" if anywhere.item() or case.apply else without_effect(case, rank, counters)
    dist.barrier()
    if rank == 0:
        differs = f"differs: {difference or 'on another rank'}"
        equal = f"equal: every loss, gradient and parameter has the bits of {owner}"
        nothing = f"ignored: every bit is there, but {ignored} changes nothing that is counted"
        say(
            f"verdict: {differs if anywhere.item() else nothing if ignored else equal} (torch {torch.__version__})"
        )
    dist.destroy_process_group()
    return int(bool(anywhere.item() or ignored))
