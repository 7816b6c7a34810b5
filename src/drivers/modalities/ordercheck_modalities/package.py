"""Where parts of Modalities are. None is imported with this driver, which says what it builds where Modalities is not."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def part(name: str) -> Any:
    """A module of Modalities."""
    return import_module(f"modalities.{name}")
