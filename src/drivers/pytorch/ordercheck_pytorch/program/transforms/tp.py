"""Tensor parallel: parallelize_module with torchtitan's plan for llama, sequence parallel unless sp=off.

plan=blocks    leaves the embedding, the last norm and the output alone; the stream between blocks is then whole on every rank.
               What it leaves becomes replicated DTensors of the same mesh, as torchtitan's NoParallel does: clip_grad_norm_
               takes gradients of one mesh
rest=plain     what plan=blocks leaves stays as it is
loss_parallel  logits stay split over the vocabulary, and the trainer takes loss and backward under torch's loss_parallel()"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_module
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    ParallelStyle,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)

from ..case import Item
from .program import Broadcast, Program, Site, holder_of_layers, layers_of
from .transform import Transform


def apply_tp(program: Program, item: Item, site: Site) -> None:
    for module, plan in plans_of(program, item):
        parallelize_module(module, site.axis("tp"), plan)
    if item.options.get("plan") == "blocks" and item.options.get("rest") != "plain":
        replicate_rest(program.model, site.axis("tp"))
    if "loss_parallel" in item.options:
        program.around_loss.append(loss_parallel)


def replicate_rest(model: nn.Module, mesh: DeviceMesh) -> None:
    """Modules that hold other parameters than DTensors still take and give plain tensors, which are whole on every rank."""

    def replicated(module: nn.Module, inputs: Any, mesh: DeviceMesh) -> Any:
        return tuple(
            DTensor.from_local(x, mesh, [Replicate()], run_check=False) if isinstance(x, torch.Tensor) else x
            for x in inputs
        )

    def plain(module: nn.Module, output: Any, mesh: DeviceMesh) -> Any:
        return output.to_local() if isinstance(output, DTensor) else output

    for module in list(model.modules()):
        if any(not isinstance(p, DTensor) for p in module.parameters(recurse=False)):
            distribute_module(module, mesh, None, replicated, plain)


def cannot_tp(item: Item) -> str:
    if "rest" in item.options and item.options.get("plan") != "blocks":
        return "tp:rest is about what plan=blocks leaves: expected plan=blocks"
    if "loss_parallel" in item.options and item.options.get("plan", "all") != "all":
        return "tp:loss_parallel needs the output split: expected plan=all"
    return ""


def plans_of(program: Program, item: Item) -> Iterator[tuple[nn.Module, dict[str, ParallelStyle]]]:
    whole = item.options.get("plan", "all") == "all"
    sequence_parallel = whole and item.options.get("sp", "on") == "on"
    if whole:
        yield holder_of_layers(program.model), root_plan(sequence_parallel, "loss_parallel" in item.options)
    for block in layers_of(program.model).values():
        yield block, block_plan(sequence_parallel)


def broadcast_by_tp(program: Program, item: Item) -> Broadcast:
    """What the column and row styles reach now: distribute_tensor scatters the first rank's. SequenceParallel takes what each
    rank holds (DTensor.from_local, "fixed ones_ init"), and what no path leads to stays as it is."""
    reached = [
        child_at(module, path)
        for module, plan in plans_of(program, item)
        for path, style in plan.items()
        if isinstance(style, (ColwiseParallel, RowwiseParallel))
    ]
    return Broadcast("tp", [p for module in reached if module is not None for p in module.parameters()])


def child_at(module: nn.Module, path: str) -> nn.Module | None:
    """As parallelize_module walks: by the names of children, which a wrapper's attributes are not."""
    for name in path.split("."):
        child = dict(module.named_children()).get(name)
        if child is None:
            return None
        module = child
    return module


def root_plan(sequence_parallel: bool, splits_logits: bool) -> dict[str, ParallelStyle]:
    between = Shard(1) if sequence_parallel else Replicate()
    logits = Shard(-1) if splits_logits else Replicate()
    plan: dict[str, ParallelStyle] = {
        "tok_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts=between),
        "output": ColwiseParallel(
            input_layouts=between, output_layouts=logits, use_local_output=not splits_logits
        ),
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


TP = Transform(
    apply_tp, ("sp", "plan", "rest", "loss_parallel"), cannot=cannot_tp, broadcasts=broadcast_by_tp
)
