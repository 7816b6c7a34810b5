"""Parameters lie on a grid: as the model is built, and after every step of an optimizer.

A DTensor makes a replicated bias a partial sum by dividing it by the degree, where a linear layer is split by rows. On the
grid of parameters, which is coarser than that of additions, the parts are exact, and they add up to the bias."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from ...process_state import CASE_STATE
from ...torch_compat import local_part
from .grid import parameter_bits, rounded_
from .kernels import is_exact


def put_on_grid(parameters: Iterable[torch.Tensor], product_bits: int) -> None:
    """In place, of those in float64. Of a DTensor the part that this rank holds."""
    with torch.no_grad():
        for parameter in parameters:
            part = local_part(parameter)
            if is_exact(part) and not part.is_meta and not is_freed(part):
                rounded_(part, parameter_bits(product_bits))


def is_freed(parameter: torch.Tensor) -> bool:
    """Whether its memory is gone. An optimizer that is built while fully_shard has its parameters gathered holds them after
    they are freed."""
    part = local_part(parameter)
    return part.numel() > 0 and part.untyped_storage().size() == 0


@contextlib.contextmanager
def parameters_on_grid() -> Iterator[None]:
    """Within, those of every optimizer, after each of its steps."""
    handle = register_optimizer_step_post_hook(_after_step)
    try:
        yield
    finally:
        handle.remove()


def _after_step(optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
    parameters = (parameter for group in optimizer.param_groups for parameter in group["params"])
    put_on_grid(parameters, CASE_STATE.product_bits)
