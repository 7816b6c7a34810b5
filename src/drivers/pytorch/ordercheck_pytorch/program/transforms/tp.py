"""Tensor parallel: parallelize_module with torchtitan's plan for llama, sequence parallel unless sp=off.

plan=blocks leaves the embedding, the last norm and the output alone; the stream between blocks is then whole on every rank."""

from __future__ import annotations

from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    ParallelStyle,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)

from ..case import Item
from .subject import Site, Subject, holder_of_layers, layers_of


def apply_tp(subject: Subject, item: Item, site: Site) -> None:
    mesh = site.axis("tp")
    whole = item.options.get("plan", "all") == "all"
    sequence_parallel = whole and item.options.get("sp", "on") == "on"
    if whole:
        parallelize_module(holder_of_layers(subject.model), mesh, root_plan(sequence_parallel))
    for block in layers_of(subject.model).values():
        parallelize_module(block, mesh, block_plan(sequence_parallel))


def root_plan(sequence_parallel: bool) -> dict[str, ParallelStyle]:
    between = Shard(1) if sequence_parallel else Replicate()
    plan: dict[str, ParallelStyle] = {
        "tok_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts=between),
        "output": ColwiseParallel(input_layouts=between, output_layouts=Replicate()),
    }
    if sequence_parallel:
        plan["norm"] = SequenceParallel()
    return plan


def block_plan(sequence_parallel: bool) -> dict[str, ParallelStyle]:
    between = Shard(1) if sequence_parallel else Replicate()
    plan: dict[str, ParallelStyle] = {
        "attention.wq": ColwiseParallel(),
        "attention.wk": ColwiseParallel(),
        "attention.wv": ColwiseParallel(),
        "attention.wo": RowwiseParallel(output_layouts=between),
        "feed_forward.w1": ColwiseParallel(),
        "feed_forward.w2": RowwiseParallel(output_layouts=between),
        "feed_forward.w3": ColwiseParallel(),
    }
    if sequence_parallel:
        plan |= {
            "attention_norm": SequenceParallel(),
            "attention": PrepareModuleInput(
                input_layouts=(Shard(1), None, None), desired_input_layouts=(Replicate(), None, None)
            ),
            "ffn_norm": SequenceParallel(),
            "feed_forward": PrepareModuleInput(
                input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)
            ),
        }
    return plan
