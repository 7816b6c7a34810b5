"""Context parallel: torch's _ContextParallel on every inner attention, as torchtitan applies it to flex attention. Keys and
values are gathered before the attention, their gradients are scattered behind it; queries stay where they are.

`ulysses` is the other way: an all-to-all gives each rank all positions of a part of the heads, and another one brings the
result back. It is written as an autograd.Function, as DeepSpeed's is.

Tokens, labels, rotary table and mask are cut along the sequence by torch's _context_parallel_shard, without balancing. The
other kind of it, a ring of fused attention kernels, has such for CUDA alone.

Each rank has the gradients of its tokens. A wrapper that shards or replicates parameters over these ranks too adds them up;
for parameters that none does it for, the trainer has to, between backward and clipping."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor.parallel import parallelize_module

from ...torch_compat import context_parallel_shard, context_parallel_style, has_context_parallel
from ..case import Item
from ..gather import is_laid_out_over, local
from .program import Program, Site, holder_of_layers, layers_of
from .transform import Transform

# The sequence's dim of what the model keeps, of tokens and labels, and of queries, keys and values.
KEPT_DIMS = {"rope": 0, "mask": 0}
BATCH_DIMS = [1, 1]
HEADS_DIM, ATTENTION_DIM = 1, 2


def apply_cp(program: Program, item: Item, site: Site) -> None:
    mesh = site.axis("cp")
    by_heads = "ulysses" in item.options
    for block in layers_of(program.model).values():
        attention = block.attention
        assert isinstance(attention, nn.Module)
        inner_attention = attention.inner_attention
        assert isinstance(inner_attention, nn.Module)
        if by_heads:
            attention.inner_attention = AttentionOfHeads(inner_attention, mesh.get_group())
        else:
            parallelize_module(inner_attention, mesh, context_parallel_style(ATTENTION_DIM))
    holder = holder_of_layers(program.model)
    # Attention of all positions takes the whole mask.
    kept_dims = {name: dim for name, dim in KEPT_DIMS.items() if not (by_heads and name == "mask")}
    whole = [getattr(holder, name) for name in kept_dims]
    for name, part in zip(
        kept_dims, context_parallel_shard(mesh, whole, list(kept_dims.values())), strict=True
    ):
        setattr(holder, name, part)
    program.local_buffers += kept_dims

    def split(batch: list[torch.Tensor]) -> list[torch.Tensor]:
        return [
            part for part in context_parallel_shard(mesh, batch, BATCH_DIMS) if isinstance(part, torch.Tensor)
        ]

    program.on_batch.append(split)
    group = mesh.get_group()

    def add_up() -> None:
        for parameter in program.model.parameters():
            if parameter.grad is not None and not is_laid_out_over(parameter, "cp"):
                dist.all_reduce(local(parameter.grad), group=group)

    program.behind_backward.append(add_up)


class AllToAll(torch.autograd.Function):
    """Sends x[i] to rank i; DeepSpeed's _DimZeroAllToAll."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, group: dist.ProcessGroup) -> torch.Tensor:
        ctx.group = group
        received = torch.empty_like(x).contiguous()
        dist.all_to_all_single(received, x.contiguous(), group=group)
        return received

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return AllToAll.apply(gradient, ctx.group), None


def exchanged(x: torch.Tensor, group: dist.ProcessGroup, scattered: int, gathered: int) -> torch.Tensor:
    """x with its part of `gathered` for a part of `scattered`."""
    parts = torch.stack(x.chunk(dist.get_world_size(group), scattered))
    return torch.cat(AllToAll.apply(parts, group).unbind(), gathered)


class AttentionOfHeads(nn.Module):
    """q, k and v [batch, heads, positions of this rank, head_dim], attended with all positions of a part of the heads."""

    def __init__(self, inner: nn.Module, group: dist.ProcessGroup) -> None:
        super().__init__()
        self.inner, self.group = inner, group

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        q, k, v = (exchanged(x, self.group, HEADS_DIM, ATTENTION_DIM) for x in (q, k, v))
        return exchanged(self.inner(q, k, v, mask), self.group, ATTENTION_DIM, HEADS_DIM)


def cannot_cp(item: Item) -> str:
    if not has_context_parallel():
        return f"cp is not built for torch {torch.__version__}; it needs torch.distributed's _ContextParallel"
    return ""


CP = Transform(apply_cp, ("all_gather", "ulysses"), ("attention",), cannot_cp)
