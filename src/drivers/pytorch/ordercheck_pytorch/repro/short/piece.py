"""What a transform adds to a script. None knows of the other items of the stack."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ...program.case import Case, Item


def unchanged(factor: int) -> int:
    return factor


@dataclass(frozen=True)
class Piece:
    """Lines without their indentation. `model`, `mesh`, `optimizer`, `tokens` and `labels` are names that they may use."""

    apply: list[str]
    imports: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)  # whole ones, at the top level
    prefix: str = ""  # of names: the child that a wrapper puts in
    split_batch: list[str] = field(default_factory=list)
    forward_backward: list[str] = field(default_factory=list)  # in place of that of the script; sets `loss`
    reduce_gradients: list[str] = field(default_factory=list)  # behind the last backward
    clip: str | None = None  # of an optimizer: clips to `max_norm`; "" for no clipping
    # What gradients have to be multiplied by to be sums, from that of the items before.
    factor: Callable[[int], int] = unchanged


Maker = Callable[[Item, Case], Piece]


@dataclass(frozen=True)
class ShortForm:
    """Of a transform, for the options, with the values, that it names; "*" is any value."""

    piece: Maker
    options: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def lacks(self, item: Item) -> str:
        """The first option of the item, with its value, that the form has not; "" where it has all."""
        for name, value in item.options.items():
            if name not in self.options or not {value, "*"} & set(self.options[name]):
                return f"{name}={value}" if value else name
        return ""


# `layers` is found on the model, or on what a wrapper keeps as `module`.
INNER = """\
def inner(model):
    return model if hasattr(model, "layers") else model.module
"""


def of_every_block(new: str) -> list[str]:
    return ["for name, block in list(inner(model).layers.items()):", f"    inner(model).layers[name] = {new}"]
