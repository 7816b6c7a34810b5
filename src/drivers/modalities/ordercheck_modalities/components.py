"""The components that stand for items, with the arguments of the published configurations."""

from __future__ import annotations

from math import prod
from typing import Any
from unittest.mock import patch

import torch
from ordercheck_pytorch.api import (
    NOTE,
    Item,
    Pipeline,
    Program,
    Site,
    apply_optimizer,
    mark_compiled,
    stand_in_for_inductor,
)
from torch import nn
from torch._dynamo.eval_frame import OptimizedModule

from .models import LAYERS
from .package import part

BLOCKS = ["GPT2Block"]
SCHEDULES = {"gpipe": "gpipe", "1f1b": "1f1b"}


def factory() -> Any:
    return part("models.model_factory").ModelFactory


def mesh_of(site: Site) -> Any:
    """One a case: it makes process groups of the world."""
    if "mesh" not in site.kept:
        degrees = site.degrees
        site.kept["mesh"] = part("running_env.fsdp.device_mesh").get_device_mesh(
            device_type=site.device,
            data_parallel_replicate_degree=degrees["dp_replicate"],
            data_parallel_shard_degree=degrees["dp_shard"],
            tensor_parallel_degree=degrees["tp"],
            pipeline_parallel_degree=degrees["pp"],
            context_parallel_degree=degrees["cp"],
            enable_loss_parallel=False,
            world_size=prod(degrees[axis] for axis in ("dp_replicate", "dp_shard", "tp", "pp", "cp")),
        )
    return site.kept["mesh"]


def apply_pp(program: Program, item: Item, site: Site) -> None:
    """get_staged_pipeline, which takes "cuda" as its device: the calls in it, with the device of the case."""
    pipelining, mesh = part("models.parallelism.pipeline_parallelism"), mesh_of(site)
    schedule = next((name for name in SCHEDULES if name in item.options), "1f1b")
    generator = part("models.parallelism.stages_generator").GPT2LLMStagesGenerator(num_model_layers=LAYERS)
    names = generator.get_stages(
        num_layers_per_stage=(LAYERS + 2) // site.degrees["pp"], pp_dims=site.degrees["pp"]
    )
    stages, parts = pipelining.PipelineFactory._get_split_model(
        whole_model=program.model,
        schedule_class=pipelining.get_schedule_class(SCHEDULES[schedule]),
        pp_mesh=mesh["pp"],
        device=torch.device(site.device),
        fqns_per_stage=names,
    )
    program.model = parts[0]
    program.pipeline = Pipeline(
        schedule=schedule,
        microbatches=None,
        stage=stages[0].stage_index,
        stages=len(names),
        group=mesh["pp"].get_group(),
    )


def apply_tp(program: Program, item: Item, site: Site) -> None:
    gpt2_factory = part("models.model_factory").GPT2ModelFactory
    program.model = gpt2_factory.get_gpt2_tensor_parallelized_model(program.model, mesh_of(site))


def checkpoint(program: Program, variant: str, parameters: Any) -> None:
    variants = part(
        "training.activation_checkpointing.activation_checkpointing_variants"
    ).ActivationCheckpointingVariants
    program.model = factory().get_activation_checkpointed_fsdp2_model_(
        ac_variant=variants[variant],
        layers_fqn="transformer.h",
        model=program.model,
        ac_fun_params=parameters,
    )


def apply_ac(program: Program, item: Item, site: Site) -> None:
    config = part("config.config").ActivationCheckpointedModelConfig
    checkpoint(program, "FULL_ACTIVATION_CHECKPOINTING", config.FullACParams())


def apply_sac(program: Program, item: Item, site: Site) -> None:
    """Every operator that it can keep, as its configurations with selective checkpointing list them."""
    config = part("config.config").ActivationCheckpointedModelConfig
    checkpointing = part("training.activation_checkpointing.activation_checkpointing")
    keys = list(checkpointing.ActivationCheckpointing.SAVE_DICT)
    parameters = config.SelectiveOpACParams(save_ops_keys=keys)
    checkpoint(program, "SELECTIVE_OP_ACTIVATION_CHECKPOINTING", parameters)


def apply_compile(program: Program, item: Item, site: Site) -> None:
    """get_compiled_model names no backend: torch.compile gets that of the item."""
    if not item.mode:
        program.notes.append(NOTE)
    backend, stock = item.mode or stand_in_for_inductor, torch.compile

    def compile_with_backend(model: Any, **options: Any) -> Any:
        return stock(model, backend=backend, **options)

    before = set(compiled_modules(program.model))
    with patch("torch.compile", compile_with_backend):
        program.model = factory().get_compiled_model(program.model, block_names=BLOCKS, fullgraph=True)
    for module in compiled_modules(program.model):
        if module not in before:  # for the profile, which says what of it ran in graphs
            mark_compiled(module)


def compiled_modules(model: nn.Module) -> list[OptimizedModule]:
    return [module for module in model.modules() if isinstance(module, OptimizedModule)]


def apply_fsdp(program: Program, item: Item, site: Site) -> None:
    environment = part("running_env.env_utils")
    whole = environment.PyTorchDtypes.FP_32
    program.model = factory().get_fsdp2_wrapped_model(
        program.model,
        block_names=BLOCKS,
        device_mesh=mesh_of(site),
        mixed_precision_settings=environment.FSDP2MixedPrecisionSettings(
            param_dtype=whole, reduce_dtype=whole
        ),
        reshard_after_forward=item.options.get("reshard", "always") != "never",
    )
    # FSDP2 averages gradients, and the engine's loss is divided by the tokens of the whole step.
    program.gradient_factor *= site.degrees["dp_replicate"] * site.degrees["dp_shard"]


def apply_adamw(program: Program, item: Item, site: Site) -> None:
    apply_optimizer(program, item, site)
    if program.clips_by is None:
        return
    clipping = part("training.gradient_clipping.fsdp_gradient_clipper")
    clipper = clipping.FSDP2GradientClipper(
        program.model,
        max_norm=program.max_norm,
        norm_type=clipping.GradientClippingMode.P2_NORM,
        device_mesh=mesh_of(site),
    )
    program.clips_by = lambda model: clipper.clip_gradients()


def cannot_build(item: Item) -> str:
    if item.options.get("clip") == "per_mesh":
        return "optimizer:clip=per_mesh is what its FSDP2GradientClipper does; expected a number"
    return ""
