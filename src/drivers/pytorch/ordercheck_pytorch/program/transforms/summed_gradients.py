"""Gradients of sharded modules as sums."""

from __future__ import annotations

from torch import nn
from torch.distributed.fsdp import FSDPModule


def sum_gradients(module: nn.Module) -> None:
    """Gradients are added up, not averaged: the loss is divided by the tokens of the whole step already."""
    assert isinstance(module, FSDPModule)
    if hasattr(module, "set_gradient_divide_factor"):
        module.set_gradient_divide_factor(1.0)
    else:  # before torch 2.8
        module.set_reduce_scatter_divide_factor(1.0)
    if hasattr(module, "set_force_sum_reduction_for_comms"):
        # Gloo has no reduction that multiplies, which float32 would be reduced with though the factor is one.
        module.set_force_sum_reduction_for_comms(True)
