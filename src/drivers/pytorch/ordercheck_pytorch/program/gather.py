"""Full tensors, and the model's own names for them."""

from __future__ import annotations

import torch
from torch.distributed.tensor import DTensor, Replicate

WRAPPERS = {"_checkpoint_wrapped_module", "_orig_mod", "_fsdp_wrapped_module", "module"}


def clean_name(path: str) -> str:
    """The path in the model as built: without what wrappers put in."""
    return ".".join(part for part in path.split(".") if part not in WRAPPERS)


def full(tensor: torch.Tensor) -> torch.Tensor:
    """On every rank that holds a part: the whole, float64 on the CPU. Collective over the tensor's mesh."""
    whole = tensor.full_tensor() if isinstance(tensor, DTensor) else tensor
    return whole.detach().to(device="cpu", dtype=torch.float64, copy=True).contiguous()


def summed(gradient: torch.Tensor) -> torch.Tensor:
    """A gradient whose ranks hold parts of a sum, as sequence parallel leaves that of a norm, with the sum taken."""
    if not isinstance(gradient, DTensor) or not any(p.is_partial() for p in gradient.placements):
        return gradient
    return gradient.redistribute(
        placements=[Replicate() if p.is_partial() else p for p in gradient.placements]
    )
