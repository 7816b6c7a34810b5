"""RMSNorm, which GPUs have one kernel for: forward by the steps that a CPU composes it of, backward by the formula of the stock
kernel, its sums exact."""

from __future__ import annotations

import sys
from typing import Any

import torch

from .kernels import is_exact, kernel_of_gpus, stock_path
from .sums import mean_dim, sum_dim


@kernel_of_gpus("_fused_rms_norm")
def rms_norm(
    x: torch.Tensor, shape: Any, weight: torch.Tensor | None, eps: float | None
) -> tuple[torch.Tensor, torch.Tensor]:
    if not is_exact(x):
        return stock_path("_fused_rms_norm", x, shape, weight, eps)
    x = x.contiguous()  # as the stock kernel's result is
    mean = mean_dim(x * x, list(range(-len(shape), 0)), True)
    scale = (mean + (sys.float_info.epsilon if eps is None else eps)).rsqrt_()
    y = x * scale
    return (y if weight is None else y * weight), scale


@kernel_of_gpus("_fused_rms_norm_backward")
def rms_norm_backward(
    g: torch.Tensor, x: torch.Tensor, shape: Any, scale: torch.Tensor, weight: torch.Tensor | None, mask: Any
) -> Any:
    if not is_exact(x):
        return stock_path("_fused_rms_norm_backward", g, x, shape, scale, weight, mask)
    dims, lead = list(range(-len(shape), 0)), list(range(x.ndim - len(shape)))
    g, y = g.contiguous(), x.contiguous() * scale
    to_x = to_weight = None
    if mask[0]:
        to_y = g if weight is None else g * weight
        to_x = (to_y - y * mean_dim(to_y * y, dims, True)) * scale
    if mask[1] and weight is not None:
        to_weight = sum_dim(g * y, lead) if lead else g * y
    return to_x, to_weight
