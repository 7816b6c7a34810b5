"""Every global of this package that a case may change, and one reset of what is the case's. A rank runs one case after another
in its process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from .torch_compat import forget_captured, take_back


@dataclass
class OfCase:
    """Set back by reset()."""

    product_bits: int = 20  # the grid of exact arithmetic
    range_measured: bool = False
    fan_in: int = 1  # how many results of one sum are added up outside it, by accumulation
    range_used: float = 0.0  # the largest share of what float64 holds exactly
    parameter_shapes: set[tuple[int, ...]] = field(
        default_factory=set
    )  # with coarse factors: exact/factors.py
    refuses_draws: bool = False
    step: int = 0
    samples: Sequence[int] | str = ""  # of the microbatch, or why they are not known
    refused_operators: set[str] = field(default_factory=set)  # foreign ones, which no table has
    refusing: dict[str, torch.library.Library] = field(default_factory=dict)  # by their namespaces
    open_marks: list[Any] = field(default_factory=list)  # of a profile, in a backward graph
    listener: Any = None  # is called with each collective
    partial_operands: set[str] = field(
        default_factory=set
    )  # operators that partial sums went into: partial_operands.py
    reduces_partials: bool = False  # before these


@dataclass
class OfProcess:
    """For good: torch's dispatcher and Python's imports know no way back."""

    stock_kernels: dict[str, Callable[..., Any]] = field(default_factory=dict)  # past the exact ones
    # A library that is dropped takes its kernels with it.
    before_collectives: list[torch.library.Library] = field(default_factory=list)
    widened: set[str] = field(default_factory=set)  # packages
    prepared: set[str] = field(default_factory=set)  # published projects
    # Of the first step of the case that was run last: of the same case, where partial sums are then reduced first.
    kept_gradients: dict[str, torch.Tensor] = field(default_factory=dict)


CASE_STATE = OfCase()
PROCESS = OfProcess()


def reset() -> None:
    """Before a case, and behind it. CASE_STATE stays the object that it is: others hold it."""
    for library in CASE_STATE.refusing.values():
        take_back(library)
    vars(CASE_STATE).update(vars(OfCase()))
    torch.set_default_dtype(torch.float32)
    forget_captured()
