"""Whether a user's function adds parameters to the model on one rank, such as adapters."""

from __future__ import annotations

import copy

import torch
from torch import nn

from ..program.names import NamesAsBuilt
from .users_function import UsersFunction, model_after


def parameters_added(function: UsersFunction, model: nn.Module, name: str) -> str:
    """In words, "" if it adds none. Applies the function to a copy of the model. A function that raises without a mesh adds
    none: the reference is then the model as built. Leaves the generator as it was: adapters draw their initial values."""
    generator = torch.get_rng_state()
    try:
        copied = copy.deepcopy(model)
        names = NamesAsBuilt.of(copied)
        present = [path for path, _ in names.parameters_of(model_after(function, copied, None, name))]
    except Exception:
        return ""
    finally:
        torch.set_rng_state(generator)
    added = sorted(set(present) - set(names.parameters))
    more = f" and {len(added) - 1} more" if len(added) > 1 else ""
    return f"{added[0]}{more}" if added else ""
