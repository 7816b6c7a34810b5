"""What the program of a case is made of: parts of this engine, or of a published project (projects/). A user's model and
function take the place of some."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import nn
from torch.distributed.device_mesh import DeviceMesh

from .apply import apply_items, apply_users_items
from .case import Case
from .cast import cast_model
from .catalogue import TRANSFORMS
from .llama import make_llama
from .placements import placements_in_words
from .same_weights import check_same_weights
from .task import cross_entropy_of
from .transforms.optimizer import apply_default_optimizer
from .transforms.program import Program, Site
from .transforms.transform import Transform
from .user_code import check_has_blocks, make_user_model
from .users_function import buffers_meant_to_be_local, users_function

Parameters = Sequence[tuple[str, nn.Parameter]]


def no_notes(parameters: Parameters, mesh: DeviceMesh | None) -> list[str]:
    return []


def local_buffers_of_transforms(program: Program) -> list[str]:
    return program.local_buffers


@dataclass(frozen=True)
class Parts:
    build: Callable[[str], nn.Module]  # on a device; every rank builds the same values, which are the seed's
    transforms: Mapping[str, Transform]
    apply: Callable[[Program, Site], None]  # the items of the stack, or a function that stands for them
    loss: Callable[[Any, Any], torch.Tensor]  # where the case names none
    optimizer: Callable[[Program, Site], None]  # of a stack that names none
    configured: Callable[[Case], dict[str, Any]]  # what Site.kept begins with
    default_dtype: torch.dtype = torch.float32
    counters: Mapping[str, int] = field(default_factory=dict)  # those that are 0 until a transform counts
    notes: Callable[[Parameters, DeviceMesh | None], list[str]] = no_notes  # once everything is applied
    local_buffers: Callable[[Program], list[str]] = local_buffers_of_transforms


def parts_of_engine(case: Case, device: str) -> Parts:
    settings = case.settings
    return Parts(
        build=lambda where: make_llama(settings.dtype, settings.seed, dropout_of(case.model)).to(where),
        transforms=TRANSFORMS,
        apply=functools.partial(apply_items, case, TRANSFORMS),
        loss=lambda output, labels: cross_entropy_of(output, labels, settings.dtype),
        optimizer=apply_default_optimizer,
        configured=lambda case: {},
        default_dtype=torch.float64 if case.widen and settings.dtype is torch.float64 else torch.float32,
        counters={"operators_kept": 0},
        local_buffers=lambda program: [*program.local_buffers, *buffers_meant_to_be_local(case)],
    )


def dropout_of(model: str) -> float:
    return 0.25 if model == "llama_dropout" else 0.0


def with_users_code(parts: Parts, case: Case) -> Parts:
    """Looked up before anything is built: what was named wrongly is no failure of the stack."""
    if case.apply:
        function, notes_of_parts = users_function(case), parts.notes

        def notes(parameters: Parameters, mesh: DeviceMesh | None) -> list[str]:
            return [*notes_of_parts(parameters, mesh), *placements_in_words(parameters, mesh)]

        apply = functools.partial(apply_users_items, case, parts.transforms, function)
        # It may keep what it likes: nobody counted.
        parts = replace(parts, apply=apply, notes=notes, counters={})
    if ":" in case.model:
        parts = with_users_model(parts, case)
    return parts


def with_users_model(parts: Parts, case: Case) -> Parts:
    casts: list[str] = []

    def build(device: str) -> nn.Module:
        model, casts[:] = build_users_model(case, device)
        return model

    return replace(
        parts, build=build, notes=lambda parameters, mesh: [*casts, *parts.notes(parameters, mesh)]
    )


def build_users_model(case: Case, device: str) -> tuple[nn.Module, list[str]]:
    """The model and a note of what was cast."""
    model = make_user_model(case.model, case.settings.seed).to(device)
    casts = cast_model(model, case.settings.dtype)
    check_same_weights(model, case.model)
    if not case.apply and any(item.kind == "layout" for item in case.items):
        check_has_blocks(model, case.model)
    return model, casts
