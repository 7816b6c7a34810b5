"""What a user might have: a model of stock modules, and functions that parallelize it, one of them wrongly."""

from __future__ import annotations

import ctypes

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(32, eps=1e-5)
        self.up = nn.Linear(32, 96, bias=False)
        self.down = nn.Linear(96, 32, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(F.relu(self.up(self.norm(x))))


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(120, 32)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.head = nn.Linear(32, 120, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def network() -> nn.Module:
    return Network()


def parallelize(model: Network, mesh: DeviceMesh) -> None:
    """Tensor parallel, checkpointing, FSDP2."""
    for index, block in enumerate(model.blocks):
        parallelize_module(block, mesh["tp"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
        model.blocks[index] = checkpoint_wrapper(block)
        fully_shard(model.blocks[index], mesh=mesh["dp_shard"])
    fully_shard(model, mesh=mesh["dp_shard"])


def parallelize_one_block(model: Network, mesh: DeviceMesh) -> None:
    """The second block's ranks keep to themselves: every gradient of it is that of a part of the batch."""
    fully_shard(model.blocks[0], mesh=mesh["dp_shard"])


def forget_to_scale_back(model: Network, mesh: DeviceMesh) -> None:
    """What leaves the second block was scaled up, and is past what float64 holds."""
    parallelize_all(model, mesh)
    model.blocks[1].register_forward_hook(lambda module, args, output: output * 2.0**1000 * 2.0**100)


def uninitialised(model: Network, mesh: DeviceMesh) -> None:
    """One row of one weight is what nobody wrote."""
    parallelize_all(model, mesh)
    with torch.no_grad():
        model.head.weight.to_local()[-1] = torch.nan


def parallelize_all(model: Network, mesh: DeviceMesh) -> None:
    for block in model.blocks:
        fully_shard(block, mesh=mesh["dp_shard"])
    fully_shard(model, mesh=mesh["dp_shard"])


def grow(model: Network, mesh: DeviceMesh) -> None:
    """Rank 1 takes memory until somebody stops it."""
    hoard = []
    while torch.distributed.get_rank() == 1:
        hoard.append(torch.ones(32 << 20))
    for block in model.blocks:
        fully_shard(block, mesh=mesh["dp_shard"])


def crash(model: Network, mesh: DeviceMesh) -> None:
    ctypes.string_at(0)
