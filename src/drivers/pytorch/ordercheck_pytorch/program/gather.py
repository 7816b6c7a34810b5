"""Full tensors, and a rank's part of them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.distributed.tensor import DTensor, Partial, Replicate

from ..torch_compat import layout_beside
from .exact.kernels import Unsupported


def full(tensor: torch.Tensor) -> torch.Tensor:
    """On every rank that holds a part: the whole, float64 on the CPU. Collective over the tensor's mesh."""
    whole = tensor.full_tensor() if isinstance(tensor, DTensor) else tensor
    return whole.detach().to(device="cpu", dtype=torch.float64, copy=True).contiguous()


def whole(tensor: torch.Tensor) -> torch.Tensor:
    """The full tensor, of a DTensor. Collective over its mesh."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def local(tensor: torch.Tensor) -> torch.Tensor:
    """The part that this rank holds; shares its memory. What is elementwise need not go through DTensor's dispatch."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def with_layout(part: torch.Tensor, parameter: torch.Tensor) -> torch.Tensor:
    """`part`, of `parameter` or its gradient, as the DTensor that it is a part of. A DDP that is given a mesh keeps the local
    part of a DTensor as the parameter, and its layout beside it (torch.distributed.tensor.parallel.ddp)."""
    layout = layout_beside(parameter)
    if layout is None:
        return part
    return DTensor.from_local(
        part.detach(),
        layout.mesh,
        layout.placements,
        run_check=False,
        shape=layout.shape,
        stride=layout.stride,
    )


def laid_out_alike(a: torch.Tensor, b: DTensor) -> bool:
    return isinstance(a, DTensor) and (a.shape, a.placements, a.device_mesh) == (
        b.shape,
        b.placements,
        b.device_mesh,
    )


def is_laid_out_over(tensor: torch.Tensor, axis: str) -> bool:
    """Whether its mesh has the axis, by itself or joined behind another: dp_shard_cp."""
    names = (tensor.device_mesh.mesh_dim_names or ()) if isinstance(tensor, DTensor) else ()
    return any(name == axis or name.endswith(f"_{axis}") for name in names)


def full_of_all(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """`full` of each; those of one shape and one layout take one collective together."""
    first = tensors[0]
    if not isinstance(first, DTensor) or not all(laid_out_alike(t, first) for t in tensors):
        return [full(t) for t in tensors]
    shape = torch.Size([*first.shape, len(tensors)])  # along a new last dim no placement changes
    stacked = DTensor.from_local(
        torch.stack([local(t) for t in tensors], dim=-1),
        first.device_mesh,
        first.placements,
        run_check=False,
        shape=shape,
        stride=torch.empty(shape, device="meta").stride(),
    )
    return [whole.contiguous() for whole in full(stacked).unbind(-1)]


def sum_over_ranks(zero: torch.Tensor, parts: Sequence[tuple[torch.Tensor, torch.Tensor]]) -> torch.Tensor:
    """Of pairs (a 0-dim sum over a rank's part, the tensor it is a part of): the sum over all parts, each counted once. One
    collective a layout. `zero` is what it starts from: its dtype is the same on a rank that has no part."""
    totals: dict[tuple[object, ...], tuple[torch.Tensor, DTensor]] = {}
    total = zero
    for part, whole in parts:
        if not isinstance(whole, DTensor):
            total = total + part
            continue
        key = (whole.device_mesh, *(p.is_replicate() for p in whole.placements))
        before = totals.get(key)
        totals[key] = (part if before is None else before[0] + part, whole)
    for part, whole in totals.values():
        layout = [Replicate() if p.is_replicate() else Partial() for p in whole.placements]
        total = total + DTensor.from_local(part, whole.device_mesh, layout, run_check=False).full_tensor()
    return total


def summed(gradient: torch.Tensor) -> torch.Tensor:
    """A gradient whose ranks hold parts of a sum, as sequence parallel leaves that of a norm, with the sum taken."""
    if not isinstance(gradient, DTensor) or not any(p.is_partial() for p in gradient.placements):
        return gradient
    return gradient.redistribute(
        placements=[Replicate() if p.is_partial() else p for p in gradient.placements]
    )


def check_is_whole(name: str, tensor: torch.Tensor, shape: tuple[int, ...], rank: int) -> None:
    """Raises Unsupported for a part that is handed over as if it were the whole."""
    if tuple(tensor.shape) != shape:
        raise Unsupported(
            f"{name} is {list(tensor.shape)} on rank {rank}, the model as built has {list(shape)}: a plain tensor does not "
            "say what it is a part of; expected a DTensor"
        )
