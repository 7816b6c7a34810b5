"""The factor of clip_grad_norm_, by which gradients are multiplied while they may still be parts of a sum.

Under sequence parallel the gradient of a norm's weight is such a part on every rank. A product with a factor of 53 bits
rounds, and rounded parts do not add up to the rounded whole. So where clip_grad_norm_ clamps its factor to 1, the factor is
rounded down to a power of two, on one rank as on many: products are exact then. The norm that it is computed from is compared
as it is."""

from __future__ import annotations

import math
from typing import Any

import torch

from .kernels import is_exact, number, with_variants
from .stock import stock


def power_of_two_below(factor: float) -> float:
    """0, infinities and NaN stay."""
    return math.ldexp(0.5, math.frexp(factor)[1]) if factor > 0 and math.isfinite(factor) else factor


def clamp(x: torch.Tensor, min: Any = None, max: Any = None) -> torch.Tensor:
    result: torch.Tensor = stock("clamp")(x, min, max)
    if is_exact(x) and x.ndim == 0 and min is None and max == 1:
        return number(power_of_two_below(result.item()))
    return result


with_variants("clamp", clamp, in_place=True)
