"""What parallelize_module, fully_shard, DistributedDataParallel and reentrant checkpointing make of a parameter in two slots,
of one that is frozen, and of a module that is called twice, by PyTorch alone, on 2 gloo ranks.

Run it with: python shared_and_frozen_parameters.py"""

from __future__ import annotations

import copy
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import CheckpointImpl, checkpoint_wrapper
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.nn.parallel import DistributedDataParallel

RANKS = 2
TOKENS = torch.tensor([[0, 3, 5, 6]])


class Model(nn.Module):
    """An embedding, a block that may be called more than once, a norm and an output."""

    def __init__(self, tied: bool = False, frozen: str = "", calls: int = 1) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.tok_embeddings = nn.Embedding(8, 4)
        self.block = nn.Linear(4, 4, bias=False)
        self.norm = nn.RMSNorm(4)
        self.output = nn.Linear(4, 8, bias=False)
        self.calls = calls
        if tied:
            self.output.weight = self.tok_embeddings.weight
        if frozen:
            self.get_parameter(frozen).requires_grad_(False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.tok_embeddings(tokens)
        for _ in range(self.calls):
            x = self.block(x)
        return self.output(self.norm(x))


def split(model: Model, mesh: DeviceMesh) -> None:
    plan = {
        "tok_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "norm": SequenceParallel(),
        "output": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
    }
    parallelize_module(model, mesh, plan)


def whole(tensor: torch.Tensor | None) -> torch.Tensor | None:
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def gradients(model: nn.Module) -> dict[str, torch.Tensor | None]:
    model(TOKENS).square().sum().backward()
    return {name: whole(parameter.grad) for name, parameter in model.named_parameters()}


def apply(model: Model, stack: str, mesh: DeviceMesh) -> nn.Module:
    """The transforms of a stack, the left one first."""
    wrapped: nn.Module = model
    for name in stack.split(","):
        if name == "ac:reentrant":
            model.block = checkpoint_wrapper(model.block, CheckpointImpl.REENTRANT)
        elif name == "fsdp":
            fully_shard(model.block, mesh=mesh)
            fully_shard(model, mesh=mesh)
        else:
            wrapped = DistributedDataParallel(model)
    return wrapped


def verdict(model: Model, stack: str, mesh: DeviceMesh) -> str:
    alone = gradients(copy.deepcopy(model))
    wrapped = apply(model, stack, mesh)
    try:
        got = gradients(wrapped)
        wrapped(TOKENS)
    except RuntimeError as error:
        return str(error).splitlines()[0][:120]
    apart = []
    for (name, owed), found in zip(alone.items(), got.values(), strict=True):
        if (owed is None) != (found is None):
            apart.append(f"{name} has {'no' if found is None else 'a'} gradient")
        elif owed is not None and not torch.allclose(owed, found):
            apart.append(f"{name} is off by {(found - owed).norm() / owed.norm():.0%}")
    return ", ".join(apart) or "right"


def on_rank(rank: int) -> None:
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29517"}
    dist.init_process_group("gloo", rank=rank, world_size=RANKS)
    mesh = init_device_mesh("cpu", (RANKS,))

    def say(line: str) -> None:
        if rank == 0:
            print(line, flush=True)

    say(f"torch {torch.__version__}")
    tied = Model(tied=True)
    owed = gradients(copy.deepcopy(tied))["tok_embeddings.weight"]
    sharded = fully_shard(copy.deepcopy(tied), mesh=mesh)
    say(f"tied, fully_shard: one parameter: {sharded.output.weight is sharded.tok_embeddings.weight}")
    apart = copy.deepcopy(tied)
    split(apart, mesh)
    say(f"tied, parallelize_module: one parameter: {apart.output.weight is apart.tok_embeddings.weight}")
    got = gradients(apart)["tok_embeddings.weight"]
    say(
        f"  gradient of tok_embeddings.weight: largest difference {(got - owed).abs().max():.3f} of {owed.abs().max():.3f}"
    )

    for frozen in ("tok_embeddings.weight", "norm.weight", "output.weight"):
        model = Model(frozen=frozen)
        split(model, mesh)
        say(f"{frozen} frozen, parallelize_module: frozen: {not model.get_parameter(frozen).requires_grad}")

    for stack in ("ddp", "ac:reentrant", "ac:reentrant,ddp"):
        say(f"embedding frozen, {stack}: {verdict(Model(frozen='tok_embeddings.weight'), stack, mesh)}")
    for stack in ("ddp", "fsdp", "ac:reentrant,ddp", "ac:reentrant,fsdp", "fsdp,ac:reentrant"):
        say(f"block called twice, {stack}: {verdict(Model(calls=2), stack, mesh)}")
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(on_rank, (), RANKS)
