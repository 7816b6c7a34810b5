"""Gradients of sharded modules as sums."""

from __future__ import annotations

import torch
from torch import nn
from torch.distributed.fsdp import FSDPModule

from ...torch_compat import can_set_divide_factor, set_divide_factor, sum_in_reductions


def sum_gradients(module: nn.Module) -> None:
    """Gradients are added up, not averaged: the loss is divided by the tokens of the whole step already."""
    assert isinstance(module, FSDPModule)
    if not divides_always(next(module.parameters()).dtype):
        set_divide_factor(module, 1.0)
    sum_in_reductions(module)


def divides_always(dtype: torch.dtype) -> bool:
    """Where a factor is for float32 and bfloat16 alone, gradients of other types are divided by the number of ranks, in part
    before they are added and in part after (_get_gradient_divide_factors), whatever was set."""
    return not can_set_divide_factor() and dtype not in (
        torch.float32,
        torch.bfloat16,
    )
