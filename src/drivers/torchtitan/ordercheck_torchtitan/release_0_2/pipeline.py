"""Its pipeline: the model cut into one stage a rank."""

from __future__ import annotations

from typing import Any

import torch
from ordercheck_pytorch.api import Item, Pipeline, Program, Site

from .job import job_config, parallel_dims
from .package import part

SCHEDULES = {"gpipe": "GPipe", "1f1b": "1F1B"}


def apply_pp(program: Program, item: Item, site: Site) -> None:
    """One stage a rank: what pipeline_llm does before and after its parallelize_fn."""
    pipelining = part("distributed.pipeline_parallel")
    dims, config = parallel_dims(site), job_config(site).parallelism
    schedule = next((name for name in SCHEDULES if name in item.options), "1f1b")
    model: Any = program.model
    names = pipelining.generate_llm_fqn_per_model_part(
        dims.pp,
        model.model_args.n_layers,
        config.pipeline_parallel_first_stage_less_layers,
        config.pipeline_parallel_last_stage_less_layers,
    )
    mesh = dims.get_mesh("pp")
    stages, parts = pipelining.pipeline_module_split(
        model, mesh, SCHEDULES[schedule], torch.device(site.device), names
    )
    program.model = parts[0]
    program.pipeline = Pipeline(
        schedule=schedule,
        microbatches=int(item.options["microbatches"]) if "microbatches" in item.options else None,
        stage=stages[0].stage_index,
        stages=len(names),
        group=mesh.get_group(),
        divides_loss=False,  # the schedule's loss is the sum; the trainer divides what it reports
    )
