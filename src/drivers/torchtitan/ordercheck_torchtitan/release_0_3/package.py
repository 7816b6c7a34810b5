"""Where parts of torchtitan are. None is imported with this driver, which says what it builds where torchtitan is not."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from torch import nn


def part(name: str) -> Any:
    """A module of torchtitan."""
    return import_module(f"torchtitan.{name}")


def family_of(model: nn.Module) -> str:
    """The package of its family below torchtitan: "models.llama3"."""
    classes = [kind.__module__ for kind in type(model).__mro__]  # FSDP2 puts one of its own before it
    own = next(name for name in classes if name.startswith("torchtitan.models."))
    return own.removeprefix("torchtitan.").rpartition(".")[0]
