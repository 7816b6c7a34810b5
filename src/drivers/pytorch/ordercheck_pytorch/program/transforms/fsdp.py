"""FSDP2: fully_shard on every block, then on the root. hsdp shards within and replicates across.

groups=apart: the embedding and the output are groups of their own; without it they are in that of the root, as the rest
that is in no block.

mp   its MixedPrecisionPolicy: parameters are gathered in that dtype and a module's inputs cast to it; gradients are reduced
     in float32, as torchtitan reduces them"""

from __future__ import annotations

from typing import Any

import torch
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

from ...torch_compat import streams_of_a_cpu_give_events
from ..case import Item
from .averaged_gradients import cannot_average
from .program import Program, Site, holder_of_layers, layers_of
from .summed_gradients import divides_always, sum_gradients
from .transform import Transform

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


def apply_fsdp(program: Program, item: Item, site: Site) -> None:
    shard(program, item, site.sharding_axes("dp_shard"))


def apply_hsdp(program: Program, item: Item, site: Site) -> None:
    shard(program, item, site.sharding_axes("dp_replicate", "dp_shard"))


def shard(program: Program, item: Item, mesh: DeviceMesh) -> None:
    arguments: dict[str, Any] = {"mesh": mesh}
    if "mp" in item.options:
        arguments["mp_policy"] = MixedPrecisionPolicy(
            param_dtype=DTYPES[item.options["mp"]], reduce_dtype=torch.float32
        )
    reshard = {"always": True, "never": False}.get(item.options.get("reshard", "default"))
    of_blocks: dict[str, Any] = {} if reshard is None else {"reshard_after_forward": reshard}
    apart = ("tok_embeddings", "output") if "groups" in item.options else ()
    holder = holder_of_layers(program.model)
    ends = [
        end for name in apart if (end := getattr(holder, name)) is not None
    ]  # a stage has one of them, or none
    for module in [*ends, *layers_of(program.model).values()]:
        fully_shard(module, **arguments, **of_blocks)
        sum_gradients(module)
    fully_shard(program.model, **arguments)
    sum_gradients(program.model)
    # Its parameters are others than before: what averaged gradients of those has no hold of these.
    program.gradient_factor = mesh.size() if divides_always(next(program.model.parameters()).dtype) else 1.0


def cannot_shard(item: Item) -> str:
    if not streams_of_a_cpu_give_events() and not torch.cuda.is_available():
        return needs_an_accelerator(item, "torch.cpu.Stream has no record_event")
    return cannot_average(item) if divides_always(torch.float64) else ""


def cannot_shard_and_replicate(item: Item) -> str:
    if reason := cannot_shard(item):
        return reason
    if divides_always(torch.float64) and not torch.cuda.is_available():
        return needs_an_accelerator(item, "it asserts that streams give events, and those of a CPU give none")
    return ""


def needs_an_accelerator(item: Item, why: str) -> str:
    return f"{item.name} of torch {torch.__version__} needs an accelerator: {why}"


FSDP = Transform(apply_fsdp, ("reshard", "mp", "groups"), ("block",), cannot_shard)
HSDP = Transform(apply_hsdp, ("reshard", "mp", "groups"), ("block",), cannot_shard_and_replicate)
