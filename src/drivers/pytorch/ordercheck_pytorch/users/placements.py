"""What a user's function did to the parameters, as their placements show it: what it is judged by is said with it."""

from __future__ import annotations

from collections.abc import Sequence

from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor

from .expert_mesh import IN, MOD

_MOST_NAMES = 4


def placements_in_words(parameters: Sequence[tuple[str, nn.Parameter]], mesh: DeviceMesh | None) -> list[str]:
    """A line an axis of the mesh: "over tp: 14 of 21 parameters split, 2 replicated, 5 not distributed (norm.weight, ...)"."""
    if mesh is None:
        return []
    return [_over(axis, parameters) for axis in axes_of(mesh)]


def axes_of(mesh: DeviceMesh) -> list[str]:
    """With the flattened ones that a function with experts splits over."""
    names = list(mesh.mesh_dim_names or ())
    if MOD not in names:
        return names
    return [*(name for name in names if name not in (MOD, IN)), "dp_shard", MOD, "ep"]


def _over(axis: str, parameters: Sequence[tuple[str, nn.Parameter]]) -> str:
    split, replicated, absent = 0, 0, []
    for name, parameter in parameters:
        names = parameter.device_mesh.mesh_dim_names or () if isinstance(parameter, DTensor) else ()
        if axis not in names:
            absent.append(name)
        elif parameter.placements[names.index(axis)].is_replicate():  # type: ignore[attr-defined]
            replicated += 1
        else:  # Shard, or the _StridedShard of two axes on one dim, which is no Shard
            split += 1
    of_all = split + replicated + len(absent)
    text = f"over {axis}: {split} of {of_all} parameters split, {replicated} replicated, {len(absent)} not distributed"
    if absent and len(absent) < of_all:
        more = ", ..." if len(absent) > _MOST_NAMES else ""
        text += f" ({', '.join(absent[:_MOST_NAMES])}{more})"
    return text
