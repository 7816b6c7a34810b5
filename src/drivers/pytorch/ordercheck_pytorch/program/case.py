"""A case as the supervisor asks for it: a stack, a model and settings."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import torch

# Keys of a case, each "package.module:function" or "".
OWN_FUNCTIONS = ("apply", "batch", "loss", "optimizer", "step")


@dataclass(frozen=True)
class Item:
    """One transform of a stack, with what the supervisor's catalogue says of it: nothing here knows transforms by name.
    `degrees` is empty when none was written: it then runs as 2."""

    name: str
    degrees: tuple[int, ...] = ()
    mode: str = ""
    options: dict[str, str] = field(default_factory=dict)
    scope: str = "model"
    axes: tuple[str, ...] = ()  # of the mesh, that its degrees size
    kind: str = "layout"  # or numeric: meant to change numbers
    casts: str = ""  # what of it casts to another dtype: "amp", "fsdp:mp"


@dataclass(frozen=True)
class Settings:
    """exact: float64 with the kernels of exact/, in which no sum rounds. plain: float64 with the stock kernels. float32: the
    stock kernels, judged by distance from float64 on one rank."""

    arithmetic: str = "exact"
    grid: int = 20
    seed: int = 1
    steps: int = 3
    accumulation: int = 2

    @property
    def exact(self) -> bool:
        return self.arithmetic == "exact"

    @property
    def dtype(self) -> torch.dtype:
        return torch.float32 if self.arithmetic == "float32" else torch.float64


@dataclass(frozen=True)
class Case:
    text: str
    model: str  # "llama", one of the project's, or "package.module:factory" of a user
    apply: str  # "" or "package.module:function" of a user, which then stands for all items
    batch: str  # "" or those of a user's own inputs and loss: task.py
    loss: str
    widen: str  # packages joined by "+": widen.py
    items: tuple[Item, ...]
    on_one_rank: tuple[Item, ...]  # what is left of the items on the one rank that the case is held against
    mesh: dict[str, int]  # degree of every axis, the last one fastest over ranks
    splits: dict[str, str]  # what the ranks along an axis split: layers, batch, sequence or tensors
    settings: Settings
    # Before an operator sums over them; asked for by the worker: see partial_operands.py.
    reduces_partials: bool = False
    # Of functions of parameters, asked for by the supervisor: see exact/factors.py.
    coarse_factors: bool = False
    optimizer: str = ""  # or a user's own, of the model as the stack left it
    step: str = ""  # or a user's own, a whole step of training
    reference_apply: str = (
        ""  # of a reference: the `apply` of its case, which may add parameters to the model
    )
    reference_ranks: int = 1  # of a reference with a step: over which its case averages gradients
    keeps_outputs: bool = False  # of modules, to name the first that differs: module_outputs.py

    @property
    def world_size(self) -> int:
        return math.prod(self.mesh.values())

    @property
    def data_parallel_degree(self) -> int:
        return math.prod(self.mesh[axis] for axis in self.axes("batch"))

    @property
    def sequence_parallel_degree(self) -> int:
        return math.prod(self.mesh[axis] for axis in self.axes("sequence"))

    def axes(self, *splits: str) -> list[str]:
        """Those of several ranks that split the first of these, then the next ..."""
        return [
            axis
            for wanted in splits
            for axis, degree in self.mesh.items()
            if self.splits[axis] == wanted and degree > 1
        ]


def case_of(message: dict[str, Any]) -> Case:
    """From the `case` object of a run message (schema/run.json)."""
    settings = message["settings"]
    return Case(
        text=message["text"],
        model=message["model"],
        **{name: message[name] for name in OWN_FUNCTIONS},
        reference_apply=message["reference_apply"],
        reference_ranks=int(message["reference_ranks"]),
        widen=message["widen"],
        items=items_of(message["items"]),
        on_one_rank=items_of(message["on_one_rank"]),
        mesh={each["axis"]: each["degree"] for each in message["mesh"]},
        splits={each["axis"]: each["splits"] for each in message["mesh"]},
        reduces_partials=bool(message.get("reduces_partials", False)),
        coarse_factors=bool(message.get("coarse_factors", False)),
        keeps_outputs=bool(message.get("keeps_outputs", False)),
        settings=Settings(
            arithmetic=settings["arithmetic"],
            grid=settings["grid"],
            seed=int(settings["seed"]),
            steps=settings["steps"],
            accumulation=settings["accumulation"],
        ),
    )


def items_of(messages: list[dict[str, Any]]) -> tuple[Item, ...]:
    return tuple(
        Item(
            name=item["name"],
            degrees=tuple(item["degrees"]),
            mode=item["mode"],
            options={option["name"]: option["value"] for option in item["options"]},
            scope=item["scope"],
            axes=tuple(item["axes"]),
            kind=item["kind"],
            casts=item["casts"],
        )
        for item in messages
    )


def coordinates(mesh: dict[str, int], rank: int) -> dict[str, int]:
    """Where a rank stands on every axis."""
    place: dict[str, int] = {}
    for axis in reversed(mesh):
        place[axis] = rank % mesh[axis]
        rank //= mesh[axis]
    return place
