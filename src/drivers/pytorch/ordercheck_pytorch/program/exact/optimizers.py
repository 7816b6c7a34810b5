"""AdamW's fused kernel, elementwise: one rounding a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .elementwise import square_root
from .kernels import ALSO_STOCK, is_exact, kernel, number, stock_path
from .stock import stock


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
    for p in params:
        if not is_exact(p) or amsgrad or grad_scale is not None:
            stock_path("_fused_adamw_", p, why="with amsgrad or a gradient scaler" if is_exact(p) else "")
    # Moments are updated elementwise: on the grid of sums of gradients, the square of a small gradient would be 0.
    times, times_, plus_ = stock("mul.Tensor"), stock("mul_.Tensor"), stock("add_.Tensor")
    take_off_ = stock("sub_.Tensor")  # which, as the fused kernel, leaves the version counter of p alone
    decay, keep_first, keep_second = number(1 - lr * weight_decay), number(beta1), number(beta2)
    take_first, take_second = number(1 - beta1), number(1 - beta2)
    corrections: dict[int, tuple[float, torch.Tensor]] = {}
    for p, g, first, second, step in zip(params, grads, exp_avgs, exp_avg_sqs, state_steps, strict=True):
        taken = int(step)
        if taken not in corrections:
            corrections[taken] = 1 - _power(beta2, taken), number(lr / (1 - _power(beta1, taken)))
        of_second, rate = corrections[taken]
        gradient = -g if maximize else g
        times_(p, decay)
        plus_(times_(first, keep_first), times(gradient, take_first))
        plus_(times_(second, keep_second), times_(times(gradient, gradient), take_second))
        root = square_root(second / of_second).sub_(-eps)
        take_off_(p, times_(first / root, rate))


ALSO_STOCK.update(("add_.Tensor", "sub_.Tensor"))
