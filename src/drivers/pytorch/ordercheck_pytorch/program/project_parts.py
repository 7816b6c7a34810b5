"""What a case of a published project is made of: its own models, functions, loss and optimizer."""

from __future__ import annotations

import functools
import sys

import torch
from torch import nn

from ..process_state import PROCESS
from .absent import stand_in_for_modules
from .apply import apply_items
from .case import Case
from .parts import Parts
from .project import Project
from .user_code import give_initial_values
from .widen import widen


def parts_of_project(project: Project, case: Case, device: str) -> Parts:
    widens = case.settings.dtype is torch.float64
    prepare(project, device, widens)
    return Parts(
        build=lambda where: make_model(project, case.model, case.settings.seed).to(where),
        transforms=project.transforms,
        apply=functools.partial(apply_items, case, project.transforms),
        loss=project.loss,
        optimizer=project.optimizer,
        default_dtype=torch.float64 if widens else torch.float32,
        configured=project.configured,
        notes=lambda parameters, mesh: project.notes(),
        local_buffers=lambda program: list(project.local_buffers),
    )


def prepare(project: Project, device: str, widens: bool) -> None:
    """From now on in this process its packages are importable, with what stands in."""
    if widens:
        widen(project.widened)
    if project.name not in PROCESS.prepared:
        sys.path.insert(0, str(project.folder))
        stand_in_for_modules(tuple(project.absent))
        project.prepare(device)
        PROCESS.prepared.add(project.name)
    project.begin()


def make_model(project: Project, name: str, seed: int) -> nn.Module:
    torch.manual_seed(seed)
    model = project.models[name]()
    give_initial_values(model, seed)
    return model
