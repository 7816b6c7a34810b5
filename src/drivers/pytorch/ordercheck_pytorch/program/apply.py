"""Applies the items of a case's stack to its model, in their order, and makes the mesh that they need."""

from __future__ import annotations

from collections.abc import Mapping

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from .apart import start_apart
from .case import Case, Item
from .transforms.program import Program, Site
from .transforms.transform import Transform


def apply_items(case: Case, transforms: Mapping[str, Transform], program: Program, site: Site) -> None:
    for item in case.items:
        start_ranks_apart(case, item, transforms, program, site)
        transforms[item.name].apply(program, item, site)


def start_ranks_apart(
    case: Case, item: Item, transforms: Mapping[str, Transform], program: Program, site: Site
) -> str:
    """Of what the item promises to broadcast. The axis whose ranks hold other values now, or ""."""
    if (broadcasts := transforms[item.name].broadcasts) is None:
        return ""
    promised = broadcasts(program, item)
    start_apart(program.model, promised, site.axis(promised.axis).get_local_rank(), case.settings.seed)
    return promised.axis if promised.parameters else ""


def degrees_of(case: Case) -> dict[str, int]:
    """Of every axis of the mesh, and of items whose ranks are carved from several axes, with their options that are degrees."""
    carved: dict[str, int] = {}
    for item in case.items:
        if item.degrees and not item.axes:
            carved[item.name] = item.degrees[0]
            carved |= {name: int(value) for name, value in item.options.items() if value.isdigit()}
    return case.mesh | carved


def make_mesh(case: Case, device: str) -> DeviceMesh | None:
    """Of the axes that have several ranks or that an item asks for, in the order of the case's mesh."""
    asked_for = {axis for item in case.items for axis in item.axes}
    axes = [axis for axis, degree in case.mesh.items() if degree > 1 or axis in asked_for]
    if not axes:
        return None
    if case.world_size == 1:
        # Of the rank itself, which need not be alone: a script of repro runs the reference on each of its ranks, and
        # init_device_mesh would take rank 0.
        own = torch.full((1,) * len(axes), dist.get_rank())
        return DeviceMesh(device, own, mesh_dim_names=tuple(axes))
    return init_device_mesh(device, tuple(case.mesh[a] for a in axes), mesh_dim_names=tuple(axes))
