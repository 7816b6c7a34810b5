"""What one rank saw of a case."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from .buffers import Buffer


@dataclass
class RankResult:
    """Tensors are full ones, of the parameters that this rank holds; one entry a step."""

    # Of the model as built, in its order; then of `added`.
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)  # parameters that transforms added on this rank, sorted
    initial: dict[str, torch.Tensor] = field(default_factory=dict)
    losses: list[float] = field(default_factory=list)
    gradient_norms: list[float] = field(default_factory=list)
    gradients: list[dict[str, torch.Tensor]] = field(default_factory=list)
    values: dict[str, torch.Tensor] = field(default_factory=dict)
    frozen: list[str] = field(default_factory=list)  # parameters that are not trained
    buffers: dict[str, Buffer] = field(default_factory=dict)  # after the last step
    range_used: float = 0.0
    counters: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    # Operators that sum, and were handed partial sums.
    partial_operands: list[str] = field(default_factory=list)
    outputs: dict[tuple[int, str], dict[int, torch.Tensor]] = field(default_factory=dict)  # module_outputs.py
    partials_apart: float = 0.0  # of a run that reduces them first: how far the run before it is away
