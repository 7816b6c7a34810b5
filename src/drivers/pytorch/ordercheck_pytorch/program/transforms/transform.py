"""What is known of a transform beside what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..case import Item
from .program import Broadcast, Program, Site


def can_always(item: Item) -> str:
    return ""


@dataclass(frozen=True)
class Transform:
    apply: Callable[[Program, Item, Site], None]
    # "cut", or with the values that are built: "plan=all|blocks". A value may join several with '+'.
    options: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ("model",)
    cannot: Callable[[Item], str] = can_always
    broadcasts: Callable[[Program, Item], Broadcast] | None = None  # asked right before `apply`
    # Whether `broadcasts` is true of any model and of any way to apply it, so that a user's function promises it too.
    sends_every_parameter: bool = False
    modes: tuple[str, ...] = ()  # "" of an item without one; none for all that a stack may have

    @property
    def values(self) -> dict[str, list[str]]:
        """Of every option that is built, its values; none for all."""
        options = (option.partition("=") for option in self.options)
        return {name: values.split("|") if values else [] for name, _, values in options}

    def built(self, name: str) -> dict[str, Any]:
        """What of it is built, as hello says it."""
        options = [{"name": option, "values": values} for option, values in self.values.items()]
        return {"name": name, "modes": list(self.modes), "scopes": list(self.scopes), "options": options}

    def unbuilt(self, item: Item) -> str:
        """The first thing of the item that is not built, as a stack writes it: "tp:plan=rows"; "" when it all is. Who asks
        hello first never gets here."""
        if self.modes and item.mode not in self.modes:
            return f"{item.name}={item.mode}"
        for name, value in item.options.items():
            if name not in self.values:
                return f"{item.name}:{name}"
            if self.values[name] and any(part not in self.values[name] for part in value.split("+")):
                return f"{item.name}:{name}={value}"
        return "" if item.scope in self.scopes else f"{item.name}@{item.scope}"
