"""What the program of a case is made of: parts of this engine, or of a published project (projects/). users/ replaces some by a
user's own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch.distributed.device_mesh import DeviceMesh

from .apply import apply_items, make_mesh
from .case import Case
from .catalogue import TRANSFORMS
from .llama import make_llama
from .task import Task, cross_entropy_of, token_task
from .train import Trainer
from .transforms.optimizer import apply_default_optimizer
from .transforms.program import Program, Site
from .transforms.transform import Transform
from .watch import Watch

Parameters = Sequence[tuple[str, nn.Parameter]]


@dataclass(frozen=True)
class Applied:
    """What a rank has when everything is applied."""

    program: Program
    parameters: Parameters  # with their names in the model as built
    initial: Mapping[str, torch.Tensor]  # their full values in the model as built
    mesh: DeviceMesh | None


def no_notes(applied: Applied) -> list[str]:
    return []


def local_buffers_of_transforms(program: Program) -> list[str]:
    return program.local_buffers


@dataclass(frozen=True)
class Parts:
    build: Callable[[str], nn.Module]  # on a device; every rank builds the same values, which are the seed's
    transforms: Mapping[str, Transform]
    apply: Callable[[Program, Site], None]  # the items of the stack, or a function that stands for them
    task: Callable[[Case], Task]
    optimizer: Callable[[Program, Site], None]  # of a stack that names none
    configured: Callable[[Case], dict[str, Any]]  # what Site.kept begins with
    default_dtype: torch.dtype = torch.float32
    counters: Mapping[str, int] = field(default_factory=dict)  # those that are 0 until a transform counts
    notes: Callable[[Applied], list[str]] = no_notes  # collective over all ranks
    local_buffers: Callable[[Program], list[str]] = local_buffers_of_transforms
    mesh: Callable[[Case, str], DeviceMesh | None] = make_mesh  # on a device
    trainer: Callable[[Case, int, str, Task, Program, Watch], Trainer] = Trainer


def parts_of_engine(case: Case, device: str) -> Parts:
    settings = case.settings
    return Parts(
        build=lambda where: make_llama(settings.dtype, settings.seed, case.model).to(where),
        transforms=TRANSFORMS,
        apply=functools.partial(apply_items, case, TRANSFORMS),
        task=lambda case: token_task(functools.partial(cross_entropy_of, dtype=settings.dtype)),
        optimizer=apply_default_optimizer,
        configured=lambda case: {},
        default_dtype=torch.float64 if case.widen and settings.dtype is torch.float64 else torch.float32,
        counters={"operators_kept": 0},
    )
