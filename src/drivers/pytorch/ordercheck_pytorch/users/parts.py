"""The parts of a case of which a user wrote some: they take the place of this engine's or a project's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace

import torch
from torch import nn

from ..program.case import Case
from ..program.cast import cast_model
from ..program.exact.kernels import Unsupported
from ..program.gather import full, with_layout
from ..program.parts import Applied, Parts
from ..program.transforms.program import Program, Site
from .added import parameters_added
from .apply import apply_users_items
from .expert_mesh import users_mesh
from .optimizer import users_optimizer
from .placements import placements_in_words
from .same_weights import check_same_weights
from .task import users_task
from .trainer import users_trainer
from .user_code import check_has_blocks, make_user_model
from .users_function import buffers_meant_to_be_local, model_after, users_function


def parts_with_users_code(parts_of: Callable[[Case, str], Parts], case: Case, device: str) -> Parts:
    """Looks up what the case names before anything is built: what was named wrongly is no failure of the stack."""
    parts = parts_of(case, device)
    torch.set_default_dtype(
        parts.default_dtype
    )  # before a module of the user makes a tensor as it is imported
    task = users_task(case, parts.task(case))
    parts = replace(parts, task=lambda case: task)
    if case.optimizer:
        parts = replace(parts, optimizer=users_optimizer(case))
    if case.optimizer or case.step:
        parts = replace(parts, trainer=users_trainer(case))
    if ":" in case.model:
        parts = with_users_model(parts, case)
    if case.apply:
        parts = with_users_function(parts, case)
    elif case.reference_apply:
        parts = with_users_function_on_one_rank(parts, case)
    if case.apply or case.reference_apply or ":" in case.model:
        of_parts = parts.local_buffers
        parts = replace(
            parts, local_buffers=lambda program: [*of_parts(program), *buffers_meant_to_be_local(case)]
        )
    return parts


def with_users_function(parts: Parts, case: Case) -> Parts:
    function, notes_of_parts = users_function(case.apply), parts.notes
    if case.step and case.axes("sequence") and function.shard_batch is None:
        raise Unsupported(
            f"{case.step} gets whole sequences on every rank of cp; expected {case.apply}.shard_batch, which splits them"
        )

    def notes(applied: Applied) -> list[str]:
        return [
            *notes_of_parts(applied),
            *placements_in_words(applied.parameters, applied.mesh),
            *changed_values(applied),
        ]

    apply = functools.partial(apply_users_items, case, parts.transforms, function)
    # A function may keep any operator, and nothing counts these.
    return replace(parts, apply=apply, notes=notes, counters={}, mesh=users_mesh)


def with_users_function_on_one_rank(parts: Parts, case: Case) -> Parts:
    """The reference is the model as built. The function is applied to it in two cases only, since an error that it makes on one
    rank too is not seen: it casts, or it adds parameters."""
    function = users_function(case.reference_apply)
    if any(
        item.kind == "layout" for item in case.items
    ):  # a layout item of a reference casts, or names an axis
        return replace(
            parts, apply=functools.partial(apply_users_items, case, parts.transforms, function), counters={}
        )

    def apply(program: Program, site: Site) -> None:
        added = parameters_added(function, program.model, case.reference_apply)
        if added:
            program.model = model_after(function, program.model, None, case.reference_apply)
            program.notes.append(f"{case.reference_apply} adds {added} on one rank too")
        parts.apply(program, site)

    return replace(parts, apply=apply)


def changed_values(applied: Applied) -> list[str]:
    """A note of parameters that a user's function gave new values, which one rank does not have. Collective over the meshes of
    those that are DTensors."""
    if applied.program.notes:  # a note says that ranks were started with other values
        return []
    names = []
    for name, parameter in applied.parameters:
        value = full(with_layout(parameter, parameter))
        if value.shape == applied.initial[name].shape and not torch.equal(value, applied.initial[name]):
            names.append(name)
    if not names:
        return []
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return [f"your function drew new values for {names[0]}{more}; one rank has those of the factory"]


def with_users_model(parts: Parts, case: Case) -> Parts:
    casts: list[str] = []

    def build(device: str) -> nn.Module:
        model, casts[:] = build_users_model(case, device)
        return model

    return replace(parts, build=build, notes=lambda applied: [*casts, *parts.notes(applied)])


def build_users_model(case: Case, device: str) -> tuple[nn.Module, list[str]]:
    """The model and a note of what was cast."""
    model = make_user_model(case.model, case.settings.seed).to(device)
    casts = cast_model(model, case.settings.dtype)
    check_same_weights(model, case.model)
    if not (case.apply or case.reference_apply) and any(item.kind == "layout" for item in case.items):
        check_has_blocks(model, case.model)
    return model, casts
