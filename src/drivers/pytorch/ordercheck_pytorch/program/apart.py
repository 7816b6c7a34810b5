"""Ranks that start apart, so that values that were never sent are seen.

Every rank builds the same weights, and a transform that should give all of them the first rank's but does not would change
nothing. So right before a transform that promises to, all ranks of its axis but the first take other values, of the parameters
alone that it will send: what it is not handed, or what its plan does not reach, nobody promised."""

from __future__ import annotations

import torch
from torch import nn

from .gather import local
from .llama import initial_value
from .transforms.program import Broadcast

SEEDS_APART = 1_000_003  # far from the seeds that a case is looked at with again


def start_apart(model: nn.Module, promised: Broadcast, place: int, seed: int) -> None:
    """On the rank at `place` of the axis. A part of a parameter takes values for the part."""
    if place == 0:
        return
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    with torch.no_grad():
        for parameter in promised.parameters:
            value = local(parameter)
            value.copy_(initial_value(seed + SEEDS_APART * place, names[id(parameter)], value))
