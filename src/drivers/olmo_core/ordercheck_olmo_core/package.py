"""Where parts of OLMo-core are. None is imported with this driver, which says what it builds where OLMo-core is not."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def part(name: str) -> Any:
    """A module of OLMo-core."""
    return import_module(f"olmo_core.{name}")
