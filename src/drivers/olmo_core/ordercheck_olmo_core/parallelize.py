"""The steps of its parallelize_model (train/train_module/transformer/common.py), with the arguments that it calls them with."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import torch
from ordercheck_pytorch.api import (
    NOTE,
    SCOPE,
    Item,
    Pipeline,
    Program,
    Site,
    marked,
    stand_in_for_inductor,
)

from .job import world_mesh
from .package import part

SCHEDULES = {"gpipe": "GPipe", "1f1b": "1F1B"}


def apply_pp(program: Program, item: Item, site: Site) -> None:
    """TransformerPipelineTrainModule splits the model, then parallelize_model calls apply_pp of every part. The engine makes
    the stage and the schedule from the part."""
    schedule = next((name for name in SCHEDULES if name in item.options), "1f1b")
    parallel = part("distributed.parallel")
    config = part("train.train_module.transformer.config").TransformerPipelineParallelConfig(
        degree=site.degrees["pp"], schedule=parallel.PipelineScheduleType(SCHEDULES[schedule])
    )
    mesh = parallel.get_pp_mesh(world_mesh(site))
    stages, parts = config.split_model(program.model, pp_mesh=mesh, device=torch.device(site.device))
    parts[0].apply_pp(mesh)
    program.model = parts[0]
    program.pipeline = Pipeline(
        schedule=schedule,
        microbatches=None,
        stage=stages[0].stage_index,
        stages=len(config.get_split_points(parts[0].n_layers)) + 1,
        group=mesh.get_group(),
    )
    site.kept["pp_group"] = mesh.get_group()


def apply_cp(program: Program, item: Item, site: Site) -> None:
    """Ulysses, the one style that its attention by torch takes. Its load balancer splits the batch within forward."""
    model: Any = program.model
    config = part("train.train_module.transformer.config").TransformerContextParallelConfig
    style = config.ulysses(site.degrees["cp"])
    mesh = part("distributed.parallel").get_cp_mesh(world_mesh(site))
    model.apply_cp(mesh, ring=style.ring, uly=style.uly)


def apply_tp(program: Program, item: Item, site: Site) -> None:
    model: Any = program.model
    model.apply_tp(part("distributed.parallel").get_tp_mesh(world_mesh(site)))


def checkpoint(program: Program, mode: str) -> None:
    model: Any = program.model
    modes = part("nn.transformer").TransformerActivationCheckpointingMode
    model.apply_activation_checkpointing(modes(mode))


def apply_ac(program: Program, item: Item, site: Site) -> None:
    checkpoint(program, "full")


def apply_sac(program: Program, item: Item, site: Site) -> None:
    checkpoint(program, "selected_ops")


def apply_compile(program: Program, item: Item, site: Site) -> None:
    """Its blocks and lm_head compile in place and name no backend: torch.compile gets that of the item."""
    if not item.mode:
        program.notes.append(NOTE)
    model: Any = program.model
    backend, stock = item.mode or stand_in_for_inductor, torch.compile

    def compile_with_backend(call: Any, **options: Any) -> Any:
        return stock(call, backend=backend, **options)

    before = {id(m) for m in model.modules() if m._compiled_call_impl is not None}
    with patch("torch.compile", compile_with_backend):
        model.apply_compile()
    for module in model.modules():
        if module._compiled_call_impl is not None and id(module) not in before:
            # For the profile, which says what of the module ran in graphs.
            module._compiled_call_impl = marked(SCOPE, module._compiled_call_impl)


def apply_fsdp(program: Program, item: Item, site: Site) -> None:
    """Of one dimension or two. Reduced in the dtype of the parameters, as its default float32 is for float32 models."""
    model: Any = program.model
    mesh = part("distributed.parallel").get_dp_model_mesh(world_mesh(site))
    model.apply_fsdp(dp_mesh=mesh, reduce_dtype=torch.get_default_dtype(), pp_enabled=site.degrees["pp"] > 1)

    def tell(is_last: bool) -> None:
        """As _train_microbatch_context of the train module."""
        model.set_is_last_backward(is_last)
        if site.degrees["dp_replicate"] > 1:
            model.set_requires_all_reduce(is_last)

    if program.pipeline is None:
        program.on_microbatch.append(tell)
    average_over_data_parallel_ranks(program, site)


def apply_ddp(program: Program, item: Item, site: Site) -> None:
    model: Any = program.model
    mesh = part("distributed.parallel").get_dp_model_mesh(world_mesh(site))
    model.apply_ddp(dp_mesh=mesh)
    average_over_data_parallel_ranks(program, site)


def average_over_data_parallel_ranks(program: Program, site: Site) -> None:
    """Its mesh for data parallelism includes the ranks of cp. Each average is multiplied back to a sum, because the engine's
    loss is divided by the tokens of the whole step."""
    degrees = site.degrees
    program.gradient_factor *= degrees["dp_replicate"] * degrees["dp_shard"] * degrees["cp"]
