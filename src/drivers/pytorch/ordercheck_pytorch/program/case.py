"""A case as the supervisor asks for it: a stack, a model and settings."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

MESH_AXES = ("pp", "dp_replicate", "dp_shard", "cp", "tp")
AXES_OF = {
    "pp": ("pp",),
    "tp": ("tp",),
    "cp": ("cp",),
    "fsdp": ("dp_shard",),
    "hsdp": ("dp_replicate", "dp_shard"),
    "ddp": ("dp_replicate",),
    "replicate": ("dp_replicate",),
}
NUMERIC = ("amp", "optimizer")  # transforms that are meant to change numbers; all others are layouts


@dataclass(frozen=True)
class Item:
    """One transform of a stack. `degrees` is empty when none was written: it then runs as 2."""

    name: str
    degrees: tuple[int, ...] = ()
    mode: str = ""
    options: dict[str, str] = field(default_factory=dict)
    scope: str = "model"


def casts(item: Item) -> bool:
    """To another dtype: what comes of it is up to the layout."""
    return item.name == "amp" or "mp" in item.options


def numeric_part(item: Item) -> Item | None:
    """What is left of it on the one rank that a layout owes its numbers to: numeric_part in stack/transforms.h."""
    if item.name in NUMERIC:
        return item
    if not casts(item):
        return None
    return replace(item, degrees=(1,) * len(AXES_OF[item.name]), options={"mp": item.options["mp"]})


@dataclass(frozen=True)
class Settings:
    arithmetic: str = "exact"
    grid: int = 20
    seed: int = 1
    steps: int = 3
    accumulation: int = 2


@dataclass(frozen=True)
class Case:
    text: str
    engine: str
    model: str  # "llama", or "package.module:factory" of a user
    apply: str  # "" or "package.module:function" of a user, which then stands for all items
    items: tuple[Item, ...]
    mesh: dict[str, int]  # degree of every axis of MESH_AXES, the last one fastest over ranks
    settings: Settings

    @property
    def world_size(self) -> int:
        return math.prod(self.mesh.values())

    @property
    def data_parallel_degree(self) -> int:
        return self.mesh["dp_replicate"] * self.mesh["dp_shard"]


def case_of(message: dict[str, Any]) -> Case:
    """From the `case` object of a run message (schema/run.json)."""
    items = tuple(
        Item(
            name=item["name"],
            degrees=tuple(item["degrees"]),
            mode=item["mode"],
            options={option["name"]: option["value"] for option in item["options"]},
            scope=item["scope"],
        )
        for item in message["items"]
    )
    settings = message["settings"]
    return Case(
        text=message["text"],
        engine=message["engine"],
        model=message["model"],
        apply=message.get("apply", ""),
        items=items,
        mesh={axis: message["mesh"][axis] for axis in MESH_AXES},
        settings=Settings(
            arithmetic=settings["arithmetic"],
            grid=settings["grid"],
            seed=int(settings["seed"]),
            steps=settings["steps"],
            accumulation=settings["accumulation"],
        ),
    )


def coordinates(mesh: dict[str, int], rank: int) -> dict[str, int]:
    """Where a rank stands on every axis."""
    place: dict[str, int] = {}
    for axis in reversed(MESH_AXES):
        place[axis] = rank % mesh[axis]
        rank //= mesh[axis]
    return place
