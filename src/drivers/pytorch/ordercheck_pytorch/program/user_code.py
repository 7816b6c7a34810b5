"""A user's own model and parallelize function, named "package.module:name".

The model takes tokens [batch, 24] int64 below 120 and gives logits [batch, 24, classes] with at least 120 classes, or
something that has them as `logits`, whole on every rank (on the last stage's, in a pipeline); with inputs and a loss of
its own (task.py) what it likes. Floats among its parameters and buffers are float64 in exact arithmetic. `factory()`
takes nothing. Its values stay as it draws them, from torch's seed, which is the case's. `function(model, mesh)` gets the
DeviceMesh of the stack's axes (None on one rank) and returns the model, or nothing where it changed the one it was given.
Gradients are to be averaged over data-parallel ranks, as DistributedDataParallel and fully_shard do unless they are told
otherwise. What else a function may say of itself: users_function.py."""

from __future__ import annotations

import importlib
import random
import sys
from typing import Any

import torch
from torch import nn

from .llama import initial_value


def look_up(name: str) -> Any:
    module, _, attribute = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    return found


def make_user_model(name: str, dtype: torch.dtype, seed: int) -> nn.Module:
    """With the values that its factory gives it, drawn under the seed: another seed is another model."""
    seed_generators(seed)
    model = look_up(name)()
    if not isinstance(model, nn.Module):
        raise TypeError(f"{name} returned {type(model).__name__}; expected an nn.Module")
    return model.to(dtype)


def seed_generators(seed: int) -> None:
    """Those that a factory may draw from."""
    torch.manual_seed(seed)
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)


def give_initial_values(model: nn.Module, seed: int) -> None:
    """Of a published project, whose initial values are for its own sizes: parameters of up to two dims take values that are a
    function of the seed and their paths, so that none is zero."""
    with torch.no_grad():
        for path, parameter in model.named_parameters():
            if parameter.ndim <= 2:
                parameter.copy_(initial_value(seed, path, parameter))
