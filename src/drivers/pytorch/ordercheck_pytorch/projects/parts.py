"""What a case of a published project is made of: its own models, functions, loss and optimizer."""

from __future__ import annotations

import functools
import importlib
import sys

import torch
from torch import nn

from ..process_state import PROCESS
from ..program.absent import stand_in_for_modules
from ..program.apply import apply_items
from ..program.case import Case
from ..program.llama import initial_value
from ..program.parts import Parts
from ..program.task import token_task
from ..program.widen import widen
from .project import Project


def parts_of_project(project: Project, case: Case, device: str) -> Parts:
    widens = case.settings.dtype is torch.float64
    prepare(project, case, device, widens)
    return Parts(
        build=lambda where: make_model(project, case).to(where),
        transforms=project.transforms,
        apply=functools.partial(apply_items, case, project.transforms),
        task=lambda case: token_task(project.loss),
        optimizer=project.optimizer,
        default_dtype=torch.float64 if widens else torch.float32,
        configured=project.configured,
        notes=lambda applied: project.notes(),
        local_buffers=lambda program: list(project.local_buffers),
    )


def prepare(project: Project, case: Case, device: str, widens: bool) -> None:
    """From now on in this process its packages are importable, with what stands in."""
    if widens:
        widen(project.widened)
    if project.name not in PROCESS.prepared:
        sys.path.insert(0, str(project.folder))
        stand_in_for_modules(tuple(project.absent))
        project.prepare(device)
        PROCESS.prepared.add(project.name)
    forget_meshes()
    project.begin(case)


def forget_meshes() -> None:
    """Clears every cache of DTensor. They hold meshes by what is asked for: groups of the case before would stay; gloo has a
    thread for each that wakes up a hundred times a second. A project makes a dozen groups a case."""
    modules = [module for name, module in sys.modules.items() if name.startswith("torch.distributed.tensor")]
    for value in [value for module in modules for value in list(vars(module).values())]:
        for function in [value, *vars(value).values()] if isinstance(value, type) else [value]:
            cached = getattr(function, "__func__", function)
            if hasattr(cached, "cache_clear") and not isinstance(cached, type):
                cached.cache_clear()
    # Not every release has these.
    for module, name in (
        ("debug", "_clear_sharding_prop_cache"),
        ("_redistribute", "clear_redistribute_planner_cache"),
    ):
        function = getattr(importlib.import_module("torch.distributed.tensor." + module), name, None)
        if function is not None:
            function()


def make_model(project: Project, case: Case) -> nn.Module:
    torch.manual_seed(case.settings.seed)
    model = project.models[case.model](case)
    give_initial_values(model, case.settings.seed)
    return model


def give_initial_values(model: nn.Module, seed: int) -> None:
    """A project's initial values are for its own sizes. So parameters of up to two dims take values that are a
    function of the seed and their paths, so that none is zero."""
    with torch.no_grad():
        for path, parameter in model.named_parameters():
            if parameter.ndim <= 2:
                parameter.copy_(initial_value(seed, path, parameter))
