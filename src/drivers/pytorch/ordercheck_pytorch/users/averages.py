"""The reference of a user's step, whose gradients are averaged over ranks in its case.

Such a step multiplies its loss by the number of these ranks before backward (or divides it by the tokens of one rank). Backward
then rounds to the grid what is that many times larger than on one rank, so that other bits are lost. So the reference begins
backward with that factor too, and takes it out of the gradient of each parameter. A power of two changes no other bit."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import nn


@contextlib.contextmanager
def backward_as_of_ranks(ranks: int, parameters: Iterable[nn.Parameter]) -> Iterator[None]:
    """Within, of every backward in this process."""
    if ranks == 1:
        yield
        return
    stock = torch.autograd.backward

    def backward(tensors: Any, grad_tensors: Any = None, *given: Any, **named: Any) -> None:
        roots = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
        grads = grad_tensors if isinstance(grad_tensors, (list, tuple)) else [grad_tensors] * len(roots)
        scaled = [
            torch.full_like(root, ranks) if grad is None else grad * ranks
            for root, grad in zip(roots, grads, strict=True)
        ]
        stock(roots, scaled, *given, **named)

    handles = [p.register_hook(lambda gradient: gradient / ranks) for p in parameters if p.requires_grad]
    torch.autograd.backward = backward
    try:
        yield
    finally:
        torch.autograd.backward = stock
        for handle in handles:
            handle.remove()
