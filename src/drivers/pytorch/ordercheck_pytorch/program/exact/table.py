"""operators.tsv: every operator that exact arithmetic knows, its class, its grid, and what is exact about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

KEYED = "keyed"
REPLACED = (
    "contraction",
    "sum",
    "norm",
    "softmax",
    "loss",
    "scatter",
    "attention",
    "unstable",
    "optimizer",
    KEYED,
)
DRAWING = ("random", "draw", KEYED)
OF_GPUS = "gpu_norm"  # replaced where a GPU has a kernel of its own
KEPT = ("move", "stable")
REFUSED = ("random", "draw", "opaque", "stable_real")  # a draw in a step, the last of complex numbers alone


@dataclass(frozen=True)
class Operator:
    name: str
    overloads: tuple[str, ...]  # empty: all
    kind: str
    grid: str
    why: str

    @property
    def full_names(self) -> list[str]:
        """As a kernel is registered: "mm", "mm.out"."""
        return [
            self.name if overload == "default" else f"{self.name}.{overload}" for overload in self.overloads
        ]


def table_text() -> str:
    return Path(__file__).with_name("operators.tsv").read_text(encoding="utf-8")


def operators() -> list[Operator]:
    lines = [line for line in table_text().splitlines() if not line.startswith("#")]
    return [operator_of(line) for line in lines[1:]]


def operator_of(line: str) -> Operator:
    name, overloads, kind, grid, why = line.split("\t")
    return Operator(name, () if overloads == "*" else tuple(overloads.split(",")), kind, grid, why)
