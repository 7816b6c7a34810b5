"""Sums of rational numbers: what an exact kernel must give to the bit, added up by Python's Fraction."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import torch


def rounded(x: float, bits: int) -> Fraction:
    """The nearest multiple of 2^-bits, halves to even: Python's round of a Fraction."""
    return Fraction(round(Fraction(x) * 2**bits), 2**bits)


def total(terms: Iterable[float], bits: int) -> float:
    """The sum of rounded terms, converted to float64 once."""
    return float(sum((rounded(x, bits) for x in terms), Fraction(0)))


def inner(a: Sequence[float], b: Sequence[float], bits: int) -> float:
    """Of two vectors whose elements are rounded."""
    return float(sum((rounded(x, bits) * rounded(y, bits) for x, y in zip(a, b, strict=True)), Fraction(0)))


def product(a: torch.Tensor, b: torch.Tensor, bits: int) -> torch.Tensor:
    """Of two matrices."""
    columns = b.t().tolist()
    return torch.tensor(
        [[inner(row, column, bits) for column in columns] for row in a.tolist()], dtype=torch.float64
    )


def row_sums(x: torch.Tensor, bits: int) -> torch.Tensor:
    """Over the last dimension of a matrix, which stays."""
    return torch.tensor([[total(row, bits)] for row in x.tolist()], dtype=torch.float64)


def root(x: float) -> float:
    return math.sqrt(x)  # the C library's, which IEEE 754 binds


def roots(x: torch.Tensor) -> torch.Tensor:
    return torch.tensor([root(one) for one in x.flatten().tolist()], dtype=torch.float64).reshape(x.shape)
