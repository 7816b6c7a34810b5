"""A model whose rotary table is a complex buffer, and functions that use the table rightly and wrongly."""

from __future__ import annotations

import torch
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard

DIM = 16


class Rotating(nn.Module):
    table: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(120, DIM)
        self.up = nn.Linear(DIM, DIM, bias=False)
        self.head = nn.Linear(DIM, 120, bias=False)
        angles = torch.outer(torch.arange(24.0), 10.0 ** -torch.linspace(0, 2, DIM // 2))
        self.register_buffer("table", torch.polar(torch.ones_like(angles), angles))
        self.register_buffer("gain", torch.tensor(1.5, dtype=torch.bfloat16))
        self.register_buffer("shift", torch.tensor(3))
        self.register_buffer("masked", torch.tensor([False, True]))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        pairs = torch.view_as_complex(self.up(self.embed(tokens)).unflatten(-1, (-1, 2)))
        return self.head(torch.view_as_real(pairs * self.table).flatten(-2) * self.gain)


def model() -> nn.Module:
    torch.manual_seed(1)
    return Rotating()


def shard(model: Rotating, mesh: DeviceMesh) -> None:
    fully_shard(model, mesh=mesh["dp_shard"])


def shard_turning_back(model: Rotating, mesh: DeviceMesh) -> None:
    """The imaginary part alone has another sign."""
    shard(model, mesh)
    model.register_buffer("table", model.table.conj().resolve_conj())
