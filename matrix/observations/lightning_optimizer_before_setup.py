"""What Fabric.setup(model, optimizer) does to an optimizer, with a strategy that shards the model by FSDP2.

ORD-016, with Lightning Fabric 2.6.6 alone, in one process: fully_shard replaces parameters for one rank too.

Usage: PYTHONPATH=<folder of lightning-fabric, lightning-utilities and packaging> python lightning_optimizer_before_setup.py
"""

from __future__ import annotations

from typing import Any

import torch
from lightning_fabric import Fabric
from lightning_fabric.strategies import ModelParallelStrategy
from torch import nn
from torch.distributed.fsdp import fully_shard


def shard(model: nn.Module, mesh: Any) -> nn.Module:
    return fully_shard(model, mesh=mesh["data_parallel"])


def trained(fabric: Fabric, optimizer_first: bool) -> str:
    torch.manual_seed(0)
    model: Any = nn.Linear(4, 4)
    if optimizer_first:
        model, optimizer = fabric.setup(model, torch.optim.SGD(model.parameters(), lr=1.0))
    else:
        model = fabric.setup(model)
        optimizer = fabric.setup_optimizers(torch.optim.SGD(model.parameters(), lr=1.0))
    before = model.weight.full_tensor().clone()
    for _ in range(3):
        fabric.backward(model(torch.ones(2, 4)).sum())
        optimizer.step()
        optimizer.zero_grad()
    moved = (model.weight.full_tensor() - before).abs().max().item()
    return f"after 3 steps of SGD the weight has moved by {moved:g}"


if __name__ == "__main__":
    strategy = ModelParallelStrategy(shard, data_parallel_size=1, tensor_parallel_size=1)
    fabric = Fabric(accelerator="cpu", devices=1, strategy=strategy)
    fabric.launch()
    print(f"torch {torch.__version__}")
    print(f"setup(model), then the optimizer: {trained(fabric, optimizer_first=False)}")
    print(f"setup(model, optimizer): {trained(fabric, optimizer_first=True)}")
