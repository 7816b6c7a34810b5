"""What is known of a transform beside what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..case import Item
from .program import Broadcast, Program, Site


def can_always(item: Item) -> str:
    return ""


@dataclass(frozen=True)
class Transform:
    apply: Callable[[Program, Item, Site], None]
    options: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ("model",)
    cannot: Callable[[Item], str] = can_always
    broadcasts: Callable[[Program, Item], Broadcast] | None = None  # asked right before `apply`
    # Whether `broadcasts` is true of any model and of any way to apply it, so that a user's function promises it too.
    sends_every_parameter: bool = False
