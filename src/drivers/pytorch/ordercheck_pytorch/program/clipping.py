"""What torchtitan's trainer adds to torch.nn.utils.clip_grad_norm_, for clip=per_mesh.

clip_grad_norm_ takes the gradients of one mesh: it refuses DTensors of several meshes, and DTensors beside plain tensors. And
it knows nothing of the other stages of a pipeline: each would be clipped by a norm of its own. So the norm is taken of the
gradients of each mesh, and squares are added up over meshes and stages, as torchtitan does for experts and stages. A DDP that
is given a mesh hands out local parts of DTensors, whose norm is that of a part: they are laid out as what they are parts of
first. Clipping is PyTorch's own, mesh by mesh."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor import DTensor

from .gather import whole, with_layout

PER_MESH = "clip=per_mesh: the norm is taken mesh by mesh and added up over stages, which clip_grad_norm_ alone does not do"


def clip_per_mesh(
    parameters: Sequence[nn.Parameter], max_norm: float, stages: Iterable[dist.ProcessGroup], foreach: bool | None
) -> torch.Tensor:
    """Of the parameters that the optimizer has. Clips in place. The norm before that. Collective over the meshes and the stages."""
    with_gradient = [p for p in parameters if p.grad is not None]
    groups: dict[object, list[nn.Parameter]] = {}
    for parameter in with_gradient:
        groups.setdefault(mesh_of(laid_out_gradient(parameter)), []).append(parameter)
    norms = [
        whole(torch.nn.utils.get_total_norm([laid_out_gradient(p) for p in group])) for group in groups.values()
    ]
    # A stage without a parameter that was trained still adds up with the others.
    norm = torch.zeros(()) if not norms else norms[0] if len(norms) == 1 else torch.nn.utils.get_total_norm(norms)
    for stage in stages:
        squares = norm**2
        dist.all_reduce(squares, group=stage)
        norm = squares**0.5
    for group in groups.values():
        torch.nn.utils.clip_grads_with_norm_(group, max_norm, norm, foreach)
    return norm


def laid_out_gradient(parameter: nn.Parameter) -> torch.Tensor:
    assert parameter.grad is not None
    return with_layout(parameter.grad, parameter)


def mesh_of(gradient: torch.Tensor) -> object:
    return gradient.device_mesh if isinstance(gradient, DTensor) else None
