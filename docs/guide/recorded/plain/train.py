"""A plain PyTorch script: tensor parallel, checkpointing and FSDP2 on four ranks, in an order that it chooses by itself."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import init_device_mesh
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
        self.embedding = nn.Embedding(32, 16)
        self.layers = nn.ModuleList(Block() for _ in range(4))
        self.output = nn.Linear(16, 32)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.output(x)


def save_memory(model):
    for index in range(3):  # the last block keeps its activations
        model.layers[index] = checkpoint_wrapper(model.layers[index])


def split(model, mesh):
    for layer in model.layers:
        parallelize_module(layer, mesh, {"w1": ColwiseParallel(), "w2": RowwiseParallel()})


dist.init_process_group("gloo")
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
model = Model()
save_memory(model)
split(model, mesh["tp"])
for layer in model.layers:
    fully_shard(layer, mesh=mesh["dp"])
fully_shard(model, mesh=mesh["dp"])
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(2):
    model(torch.arange(32).view(2, 16)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
