"""tests/data/exact/cases.tsv: calls of replaced operators that every engine draws alike. The file tells its format."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from ordercheck_pytorch.program.counter_random import units

FILE = Path(__file__).parents[3] / "data" / "exact" / "cases.tsv"
NAMED = {"float64": torch.float64, "inf": math.inf}


@dataclass(frozen=True)
class Case:
    name: str
    operator: str
    grid: int
    operands: tuple[tuple[str, str], ...]  # argument, shape:layout:distribution
    arguments: dict[str, Any]

    @property
    def overload(self) -> Any:
        base, _, overload = self.operator.partition(".")
        return getattr(getattr(torch.ops.aten, base), overload or "default")

    def inputs(self, layout: str = "") -> dict[str, Any]:
        """By the schema's names. Every operand in the given layout, or in its own."""
        inputs: dict[str, Any] = dict(self.arguments)
        for place, (argument, text) in enumerate(self.operands):
            x = operand(f"{self.name}/{place}", text, layout)
            if argument.endswith("[]"):
                inputs.setdefault(argument.removesuffix("[]"), []).append(x)
            else:
                inputs[argument] = x
        return inputs

    def results(self, layout: str = "") -> list[torch.Tensor]:
        inputs = self.inputs(layout)
        returned = self.overload(**inputs)
        if returned is None:
            written = [
                a.name for a in self.overload._schema.arguments if a.alias_info and a.alias_info.is_write
            ]
            returned = [x for name in written for x in inputs[name]]
        return [returned] if isinstance(returned, torch.Tensor) else [x for x in returned if x is not None]


def all_cases() -> list[Case]:
    lines = [line for line in FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [case_of(line) for line in lines[1:]]


def case_of(line: str) -> Case:
    name, operator, grid, operands, *rest = line.split("\t")
    named = [tuple(one.split("=", 1)) for one in operands.split()]
    arguments = dict(one.split("=", 1) for text in rest for one in text.split())
    return Case(
        name, operator, int(grid), tuple(named), {key: argument(text) for key, text in arguments.items()}
    )


def argument(text: str) -> Any:
    value = json.loads(text)
    return NAMED.get(value, value) if isinstance(value, str) else value


def operand(key: str, text: str, layout: str = "") -> torch.Tensor:
    sizes, own_layout, distribution = text.split(":")
    shape = [int(size) for size in sizes.split("x")] if sizes else []
    expanded = own_layout == "expanded"
    drawn = [1, *shape[1:]] if expanded else shape
    values = values_of(key, distribution, drawn)
    if expanded and layout:
        return laid_out(values.expand(shape).contiguous(), layout)
    return values.expand(shape) if expanded else laid_out(values, layout or own_layout)


def values_of(key: str, distribution: str, shape: list[int]) -> torch.Tensor:
    count = math.prod(shape)
    u, v = units(1, key, count), units(1, f"{key}/second", count)
    columns = shape[-1] if shape else 1
    place = torch.arange(count)
    rows = place // max(columns, 1)
    name = distribution.rstrip("0123456789")
    return DISTRIBUTIONS[name](
        u, v, rows, place % max(columns, 1), int("0" + distribution[len(name) :])
    ).reshape(shape)


def _single(
    u: torch.Tensor, v: torch.Tensor, row: torch.Tensor, column: torch.Tensor, n: int
) -> torch.Tensor:
    columns = int(column.max()) + 1
    return torch.where(column == row % columns, 2 * u - 1, 0.0)


Draw = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, int], torch.Tensor]
DISTRIBUTIONS: dict[str, Draw] = {
    "signed": lambda u, v, row, column, n: 2 * u - 1,
    "unit": lambda u, v, row, column, n: u,
    "positive": lambda u, v, row, column, n: u + 2.0**-10,
    "negative": lambda u, v, row, column, n: -4 * u,
    "wide": lambda u, v, row, column, n: torch.ldexp(2 * u - 1, (24 * v).floor() - 20),
    "tiny": lambda u, v, row, column, n: (2 * u - 1) * 2.0**-30,
    "half": lambda u, v, row, column, n: (2 * (64 * u).floor() - 63) * 2.0 ** -(n + 1),
    "zeros": lambda u, v, row, column, n: torch.where(u < 0.5, -0.0, 0.0).to(torch.float64),
    "nan": lambda u, v, row, column, n: torch.where(u < 0.1, math.nan, 2 * v - 1),
    "hidden": lambda u, v, row, column, n: torch.where((u < 0.25) | (row % 5 == 3), -math.inf, 2 * v - 1),
    "single": _single,
    "sparse": lambda u, v, row, column, n: torch.where(u < 0.5, 0.0, 2 * v - 1),
    "complex": lambda u, v, row, column, n: torch.complex(2 * u - 1, 2 * v - 1),
    "three": lambda u, v, row, column, n: torch.full_like(u, 3.0),
    "below": lambda u, v, row, column, n: (n * u).floor().to(torch.int64),
    "label": lambda u, v, row, column, n: torch.where(u < 0.2, -100, (n * v).floor().to(torch.int64)),
    "bools": lambda u, v, row, column, n: (u < 0.75) | (column == 0),
}


def laid_out(values: torch.Tensor, layout: str) -> torch.Tensor:
    """The same values elsewhere in memory. What lies around them would spoil a result that it got into."""
    between = math.nan if values.is_floating_point() or values.is_complex() else 0
    if layout == "transposed" and values.ndim > 1:
        return values.transpose(-2, -1).contiguous().transpose(-2, -1)
    if layout == "permuted" and values.ndim > 2:
        return values.movedim(0, -1).contiguous().movedim(-1, 0)
    if layout == "second" and values.ndim:
        wide = values.new_full((*values.shape[:-1], 2 * values.shape[-1]), between)
        wide[..., ::2] = values
        return wide[..., ::2]
    if layout == "offset":
        storage = values.new_full((values.numel() + 8,), between)
        storage[3 : 3 + values.numel()] = values.reshape(-1)
        return storage[3 : 3 + values.numel()].view(values.shape)
    return values.clone(memory_format=torch.contiguous_format)
