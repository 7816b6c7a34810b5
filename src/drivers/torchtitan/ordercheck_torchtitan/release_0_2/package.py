"""Where parts of torchtitan are. None is imported with this driver, which says what it builds where torchtitan is not."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from ordercheck_pytorch.api import Program
from torch import nn


def part(name: str) -> Any:
    """A module of torchtitan. None is imported with this file, which is read where torchtitan is not to be run."""
    return import_module(f"torchtitan.{name}")


def infra_of(program: Program) -> ModuleType:
    """The parallelize.py of its family."""
    return import_module(family_of(program.model) + ".infra.parallelize")


def family_of(model: nn.Module) -> str:
    inner: Any = model if hasattr(model, "model_args") else model.module
    return type(inner.model_args).__module__.partition(".model.")[0]
