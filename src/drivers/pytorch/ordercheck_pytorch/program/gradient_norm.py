"""Clipping by the total norm, with PyTorch's own functions and what a trainer has to add to them.

torch.nn.utils.get_total_norm takes the gradients of one mesh: it refuses DTensors of several meshes, and DTensors
beside plain tensors. torchtitan therefore takes the norm of experts by itself, and adds up the stages of a pipeline,
whose gradients no rank has all of. The same is done here for every group of gradients that lie on one mesh; a model on
one mesh, or on none, has one group. A DDP that is given a mesh hands out local parts of DTensors, whose norm is that of
a part: they are laid out as what they are parts of first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor

SEVERAL_MESHES = (
    "clip: gradients lie on {} meshes; the norm is taken of each, which clip_grad_norm_ alone refuses to do"
)
LOCAL_PARTS = "clip: gradients are local parts of DTensors; the norm is of the whole, where clip_grad_norm_ takes a part's"

# A parameter, and its gradient as the norm is to see it.
WithGradient = tuple[torch.Tensor, torch.Tensor]


def groups_by_mesh(parameters: Iterable[WithGradient]) -> list[list[WithGradient]]:
    """In their order."""
    groups: dict[object, list[WithGradient]] = {}
    for parameter, gradient in parameters:
        mesh = gradient.device_mesh if isinstance(gradient, DTensor) else None
        groups.setdefault(mesh, []).append((parameter, gradient))
    return list(groups.values())


def clip_by_total_norm(
    groups: Sequence[Sequence[WithGradient]],
    clip: float,
    stages: Iterable[dist.ProcessGroup],
    zero: torch.Tensor,
) -> torch.Tensor:
    """Clips in place. The norm before that. Collective over the meshes and the stages."""
    norms = []
    for group in groups:
        norm = torch.nn.utils.get_total_norm([gradient for _, gradient in group])
        norms.append(norm.full_tensor() if isinstance(norm, DTensor) else norm)
    norm = norms[0] if len(norms) == 1 else torch.linalg.vector_norm(torch.stack(norms)) if norms else zero
    for stage in stages:
        squares = norm**2
        dist.all_reduce(squares, group=stage)
        norm = squares**0.5
    for group in groups:
        torch.nn.utils.clip_grads_with_norm_([parameter for parameter, _ in group], clip, norm)
    return norm
