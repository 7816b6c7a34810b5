"""Hugging Face accelerate 1.15.0: what Accelerator.prepare does to a model under FSDP2, on the engine's llama.

Its _prepare_fsdp2 calls three functions, checkpointing before compile before sharding; here each stands for an item and is
called where the stack says. accelerate takes FSDP with an accelerator alone (on a CPU its AcceleratorState keeps MULTI_CPU),
so an object with the attributes that these functions read stands in for it: plugin and mesh in it are accelerate's own."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any

import torch
from ordercheck_pytorch.api import (
    NOTE,
    Item,
    Llama,
    Program,
    Project,
    Site,
    Transform,
    apply_default_optimizer,
    apply_optimizer,
    stand_in_for_inductor,
    summed_cross_entropy,
)
from torch import nn


def accelerator(model: nn.Module, site: Site) -> Any:
    """As `accelerate launch` with fsdp_version 2 and TRANSFORMER_BASED_WRAP makes it. One a case: it has a mesh."""
    if "accelerator" not in site.kept:
        plugin = import_module("accelerate").FullyShardedDataParallelPlugin(
            fsdp_version=2,
            auto_wrap_policy="transformer_based_wrap",
            transformer_cls_names_to_wrap=["TransformerBlock"],
            cpu_ram_efficient_loading=False,
            reshard_after_forward=True,
        )
        plugin.set_auto_wrap_policy(model)  # prepare does so before anything else
        config = import_module("accelerate.parallelism_config").ParallelismConfig(
            dp_replicate_size=site.degrees["dp_replicate"], dp_shard_size=site.degrees["dp_shard"]
        )
        site.kept["accelerator"] = SimpleNamespace(
            state=SimpleNamespace(fsdp_plugin=plugin),
            parallelism_config=config,
            torch_device_mesh=config.build_device_mesh(site.device),
            mixed_precision="no",
            is_main_process=False,
            device=torch.device(site.device),
        )
    return site.kept["accelerator"]


def apply_ac(program: Program, item: Item, site: Site) -> None:
    utils = import_module("accelerate.utils.fsdp_utils")
    program.model = utils.fsdp2_apply_ac(accelerator(program.model, site), program.model)


def apply_compile(program: Program, item: Item, site: Site) -> None:
    if not item.mode:
        program.notes.append(NOTE)
    other = import_module("accelerate.utils.other")
    program.model = other.compile_regions_fsdp2(program.model, backend=item.mode or stand_in_for_inductor)


def apply_fsdp(program: Program, item: Item, site: Site) -> None:
    utils = import_module("accelerate.utils.fsdp_utils")
    program.model = utils.fsdp2_prepare_model(accelerator(program.model, site), program.model)
    # FSDP2 averages gradients; who trains with accelerate multiplies the loss or not, as the average is meant.
    program.gradient_factor *= site.degrees["dp_replicate"] * site.degrees["dp_shard"]


PROJECT = Project(
    requirements=("accelerate==1.15.0", "packaging==26.3"),
    models={"llama": lambda case: Llama().to(torch.get_default_dtype())},
    transforms={
        "ac": Transform(apply_ac, scopes=("block",)),
        "compile": Transform(apply_compile, scopes=("block",)),
        "fsdp": Transform(apply_fsdp, scopes=("block",)),
        "hsdp": Transform(apply_fsdp, scopes=("block",)),
        "optimizer": Transform(apply_optimizer, ("clip", "foreach", "lr", "weight_decay")),
    },
    loss=summed_cross_entropy,
    optimizer=apply_default_optimizer,
    widened=("accelerate",),
    absent={
        "huggingface_hub": "downloads models",
        "safetensors": "reads and writes models",
        "psutil": "counts processors",
        "yaml": "reads configurations",
    },
    stand_ins={"an object with its attributes": "accelerate takes FSDP with an accelerator alone"},
)
