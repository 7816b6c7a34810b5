"""Context parallel: torch's _ContextParallel on every inner attention, as torchtitan applies it to flex attention. Keys and
values are gathered before the attention, their gradients are scattered behind it; queries stay where they are.

Tokens, labels, rotary table and mask are cut along the sequence by torch's _context_parallel_shard, without balancing. The
other kind of it, a ring of fused attention kernels, has such for CUDA alone.

Each rank has the gradients of its tokens. A wrapper that shards or replicates parameters over these ranks too adds them up;
for parameters that none does it for, the trainer has to, between backward and clipping."""

from __future__ import annotations

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
ATTENTION_DIM = 2


def apply_cp(program: Program, item: Item, site: Site) -> None:
    mesh = site.axis("cp")
    for block in layers_of(program.model).values():
        style = context_parallel_style(ATTENTION_DIM)
        attention = block.attention
        assert isinstance(attention, nn.Module)
        inner_attention = attention.inner_attention
        assert isinstance(inner_attention, nn.Module)
        parallelize_module(inner_attention, mesh, style)
    holder = holder_of_layers(program.model)
    whole = [getattr(holder, name) for name in KEPT_DIMS]
    for name, part in zip(
        KEPT_DIMS, context_parallel_shard(mesh, whole, list(KEPT_DIMS.values())), strict=True
    ):
        setattr(holder, name, part)
    program.local_buffers += KEPT_DIMS

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


def cannot_cp(item: Item) -> str:
    if not has_context_parallel():
        return f"cp is not built for torch {torch.__version__}; it needs torch.distributed's _ContextParallel"
    return ""


CP = Transform(apply_cp, ("all_gather",), ("attention",), cannot_cp)
