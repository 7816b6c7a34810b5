"""Casts a user's model and inputs to the arithmetic of a case."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from .exact.kernels import Unsupported

_MAX_NAMES = 3


def dtype_within(dtype: torch.dtype, arithmetic: torch.dtype) -> torch.dtype:
    """The dtype that a tensor of `dtype` has in `arithmetic`. Integers and bools keep theirs."""
    if dtype.is_complex:  # nn.Module.to(torch.float64) drops the imaginary part
        return arithmetic.to_complex()
    return arithmetic if dtype.is_floating_point else dtype


def cast_tensor(tensor: torch.Tensor, arithmetic: torch.dtype) -> torch.Tensor:
    return tensor.to(dtype_within(tensor.dtype, arithmetic))


def cast_model(model: nn.Module, arithmetic: torch.dtype) -> list[str]:
    """Casts in place. Returns a note of what changed its dtype, or an empty list."""
    tensors = [*model.named_parameters(), *model.named_buffers()]
    for name, tensor in tensors:
        if is_lazy(tensor):
            raise Unsupported(
                f"{name} has no values before the first forward; expected a factory that runs one"
            )
    names: dict[tuple[torch.dtype, torch.dtype], list[str]] = {}
    for name, tensor in tensors:
        names.setdefault((tensor.dtype, dtype_within(tensor.dtype, arithmetic)), []).append(name)
    for module in model.modules():
        for parameter in module.parameters(recurse=False):
            parameter.data = cast_tensor(parameter.data, arithmetic)  # in place: tied weights stay tied
        for name, buffer in list(module.named_buffers(recurse=False)):
            setattr(module, name, cast_tensor(buffer, arithmetic))
    casts = [_cast_in_words(*dtypes, names[dtypes]) for dtypes in names if dtypes[0] != dtypes[1]]
    return [f"cast: {'; '.join(casts)}"] if casts else []


def _cast_in_words(before: torch.dtype, after: torch.dtype, names: list[str]) -> str:
    """Factories build float32 by default, so only tensors of other dtypes are named."""
    said = f"{len(names)} tensors" if before is torch.float32 else ", ".join(names[:_MAX_NAMES])
    more = len(names) - _MAX_NAMES
    if before is not torch.float32 and more > 0:
        said += f" and {more} more"
    return f"{said} from {_short(before)} to {_short(after)}"


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
