"""AdamW's fused kernel, elementwise: one rounding a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .elementwise import square_root
from .kernels import is_exact, kernel, stock_path


def _power(base: float, exponent: int) -> float:
    """Multiplied up: the last bit of pow is the C library's own."""
    result = 1.0
    for _ in range(exponent):
        result *= base
    return result


@kernel("_fused_adamw_")
def fused_adamw(
    params: Sequence[torch.Tensor],
    grads: Sequence[torch.Tensor],
    exp_avgs: Sequence[torch.Tensor],
    exp_avg_sqs: Sequence[torch.Tensor],
    max_exp_avg_sqs: Sequence[torch.Tensor],
    state_steps: Sequence[torch.Tensor],
    *,
    lr: float,
    beta1: float,
    beta2: float,
    weight_decay: float,
    eps: float,
    amsgrad: bool,
    maximize: bool,
    grad_scale: Any = None,
    found_inf: Any = None,
) -> None:
    for p, g, first, second, step in zip(params, grads, exp_avgs, exp_avg_sqs, state_steps, strict=True):
        if not is_exact(p) or amsgrad or grad_scale is not None:
            stock_path("_fused_adamw_", p, why="with amsgrad or a gradient scaler" if is_exact(p) else "")
        gradient = -g if maximize else g
        p.mul_(1 - lr * weight_decay)
        first.mul_(beta1).add_(gradient * (1 - beta1))
        second.mul_(beta2).add_((gradient * gradient) * (1 - beta2))
        taken = int(step)
        root = square_root(second / (1 - _power(beta2, taken)))
        p.sub_((first / root.add_(eps)) * (lr / (1 - _power(beta1, taken))))
