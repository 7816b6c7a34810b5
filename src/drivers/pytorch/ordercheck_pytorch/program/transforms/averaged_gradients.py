"""Gradients that are averaged, which the trainer makes up for."""

from __future__ import annotations

import math

from ..case import Item
from .program import degree


def cannot_average(item: Item) -> str:
    count = math.prod(item.degrees) if item.degrees else degree(item)
    if count & (count - 1) == 0:
        return ""
    return f"{item.name}={count} divides every gradient by {count}, which rounds; expected a power of two"
