"""DeepSpeed 0.19.8: deepspeed.initialize with ZeRO, AutoTP, activation checkpointing and compile, on the engine's llama.

- `ddp` is ZeRO stage 0, `fsdp:reshard=never` stage 2, `fsdp:reshard=always` stage 3: each is one call of
  deepspeed.initialize.
- `tp:plan=blocks:rest=plain` is AutoTP with the layers of its llama preset, which are those of the blocks, under the names of
  this llama. deepspeed.initialize calls the same function before ZeRO, if its configuration has a degree. So the order of
  `tp` and the other two in a stack has no effect.
- `ac` calls deepspeed.checkpointing in each block: `ac:reentrant` its checkpoint, `ac` its non_reentrant_checkpoint.
- `compile@model` is DeepSpeedEngine.compile, or nn.Module.compile before there is an engine.
- deepspeed.initialize takes the optimizer, so it is built before, or by the item itself if the stack has none."""

from __future__ import annotations

import torch
from ordercheck_pytorch.api import (
    Case,
    Llama,
    Project,
    Transform,
    apply_default_optimizer,
    apply_optimizer,
    summed_cross_entropy,
)

from .blocks import apply_ac, apply_compile
from .engine import apply_ddp, apply_fsdp, begin, cannot_average, cannot_shard, prepare
from .tensor_parallel import apply_tp, cannot_split


def cannot(case: Case) -> str:
    names = [item.name for item in case.items]
    engines = [at for at, name in enumerate(names) if name in ("ddp", "fsdp")]
    if len(engines) > 1:
        return "deepspeed.initialize makes one engine, with one ZeRO stage: expected one of ddp and fsdp"
    if engines and "optimizer" in names[engines[0] :]:
        return "deepspeed.initialize takes the optimizer: expected it before ddp or fsdp"
    return ""


PROJECT = Project(
    requirements=(
        "deepspeed==0.19.8",
        "packaging==26.3",
        "pydantic==2.14.4",
        "pydantic-core==2.50.5",
        "annotated-types==0.8.0",
        "typing-inspection==0.4.5",
        "psutil==7.2.2",
    ),
    models={"llama": lambda case: Llama().to(torch.get_default_dtype())},
    transforms={
        "tp": Transform(apply_tp, ("plan=blocks", "rest=plain"), cannot=cannot_split),
        "ac": Transform(apply_ac, ("reentrant",), ("block",)),
        "compile": Transform(apply_compile, scopes=("model",)),
        "fsdp": Transform(apply_fsdp, ("reshard=always|never",), ("block",), cannot=cannot_shard),
        "ddp": Transform(apply_ddp, cannot=cannot_average),
        "optimizer": Transform(apply_optimizer, ("foreach", "lr", "weight_decay")),
    },
    loss=summed_cross_entropy,
    optimizer=apply_default_optimizer,
    widened=("deepspeed",),
    absent={
        "cpuinfo": "names the processor",
        "einops": "reshapes in sequence parallelism",
        "hjson": "reads configuration files",
        "msgpack": "writes files",
        "tqdm": "shows progress",
    },
    stand_ins={
        "loss.backward() calls DeepSpeedEngine.backward(loss)": "the trainer calls the former",
        "zero_grad of the engine with the argument set_to_none": "DeepSpeedEngine.zero_grad takes no argument",
        "collectives of gloo": "DeepSpeed builds an operator for shared memory by a C++ compiler",
        "gathered parameters and gradients after a step's last backward": "ZeRO keeps partitions, which are not compared",
    },
    prepare=prepare,
    begin=begin,
    configured=lambda case: {"steps": case.settings.steps},
    cannot=cannot,
)
