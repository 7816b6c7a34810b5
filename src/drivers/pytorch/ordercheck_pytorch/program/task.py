"""What a model is trained on: the inputs of a step, the loss of its output, and what the sum of losses is divided by.

By default tokens in, cross entropy of logits out, summed over the labels that count and divided by their number in the
whole step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.distributed.tensor import DTensor

from ..torch_compat import is_loss_parallel
from .cast import cast_tensor
from .data import batch_of, valid_tokens
from .exact.kernels import Unsupported
from .loss import summed_cross_entropy


@dataclass(frozen=True)
class Task:
    batch: Callable[[int, int, range], tuple[Any, Any]]
    loss: Callable[[Any, Any], torch.Tensor]
    divisor: Callable[[int, int], int]
    scale: float  # of the loss; keeps gradients above the grid. A power of two: dividing it out again changes no bit


def token_task(loss: Callable[[Any, Any], torch.Tensor]) -> Task:
    """Scaled so that the loss of a token has a factor of about one."""
    return Task(batch=batch_of, loss=loss, divisor=valid_tokens, scale=256.0)


def cross_entropy_of(output: Any, labels: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Of logits, or of what holds them."""
    logits = getattr(output, "logits", output)
    if not isinstance(logits, torch.Tensor):
        raise Unsupported(
            f"the model returned {type(logits).__name__}; expected logits, a tensor, or an object that has them as "
            "`logits`; name a loss of your own with --loss"
        )
    if isinstance(logits, DTensor) and not is_loss_parallel():  # the loss is of whole rows of classes
        logits = logits.full_tensor()
    return summed_cross_entropy(logits.to(dtype), labels)


def called_with(model: nn.Module, inputs: Any) -> Any:
    if isinstance(inputs, dict):
        return model(**inputs)
    return model(*inputs) if isinstance(inputs, tuple) else model(inputs)


def moved(value: Any, device: str, dtype: torch.dtype) -> Any:
    """Moves tensors to the device and casts floats and complex numbers to the arithmetic."""
    if isinstance(value, dict):
        return {name: moved(one, device, dtype) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(moved(one, device, dtype) for one in value)
    if not isinstance(value, torch.Tensor):
        return value
    return cast_tensor(value.to(device), dtype)
