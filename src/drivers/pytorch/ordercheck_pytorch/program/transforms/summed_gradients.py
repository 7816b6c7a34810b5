"""Gradients of sharded modules as sums."""

from __future__ import annotations

import torch
from torch import nn
from torch.distributed.fsdp import FSDPModule


def sum_gradients(module: nn.Module) -> None:
    """Gradients are added up, not averaged: the loss is divided by the tokens of the whole step already."""
    assert isinstance(module, FSDPModule)
    if hasattr(module, "set_gradient_divide_factor"):
        module.set_gradient_divide_factor(1.0)
    elif not divides_always(next(module.parameters()).dtype):
        module.set_reduce_scatter_divide_factor(1.0)
    if hasattr(module, "set_force_sum_reduction_for_comms"):
        # Gloo has no reduction that multiplies, which float32 would be reduced with though the factor is one.
        module.set_force_sum_reduction_for_comms(True)


def divides_always(dtype: torch.dtype) -> bool:
    """Before torch 2.8 a factor is for float32 and bfloat16: gradients of other types are divided by the number of ranks, in
    part before they are added and in part after (_get_gradient_divide_factors), whatever was set."""
    return not hasattr(FSDPModule, "set_gradient_divide_factor") and dtype not in (
        torch.float32,
        torch.bfloat16,
    )
