"""A model that Fabric sets up under ModelParallelStrategy, whose function is that of Lightning's example, and compiles."""

import torch
from lightning.fabric import Fabric
from lightning.fabric.strategies import ModelParallelStrategy
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1 = nn.Linear(16, 64)
        self.w2 = nn.Linear(64, 16)

    def forward(self, x):
        return x + self.w2(torch.relu(self.w1(x)))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Block() for _ in range(4))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def parallelize(model, mesh):
    for index, block in enumerate(model.layers):
        plan = {"w1": ColwiseParallel(), "w2": RowwiseParallel()}
        parallelize_module(block, mesh["tensor_parallel"], plan)
        model.layers[index] = checkpoint_wrapper(block)
        fully_shard(model.layers[index], mesh=mesh["data_parallel"])
    return fully_shard(model, mesh=mesh["data_parallel"])


fabric = Fabric(
    accelerator="cpu",
    devices=4,
    strategy=ModelParallelStrategy(parallelize, data_parallel_size=2, tensor_parallel_size=2),
)
fabric.launch()
model = fabric.setup(torch.compile(Model(), backend="aot_eager"))
optimizer = fabric.setup_optimizers(torch.optim.AdamW(model.parameters()))
for _ in range(2):
    fabric.backward(model(torch.ones(2, 16)).square().mean())
    optimizer.step()
    optimizer.zero_grad()
