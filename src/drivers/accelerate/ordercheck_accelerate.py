"""Hugging Face accelerate 1.15.0: what Accelerator.prepare does to a model under FSDP2 or DDP, on the engine's llama.

Accelerator._prepare_fsdp2 checkpoints, compiles and shards, in this order. Accelerator.prepare_model wraps in DDP and then
compiles. Here each of these steps is an item and runs where the stack says.

- accelerate runs FSDP only on an accelerator: on a CPU, its AcceleratorState has the type MULTI_CPU. So the Accelerator here
  is made without __init__, and gets the attributes that its methods read. Methods, plugin and mesh are accelerate's own.
- accelerate compiles the repeated blocks of an nn.ModuleList, so the llama here keeps its blocks in one."""

from __future__ import annotations

import math
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import torch
from ordercheck_pytorch.api import (
    NOTE,
    SCOPE,
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
    marked,
    stand_in_for_inductor,
    summed_cross_entropy,
)
from torch import nn


class LlamaWithList(Llama):
    """compile_regions finds no block in an nn.ModuleDict: it would compile the whole model."""

    layers: Any

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(self.layers.values())

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        assert self.tok_embeddings is not None and self.norm is not None and self.output is not None
        h = self.tok_embeddings(tokens)
        for block in self.layers:
            h = block(h, self.rope, self.mask)
        return self.output(self.norm(h))


def accelerator(program: Program, site: Site, kind: str) -> Any:
    """An Accelerator of this distributed type. One per case and type, because it owns a mesh."""
    if kind not in site.kept:
        made = object.__new__(import_module("accelerate").Accelerator)
        made._models, made._optimizers = [], []
        made.native_amp = made.has_fp8_handler = made.delayed_fp8_autocast = False
        made.ddp_handler = None
        dynamo = import_module("accelerate.utils").DynamoBackend
        made.state = SimpleNamespace(
            distributed_type=getattr(import_module("accelerate").DistributedType, kind),
            dynamo_plugin=SimpleNamespace(backend=dynamo.NO),
            mixed_precision="no",
            use_distributed=True,
            is_main_process=False,
            is_fsdp2=kind == "FSDP",
            device=torch.device(site.device),
            parallelism_config=None,
            device_mesh=None,
            deepspeed_plugin=None,
        )
        if kind == "FSDP":
            add_plugin_and_mesh(made.state, program.model, site)
        site.kept[kind] = made
    return site.kept[kind]


def add_plugin_and_mesh(state: Any, model: nn.Module, site: Site) -> None:
    """As `accelerate launch` with fsdp_version 2 and TRANSFORMER_BASED_WRAP makes them."""
    plugin = import_module("accelerate").FullyShardedDataParallelPlugin(
        fsdp_version=2,
        auto_wrap_policy="transformer_based_wrap",
        transformer_cls_names_to_wrap=["TransformerBlock"],
        cpu_ram_efficient_loading=False,
        reshard_after_forward=True,
    )
    plugin.set_auto_wrap_policy(model)  # _prepare_fsdp2 calls this first
    config = import_module("accelerate.parallelism_config").ParallelismConfig(
        dp_replicate_size=site.degrees["dp_replicate"], dp_shard_size=site.degrees["dp_shard"]
    )
    state.fsdp_plugin, state.parallelism_config = plugin, config
    state.device_mesh = config.build_device_mesh(site.device)


def apply_ac(program: Program, item: Item, site: Site) -> None:
    utils = import_module("accelerate.utils.fsdp_utils")
    program.model = utils.fsdp2_apply_ac(accelerator(program, site, "FSDP"), program.model)


def apply_compile(program: Program, item: Item, site: Site) -> None:
    """`compile` is the regional compilation of _prepare_fsdp2, `compile:wrap` that of prepare_model. Both call torch.compile
    for compile:wrap@model."""
    backend: Any = item.mode or stand_in_for_inductor
    if not item.mode:
        program.notes.append(NOTE)
    other = import_module("accelerate.utils.other")
    if item.scope == "model":
        program.model = torch.compile(program.model, backend=backend)  # type: ignore[assignment]
        mark_compiled(program.model)
    elif "wrap" in item.options:
        before = set(program.model.modules())
        program.model = other.compile_regions(program.model, backend=backend)
        for module in set(program.model.modules()) - before:
            if other.is_compiled_module(module):
                mark_compiled(module)
    else:
        torch._dynamo.config.capture_scalar_outputs = True
        torch._dynamo.config.skip_fwd_side_effects_in_bwd_under_checkpoint = True
        compiled_before = set(compiled_in_place(program.model))
        program.model = other.compile_regions_fsdp2(program.model, backend=backend)
        for module in set(compiled_in_place(program.model)) - compiled_before:
            call = module._compiled_call_impl
            assert call is not None
            module._compiled_call_impl = marked(SCOPE, call)


def compiled_in_place(model: nn.Module) -> list[nn.Module]:
    return [module for module in model.modules() if module._compiled_call_impl is not None]


def apply_fsdp(program: Program, item: Item, site: Site) -> None:
    """_prepare_fsdp2 with a plugin that neither checkpoints nor compiles. It also swaps the parameters of an optimizer."""
    made = accelerator(program, site, "FSDP")
    made._prepare_one = lambda prepared, **_: (
        prepared
    )  # would wrap the optimizer, which needs an AcceleratorState
    built = [] if program.optimizer is None else [program.optimizer]
    program.model = made._prepare_fsdp2(program.model, *built)[0]
    # FSDP2 averages gradients over its ranks, and accelerate keeps the average.
    program.gradient_factor *= site.degrees["dp_replicate"] * site.degrees["dp_shard"]


def apply_ddp(program: Program, item: Item, site: Site) -> None:
    """Its DDP reduces over all ranks: it gets no process group."""
    program.model = accelerator(program, site, "MULTI_CPU").prepare_model(
        program.model, device_placement=False
    )
    program.gradient_factor *= site.degrees["dp_replicate"]


def apply_optimizer_and_clipping(program: Program, item: Item, site: Site) -> None:
    apply_optimizer(program, item, site)
    if program.clips_by is not None:
        made = accelerator(program, site, "MULTI_CPU")  # the type only decides which models it looks up
        program.clips_by = lambda model: made.clip_grad_norm_(model.parameters(), program.max_norm)


def cannot_clip(item: Item) -> str:
    if item.options.get("clip") == "per_mesh":
        return "optimizer:clip=per_mesh: accelerate's clipping does this by itself; expected a number"
    return ""


def cannot_compile(item: Item) -> str:
    if item.scope == "model" and "wrap" not in item.options:
        return "accelerate compiles a whole model by torch.compile(model); expected compile:wrap@model"
    return ""


def cannot_average(item: Item) -> str:
    count = math.prod(item.degrees)
    return f"{item.name} divides gradients by {count}; expected a power of two" if count & (count - 1) else ""


def begin(case: Case) -> None:
    """Restores what apply_compile of an earlier case set in this process."""
    torch._dynamo.config.capture_scalar_outputs = False
    torch._dynamo.config.skip_fwd_side_effects_in_bwd_under_checkpoint = False


PROJECT = Project(
    requirements=("accelerate==1.15.0", "packaging==26.3"),
    models={"llama": lambda case: LlamaWithList().to(torch.get_default_dtype())},
    transforms={
        "ac": Transform(apply_ac, scopes=("block",)),
        "compile": Transform(apply_compile, ("wrap",), ("block", "model"), cannot=cannot_compile),
        "fsdp": Transform(apply_fsdp, scopes=("block",), cannot=cannot_average),
        "hsdp": Transform(apply_fsdp, scopes=("block",), cannot=cannot_average),
        "ddp": Transform(apply_ddp, cannot=cannot_average),
        "optimizer": Transform(
            apply_optimizer_and_clipping, ("clip", "foreach", "lr", "weight_decay"), cannot=cannot_clip
        ),
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
    stand_ins={
        "an Accelerator without its __init__": "on a CPU, AcceleratorState allows DDP but no FSDP",
        "the optimizer itself": "AcceleratedOptimizer, which wraps it, reads the state of the process",
    },
    begin=begin,
)
