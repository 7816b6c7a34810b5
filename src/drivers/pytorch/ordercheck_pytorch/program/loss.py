"""Cross entropy over logits, summed over the labels that count."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from .arithmetic import SUM_BITS, Numerics, rounded
from .data import IGNORED_LABEL


class _SummedCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        largest = logits.amax(-1, keepdim=True)
        exponentials = torch.exp(logits - largest)
        total = rounded(exponentials, SUM_BITS).sum(-1, keepdim=True)
        counted = labels.ne(IGNORED_LABEL).unsqueeze(-1).to(logits.dtype)
        index = labels.clamp(min=0).unsqueeze(-1)
        terms = (torch.log(total) + largest - logits.gather(-1, index)) * counted
        one_hot = torch.zeros_like(logits).scatter(-1, index, 1.0)
        ctx.save_for_backward(exponentials, total, one_hot, counted)
        return rounded(terms, SUM_BITS).sum()

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        exponentials, total, one_hot, counted = ctx.saved_tensors
        return (exponentials / total - one_hot) * (counted * gradient), None


def summed_cross_entropy(numerics: Numerics, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """logits [batch, sequence, classes], whole; labels [batch, sequence]. A 0-dim tensor."""
    if numerics.exact:
        return _SummedCrossEntropy.apply(logits, labels)
    return F.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORED_LABEL, reduction="sum"
    )
