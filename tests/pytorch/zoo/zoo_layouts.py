"""Functions that parallelize a model of the zoo, as a user's script would: fsdp, ddp, tp, compile and ac, one each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, distribute_module
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    ParallelStyle,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.nn.parallel import DistributedDataParallel

COLWISE = (
    "q_proj",
    "k_proj",
    "v_proj",
    "gate_proj",
    "up_proj",
    "query",
    "key",
    "value",
    "intermediate.dense",
)
COLWISE += ("linear1", "up", "wi")  # of T5 the feed-forward alone: its relative positions are of all heads
ROWWISE = ("o_proj", "down_proj", "attention.output.dense", "output.dense", "linear2", "down", "wo")


def lists_of_blocks(model: nn.Module, prefix: str = "") -> Iterator[nn.ModuleList]:
    """The outermost lists: those of layers. Lists within a layer, as of experts, are left out."""
    for child in model.children():
        if isinstance(child, nn.ModuleList):
            yield child
        else:
            yield from lists_of_blocks(child)


def fsdp(model: nn.Module, mesh: DeviceMesh) -> None:
    for blocks in lists_of_blocks(model):
        for block in blocks:
            fully_shard(block, mesh=mesh["dp_shard"])
    fully_shard(model, mesh=mesh["dp_shard"])


def ddp(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    """Experts that none of a rank's tokens chose have no gradient there."""
    return DistributedDataParallel(
        model, process_group=mesh["dp_replicate"].get_group(), find_unused_parameters=True
    )


def tp(model: nn.Module, mesh: DeviceMesh) -> None:
    """Of every linear layer that the plan names, but those of experts: a layer is split by columns, the one behind it by rows,
    with biases where it has them."""
    for blocks in lists_of_blocks(model):
        for block in blocks:
            styles: dict[str, ParallelStyle] = {
                path: ColwiseParallel() if ends_with_one(path, COLWISE) else RowwiseParallel()
                for path, module in block.named_modules()
                if isinstance(module, nn.Linear)
                and ends_with_one(path, COLWISE + ROWWISE)
                and "experts" not in path
            }
            # A norm of each head, of which a rank has some: the parts of its gradient are to be added up.
            styles |= {
                path: SequenceParallel(sequence_dim=2, use_local_output=True)
                for path, _ in block.named_modules()
                if ends_with_one(path, ("q_norm", "k_norm"))
            }
            for module in block.modules():
                if hasattr(
                    module, "all_head_size"
                ):  # BERT's attention: it has to be told how many heads a rank has
                    module.num_attention_heads //= mesh["tp"].size()
                    module.all_head_size //= mesh["tp"].size()
            parallelize_module(block, mesh["tp"], styles)
    replicate_rest(model, mesh["tp"])


def replicate_rest(model: nn.Module, mesh: DeviceMesh) -> None:
    """clip_grad_norm_ takes parameters of one kind: what the plan leaves becomes replicated DTensors. These still take and
    give plain tensors."""

    def replicated(module: nn.Module, inputs: tuple[Any, ...], mesh: DeviceMesh) -> tuple[Any, ...]:
        return tuple(
            DTensor.from_local(x, mesh, [Replicate()], run_check=False) if isinstance(x, torch.Tensor) else x
            for x in inputs
        )

    def plain(module: nn.Module, output: Any, mesh: DeviceMesh) -> Any:
        return output.to_local() if isinstance(output, DTensor) else output

    for module in list(model.modules()):
        if any(not isinstance(p, DTensor) for p in module.parameters(recurse=False)):
            distribute_module(module, mesh, input_fn=replicated, output_fn=plain)
    for module in model.modules():
        if hasattr(module, "tie_weights"):  # each of those that shared a weight got its own
            module.tie_weights()
            return


def ends_with_one(path: str, names: tuple[str, ...]) -> bool:
    return any(path == name or path.endswith(f".{name}") for name in names)


def compile_aot_eager(model: nn.Module, mesh: DeviceMesh | None) -> None:
    for blocks in lists_of_blocks(model):
        for block in blocks:
            block.compile(backend="aot_eager")


def compile_inductor(model: nn.Module, mesh: DeviceMesh | None) -> None:
    for blocks in lists_of_blocks(model):
        for block in blocks:
            block.compile()


def ac(model: nn.Module, mesh: DeviceMesh | None) -> None:
    for blocks in lists_of_blocks(model):
        for index, block in enumerate(blocks):
            blocks[index] = checkpoint_wrapper(block)
