"""A small rank program for tests of the worker: two layers, one step, and what the case's `apply` says."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import torch
import torch.distributed as dist
from torch import nn


class OutOfRange(Exception):
    pass


class Unsupported(Exception):
    pass


@dataclass
class Case:
    text: str
    mesh: dict[str, int]
    settings: Any
    apply: str

    @property
    def world_size(self) -> int:
        size = 1
        for degree in self.mesh.values():
            size *= degree
        return size


@dataclass
class RankResult:
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    gradient_norms: list[float] = field(default_factory=list)
    gradients: list[dict[str, torch.Tensor]] = field(default_factory=list)
    values: dict[str, torch.Tensor] = field(default_factory=dict)
    initial: dict[str, torch.Tensor] = field(default_factory=dict)
    frozen: list[str] = field(default_factory=list)
    buffers: dict[str, Any] = field(default_factory=dict)
    range_used: float = 0.25
    notes: list[str] = field(default_factory=list)
    partial_operands: list[str] = field(default_factory=list)
    partials_apart: float = 0.0
    outputs: dict[tuple[int, str], dict[int, torch.Tensor]] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=lambda: {"matmul_flops": 96, "graph_breaks": -1})


class Attention(nn.Module):
    def __init__(self, axis: dist.ProcessGroup | None, apply: str) -> None:
        super().__init__()
        self.wq = nn.Linear(4, 4, bias=False, dtype=torch.float64)
        self.axis = axis
        self.apply_ = apply

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.wq(x)
        if self.axis is not None:
            dist.all_reduce(y.detach().clone(), group=self.axis)
        if self.apply_ == "value_error":
            raise ValueError("sizes do not fit\nsecond line")
        if self.apply_ == "value_error_on_2" and dist.get_rank() == 2:
            # The test expects rank 3 in its next all_reduce; on a busy machine it takes a while to get there.
            time.sleep(3)
            raise ValueError("sizes do not fit")
        if self.apply_ == "sleep_on_1" and dist.get_rank() == 1:
            time.sleep(3600)
        return y


class Block(nn.Module):
    def __init__(self, axis: dist.ProcessGroup | None, apply: str) -> None:
        super().__init__()
        self.attention = Attention(axis, apply)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.attention(x)


class Model(nn.Module):
    def __init__(self, axis: dist.ProcessGroup | None, apply: str) -> None:
        super().__init__()
        self.layers = nn.ModuleDict({"0": Block(axis, apply), "1": Block(axis, "")})

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers.values():
            x = layer(x)
        return x


class Program:
    transforms = tuple({"name": name, "modes": [], "scopes": [], "options": []} for name in ("tp", "fsdp"))
    models = ("llama",)
    project = project_version = ""
    project_sources = ()

    def case_of(self, message: Mapping[str, Any]) -> Case:
        return Case(
            message["text"],
            {each["axis"]: each["degree"] for each in message["mesh"]},
            SimpleNamespace(**message["settings"]),
            message["apply"],
        )

    def cannot(self, case: Case) -> str:
        return "refused by the stub" if case.apply == "cannot" else ""

    def furthest(self, case: Case) -> float:
        return 0.0

    def run_rank(self, case: Case, rank: int, device: str, watch: Any) -> RankResult:
        seen = RankResult()
        watch.phase(0, "build")
        if case.apply == "empty":
            return seen
        if case.apply == "fail_when_used" and hasattr(Program, "stained"):
            raise RuntimeError("the last case is still here")
        Program.stained = True  # type: ignore[attr-defined]
        if case.apply == "out_of_range":
            raise OutOfRange("the sum left the range")
        torch.manual_seed(1)
        model = Model(axis_group(case, "tp"), case.apply)
        seen.shapes = {name: tuple(p.shape) for name, p in model.named_parameters()}
        seen.initial = {name: p.detach().clone() for name, p in model.named_parameters()}
        watch.model_built(model)
        watch.phase(0, "apply")
        watch.applied(model)
        watch.phase(0, "forward")
        y = model(torch.full((2, 4), 1.0 + rank % 2 * (case.apply == "uneven"), dtype=torch.float64))
        loss = y.square().sum()
        watch.phase(0, "backward")
        loss.backward()
        watch.phase(0, "optimizer")
        seen.gradients = [{n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None}]
        with torch.no_grad():
            model.layers["1"].attention.wq.weight.sub_(1.0)  # type: ignore[union-attr, operator]
        seen.losses, seen.gradient_norms = [float(loss)], [1.5]
        seen.values = {n: p.detach().clone() for n, p in model.named_parameters()}
        if case.apply == "halves":  # as pipeline stages hold them
            mine = f"layers.{rank // (case.world_size // 2)}"
            seen.values = {n: v for n, v in seen.values.items() if n.startswith(mine)}
            seen.gradients = [{n: v for n, v in g.items() if n.startswith(mine)} for g in seen.gradients]
        watch.step_done(0)
        if case.apply == "die_after_step" and rank == 1:
            os._exit(7)
        return seen


def axis_group(case: Case, axis: str) -> dist.ProcessGroup | None:
    if case.mesh[axis] == 1:
        return None
    axes = [a for a, degree in case.mesh.items() if degree > 1]
    if len(axes) == 1:
        return dist.group.WORLD
    from torch.distributed.device_mesh import init_device_mesh

    mesh = init_device_mesh("cpu", tuple(case.mesh[a] for a in axes), mesh_dim_names=tuple(axes))
    return mesh.get_group(axis)
