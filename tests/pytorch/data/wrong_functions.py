"""A user's model of stock operators, with attention and silu, and functions that parallelize it: pairs of a wrong one and its
right twin, which differ in what is named and in nothing else."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard

Function = Callable[["Transformer", DeviceMesh], None]


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, dim = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, dim))


class Block(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.attention_norm = nn.RMSNorm(dim, eps=1e-5)
        self.attention = Attention(dim, heads=4)
        self.norm = nn.RMSNorm(dim, eps=1e-5)
        self.gate = nn.Linear(dim, 3 * dim)
        self.up = nn.Linear(dim, 3 * dim)
        self.down = nn.Linear(3 * dim, dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.attention_norm(x))
        normed = self.norm(x)
        return x + self.down(F.silu(self.gate(normed)) * self.up(normed))


class Transformer(nn.Module):
    def __init__(self, dim: int = 32) -> None:
        super().__init__()
        self.embed = nn.Embedding(120, dim)
        self.blocks = nn.ModuleList(Block(dim) for _ in range(2))
        self.head = nn.Linear(dim, 120, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def transformer() -> nn.Module:
    return Transformer()


class _Scaled(torch.autograd.Function):
    """x itself; its gradient is another."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, factor: float) -> torch.Tensor:
        ctx.factor = factor
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return gradient * ctx.factor, None


def shard(model: Transformer, mesh: DeviceMesh) -> None:
    for block in model.blocks:
        fully_shard(block, mesh=mesh["dp_shard"])
    fully_shard(model, mesh=mesh["dp_shard"])


def with_gradient_times(factor: float) -> Function:
    """Through the first block."""

    def function(model: Transformer, mesh: DeviceMesh) -> None:
        model.blocks[0].register_forward_hook(lambda module, args, output: _Scaled.apply(output, factor))
        shard(model, mesh)

    return function


def with_block_detached(detached: bool) -> Function:
    """What the second block adds is not trained through: its gradient does not reach the first."""

    def function(model: Transformer, mesh: DeviceMesh) -> None:
        def hook(module: nn.Module, args: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
            return (args[0].detach() if detached else args[0],)

        model.blocks[1].attention.register_forward_pre_hook(hook)
        shard(model, mesh)

    return function


def with_reduction_of_all_blocks(every: bool) -> Function:
    """The second block's norms are left as they were: each rank keeps the gradient of its part of the batch."""

    def function(model: Transformer, mesh: DeviceMesh) -> None:
        ignored = set() if every else set(model.blocks[1].norm.parameters())
        fully_shard(model, mesh=mesh["dp_shard"], ignored_params=ignored)

    return function


def with_optimizer_of(now: bool) -> Function:
    """The head is sharded at the first forward, when the optimizer has long been given what it was before."""

    def function(model: Transformer, mesh: DeviceMesh) -> None:
        for module in (model.embed, *model.blocks):
            fully_shard(module, mesh=mesh["dp_shard"])
        if now:
            fully_shard(model.head, mesh=mesh["dp_shard"])
            return

        def hook(module: nn.Module, args: tuple[torch.Tensor]) -> None:
            handle.remove()
            fully_shard(model.head, mesh=mesh["dp_shard"])

        handle = model.register_forward_pre_hook(hook)

    return function


def with_bias(kept: bool) -> Function:
    """A replacement of the first block's down projection that forgets its bias."""

    def function(model: Transformer, mesh: DeviceMesh) -> None:
        down = model.blocks[0].down
        # Its gradient is there, and is that of a bias that adds nothing.
        down.forward = lambda x: F.linear(x, down.weight, down.bias if kept else down.bias * 0)
        shard(model, mesh)

    return function


def cast_to_bf16(function: Function) -> Function:
    """The same with the forward under autocast, as `amp` has it."""

    def cast(model: Transformer, mesh: DeviceMesh) -> None:
        function(model, mesh)
        model.forward = torch.autocast("cpu", torch.bfloat16)(model.forward)  # type: ignore[method-assign]

    return cast


FUNCTIONS = {
    "times_1_5": with_gradient_times(1.5),
    "times_1_01": with_gradient_times(1.01),
    "times_1": with_gradient_times(1.0),
    "detached": with_block_detached(True),
    "attached": with_block_detached(False),
    "skipped_reduction": with_reduction_of_all_blocks(False),
    "all_reduced": with_reduction_of_all_blocks(True),
    "stale_optimizer": with_optimizer_of(now=False),
    "fresh_optimizer": with_optimizer_of(now=True),
    "dropped_bias": with_bias(False),
    "kept_bias": with_bias(True),
}
float32 = SimpleNamespace(**FUNCTIONS)
bf16 = SimpleNamespace(**{name: cast_to_bf16(function) for name, function in FUNCTIONS.items()})
