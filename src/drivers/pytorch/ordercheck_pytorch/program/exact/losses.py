"""The sum of losses of a cross entropy."""

from __future__ import annotations

from typing import Any

import torch

from .grid import sum_bits
from .kernels import MEAN, SUM, into, is_exact, kernel, stock_path
from .stock import stock
from .sums import sum_of_terms


@kernel("nll_loss_forward")
def nll_loss(
    x: torch.Tensor, target: torch.Tensor, weight: Any, reduction: int, ignore_index: int
) -> tuple[torch.Tensor, torch.Tensor]:
    if not is_exact(x) or weight is not None:
        why = "with a weight a class" if weight is not None else ""
        return stock_path("nll_loss_forward", x, target, weight, reduction, ignore_index, why=why)
    rows, classes = (x, target) if x.ndim == 2 else (x.unsqueeze(0), target.reshape(1))
    counted = classes != ignore_index
    picked = rows.gather(1, torch.where(counted, classes, 0).unsqueeze(1)).squeeze(1)
    terms = torch.where(counted, -picked, 0.0)
    if reduction not in (MEAN, SUM):
        return (terms if x.ndim == 2 else terms[0]), x.new_zeros(())
    count = stock("sum.dim_IntList")(counted, [], False).to(torch.float64)
    total = sum_of_terms("nll_loss_forward", terms, sum_bits(), [])
    return (total if reduction == SUM else total / count), count


@kernel("nll_loss2d_forward")
def nll_loss2d(
    x: torch.Tensor, target: torch.Tensor, weight: Any, reduction: int, ignore_index: int
) -> tuple[torch.Tensor, torch.Tensor]:
    if not is_exact(x) or weight is not None:
        why = "with a weight a class" if weight is not None else ""
        return stock_path("nll_loss2d_forward", x, target, weight, reduction, ignore_index, why=why)
    rows = x.movedim(1, -1).reshape(-1, x.shape[1])
    loss, count = nll_loss(rows, target.reshape(-1), None, reduction, ignore_index)
    return (loss if reduction in (MEAN, SUM) else loss.reshape(target.shape)), count


@kernel("nll_loss_forward.output")
def nll_loss_out(
    *args: Any, output: torch.Tensor, total_weight: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    loss, count = nll_loss(*args)
    return into(output, loss), into(total_weight, count)


@kernel("nll_loss2d_forward.output")
def nll_loss2d_out(
    *args: Any, output: torch.Tensor, total_weight: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    loss, count = nll_loss2d(*args)
    return into(output, loss), into(total_weight, count)
