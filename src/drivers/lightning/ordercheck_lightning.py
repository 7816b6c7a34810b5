"""Lightning Fabric 2.6.6: Fabric.setup_module with the strategies DDPStrategy and ModelParallelStrategy, on the engine's llama.

`ddp`, `fsdp` and `tp` are one setup_module call each. It removes a torch.compile wrapper, calls the strategy, and compiles the
result again with the same arguments. ModelParallelStrategy calls a function of the user: the ones here do what Lightning's
example does (examples/fabric/tensor_parallel/parallelism.py), which shards tensors, checkpoints each block and shards it.

Fabric sets a model up once, with one function for TP and FSDP2. A stack has two items, so the second setup_module gets the
module inside the _FabricModule of the first."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

import torch
import torch.distributed as dist
from ordercheck_pytorch.api import (
    NOTE,
    Case,
    Item,
    Llama,
    Program,
    Project,
    Site,
    Transform,
    apply_default_optimizer,
    apply_optimizer,
    mark_compiled,
    stand_in_for_inductor,
    summed_cross_entropy,
)
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    ParallelStyle,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)

TO_SHARDS = PrepareModuleInput(
    input_layouts=(Replicate(), None, None),
    desired_input_layouts=(Shard(1), None, None),
    use_local_output=True,
)
ROOT_PLAN: dict[str, ParallelStyle] = {
    "tok_embeddings": RowwiseParallel(input_layouts=Replicate()),
    "layers.0": TO_SHARDS,
    "norm": SequenceParallel(),
    "output": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
}
BLOCK_PLAN: dict[str, ParallelStyle] = {
    "attention_norm": SequenceParallel(),
    "attention": PrepareModuleInput(
        input_layouts=(Shard(1), None, None), desired_input_layouts=(Replicate(), None, None)
    ),
    **{f"attention.{name}": ColwiseParallel() for name in ("wq", "wk", "wv")},
    "attention.wo": RowwiseParallel(output_layouts=Shard(1)),
    "ffn_norm": SequenceParallel(),
    "feed_forward": PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)),
    **{f"feed_forward.{name}": ColwiseParallel() for name in ("w1", "w3")},
    "feed_forward.w2": RowwiseParallel(output_layouts=Shard(1)),
}


def split_tensors(model: Any, mesh: DeviceMesh) -> Any:
    parallelize_module(model, mesh["tensor_parallel"], ROOT_PLAN)
    for block in model.layers.values():
        parallelize_module(block, mesh["tensor_parallel"], BLOCK_PLAN)
    return model


def shard(model: Any, mesh: DeviceMesh) -> Any:
    """Keeps the last block gathered after forward, because FSDP prefetches it at once."""
    blocks = list(model.layers.values())
    for block in blocks:
        fully_shard(block, mesh=mesh["data_parallel"], reshard_after_forward=block is not blocks[-1])
    fully_shard(model, mesh=mesh["data_parallel"])
    return model


def fabric(site: Site) -> Any:
    """One Fabric per case, because its strategy owns a mesh."""
    if "fabric" not in site.kept:
        strategies = import_module("lightning_fabric.strategies")
        ranks, tp = math.prod(site.degrees.values()), site.degrees["tp"]
        strategy: Any = "auto"
        if site.degrees["dp_replicate"] > 1:
            strategy = strategies.DDPStrategy()
        elif ranks > 1:
            strategy = strategies.ModelParallelStrategy(
                lambda model, mesh: site.kept["parallelize"](model, mesh),
                data_parallel_size=ranks // tp,
                tensor_parallel_size=tp,
            )
        os.environ["LOCAL_RANK"] = str(dist.get_rank())  # tells Fabric that its processes exist
        environment = import_module("lightning_fabric.plugins.environments").LightningEnvironment()
        made = import_module("lightning_fabric").Fabric(
            accelerator=site.device,
            strategy=strategy,
            devices=ranks,
            precision="32-true",
            plugins=[environment],
        )
        made.launch()
        site.kept["fabric"] = made
    return site.kept["fabric"]


def set_up(program: Program, site: Site, parallelize: Callable[[Any, DeviceMesh], Any] | None) -> None:
    wrappers: Any = import_module("lightning_fabric.wrappers")
    model: Any = program.model
    if isinstance(model, wrappers._FabricModule):
        model = model._forward_module
    site.kept["parallelize"] = parallelize
    wrapped = fabric(site).setup_module(model)
    if wrappers.is_wrapped(wrapped) and isinstance(wrapped._forward_module, torch._dynamo.OptimizedModule):
        mark_compiled(wrapped._forward_module)  # setup_module compiled it again
    program.model = wrapped


def apply_tp(program: Program, item: Item, site: Site) -> None:
    set_up(program, site, split_tensors)


def apply_fsdp(program: Program, item: Item, site: Site) -> None:
    set_up(program, site, shard)
    program.gradient_factor *= site.degrees["dp_shard"]  # FSDP2 averages gradients over its ranks


def apply_ddp(program: Program, item: Item, site: Site) -> None:
    set_up(program, site, None)
    program.gradient_factor *= site.degrees["dp_replicate"]


def apply_ac(program: Program, item: Item, site: Site) -> None:
    """As the example does it in its function, in a loop over the blocks."""
    model: Any = program.model
    layers = model.layers if hasattr(model, "layers") else model.module.layers
    for name, block in list(layers.items()):
        layers[name] = checkpoint_wrapper(block)


def apply_compile(program: Program, item: Item, site: Site) -> None:
    """Fabric replaces torch.compile by a function that keeps its arguments for setup_module."""
    backend: Any = item.mode or stand_in_for_inductor
    if not item.mode:
        program.notes.append(NOTE)
    program.model = torch.compile(program.model, backend=backend)  # type: ignore[assignment]
    mark_compiled(program.model)


def apply_optimizer_and_clipping(program: Program, item: Item, site: Site) -> None:
    """Before a setup, Fabric.setup(model, optimizer) would do nothing to the optimizer: no strategy here overrides
    Strategy.setup_optimizer, which returns its argument."""
    apply_optimizer(program, item, site)
    built = program.optimizer
    if program.clips_by is not None:
        program.clips_by = functools.partial(
            fabric(site).clip_gradients, optimizer=built, max_norm=program.max_norm
        )


def cannot_clip(item: Item) -> str:
    if item.options.get("clip") == "per_mesh":
        return "optimizer:clip=per_mesh is torchtitan's clipping; expected a number"
    return ""


def cannot_compile(item: Item) -> str:
    return (
        "" if "wrap" in item.options else "Fabric handles torch.compile(model); expected compile:wrap@model"
    )


def cannot_average(item: Item) -> str:
    count = math.prod(item.degrees)
    return f"{item.name} divides gradients by {count}; expected a power of two" if count & (count - 1) else ""


def cannot(case: Case) -> str:
    if case.mesh["dp_replicate"] > 1 and case.mesh["dp_replicate"] < case.world_size:
        return "a Fabric has one strategy: DDPStrategy for ddp, or ModelParallelStrategy for tp and fsdp"
    names = [item.name for item in case.items]
    setups = [at for at, name in enumerate(names) if name in ("tp", "fsdp")]
    if len(setups) == 2 and "compile" in names[setups[0] : setups[1]]:
        return "Fabric sets up a model once, for tp and fsdp together, so nothing is compiled between them"
    return ""


def prepare(device: str) -> None:
    import_module("lightning_fabric")  # replaces torch.compile


PROJECT = Project(
    requirements=("lightning-fabric==2.6.6", "lightning-utilities==0.15.3", "packaging==26.3"),
    models={"llama": lambda case: Llama().to(torch.get_default_dtype())},
    transforms={
        "tp": Transform(apply_tp),
        "ac": Transform(apply_ac, scopes=("block",)),
        "compile": Transform(apply_compile, ("wrap",), ("model",), cannot=cannot_compile),
        "fsdp": Transform(apply_fsdp, scopes=("block",), cannot=cannot_average),
        "ddp": Transform(apply_ddp, cannot=cannot_average),
        "optimizer": Transform(
            apply_optimizer_and_clipping, ("clip", "foreach", "lr", "weight_decay"), cannot=cannot_clip
        ),
    },
    loss=summed_cross_entropy,
    optimizer=apply_default_optimizer,
    widened=("lightning_fabric",),
    stand_ins={"one setup_module for each of tp and fsdp": "Fabric has one function for both"},
    prepare=prepare,
    cannot=cannot,
)
