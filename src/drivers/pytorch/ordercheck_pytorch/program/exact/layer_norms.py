"""Layer norm: means of exact terms, everything else elementwise. nn.RMSNorm needs no kernel: it is made of others."""

from __future__ import annotations

from typing import Any

import torch

from .kernels import is_exact, kernel, stock_path
from .sums import mean_dim, sum_dim


@kernel("native_layer_norm")
def layer_norm(
    x: torch.Tensor, shape: Any, weight: torch.Tensor | None, bias: torch.Tensor | None, eps: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    if not is_exact(x):
        return stock_path("native_layer_norm", x, shape, weight, bias, eps)
    x = x.contiguous()  # as the stock kernel's result is
    dims = list(range(-len(shape), 0))
    mean = mean_dim(x, dims, True)
    centered = x - mean
    rstd = (mean_dim(centered * centered, dims, True) + eps).rsqrt_()
    y = centered * rstd
    if weight is not None:
        y = y * weight
    if bias is not None:
        y = y + bias
    return y, mean, rstd


@kernel("native_layer_norm_backward")
def layer_norm_backward(
    g: torch.Tensor,
    x: torch.Tensor,
    shape: Any,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    mask: Any,
) -> Any:
    if not is_exact(x):
        return stock_path("native_layer_norm_backward", g, x, shape, mean, rstd, weight, bias, mask)
    dims, lead = list(range(-len(shape), 0)), list(range(x.ndim - len(shape)))
    g, x = g.contiguous(), x.contiguous()
    normed = (x - mean) * rstd
    to_x = to_weight = to_bias = None
    if mask[0]:
        to_normed = g * weight if weight is not None else g
        shift = mean_dim(to_normed, dims, True)
        to_x = (to_normed - shift - normed * mean_dim(to_normed * normed, dims, True)) * rstd
    if mask[1] and weight is not None:
        to_weight = sum_dim(g * normed, lead) if lead else g * normed
    if mask[2] and bias is not None:
        to_bias = sum_dim(g, lead) if lead else g.clone()
    return to_x, to_weight, to_bias
