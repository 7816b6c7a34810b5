"""A user's model of blocks with relu, and functions that compile it and shard it."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard


class Block(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.up = nn.Linear(dim, 2 * dim, bias=False)
        self.down = nn.Linear(2 * dim, dim, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(F.relu(self.up(x)))


class Model(nn.Module):
    def __init__(self, dim: int = 16) -> None:
        super().__init__()
        self.embed = nn.Embedding(120, dim)
        self.layers = nn.ModuleDict({str(i): Block(dim) for i in range(2)})
        self.head = nn.Linear(dim, 120, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens)
        for layer in self.layers.values():
            x = layer(x)
        return self.head(x)


def sound() -> nn.Module:
    return Model()


def compile_and_shard(model: Model, mesh: DeviceMesh) -> None:
    """torch.compile as most people call it: the backend is inductor."""
    for layer in model.layers.values():
        layer.compile()
        fully_shard(layer, mesh=mesh["dp_shard"])
    fully_shard(model, mesh=mesh["dp_shard"])
