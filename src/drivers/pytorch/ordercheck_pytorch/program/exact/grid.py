"""Rounding to a grid, and what bounds the sums on it.

rounded(x, p) = (x + C) - C with C = 1.5 * 2^(52-p) is the nearest multiple of 2^-p while |x| < 2^(51-p), after Demmel and
Nguyen (Fast Reproducible Floating-Point Summation). While the sum of magnitudes of multiples of 2^-p stays below 2^(53-p),
float64 holds every partial sum of them, in whatever order they are added."""

from __future__ import annotations

import functools

import torch

from ...process_state import CASE_STATE

NORM_BITS = 40  # squares of norms, which are small


class OutOfRange(Exception):
    """Exact arithmetic left its guarded range."""


def note_range(name: str, bound: torch.Tensor | float, bits: int) -> None:
    """What the kernels of one run use of the range. Measured on the reference alone, a run on one rank: a correct layout adds
    up the same terms in other groups, and a part of a sum of magnitudes is no larger than the whole."""
    used = float(bound) * CASE_STATE.fan_in / 2.0 ** (53 - bits)
    if not used < 1:  # a NaN is out of range too
        raise OutOfRange(
            f"aten.{name} adds up {used:.3g} of what float64 holds exactly on the grid 2^-{bits}"
        )
    CASE_STATE.range_used = max(CASE_STATE.range_used, used)


def rounded(x: torch.Tensor, bits: int) -> torch.Tensor:
    """x - (-C) is x + C, and subtraction is nobody's sum: its kernel is the stock one."""
    c, minus_c = _constants(bits)
    return torch.sub(x, minus_c).sub_(c)


def rounded_(x: torch.Tensor, bits: int) -> torch.Tensor:
    c, minus_c = _constants(bits)
    return x.sub_(minus_c).sub_(c)


@functools.cache
def _constants(bits: int) -> tuple[torch.Tensor, torch.Tensor]:
    c = 1.5 * 2.0 ** (52 - bits)
    return torch.tensor(c, dtype=torch.float64), torch.tensor(-c, dtype=torch.float64)


def sum_bits() -> int:
    """Of the terms of sums and scatters: the grid of products, so that what comes out of a contraction passes unchanged. One
    grid for both: where a rank has one sample, the gradient of what is broadcast over samples meets no sum before the
    scatter, or before the next sum."""
    return 2 * CASE_STATE.product_bits


def parameter_bits(product_bits: int) -> int:
    """Coarser than that of additions by the largest degree that a DTensor divides a bias by: parameters.py tells why."""
    return 2 * product_bits


def addition_bits() -> int:
    """Finer by what data parallel divides gradients by before they are added up: a degree of up to 16."""
    return 2 * CASE_STATE.product_bits + 4


def total_bits() -> int:
    """Of two single numbers that are added. Losses and squares lie on coarser grids and stay as they are. A loss that was
    divided lies on none: each part is rounded far below the grid of sums, and the observer rounds the whole to it once."""
    return sum_bits() + 8


def average_bits() -> int:
    """Finer by such a degree once more: of an average that is divided again."""
    return addition_bits() + 4
