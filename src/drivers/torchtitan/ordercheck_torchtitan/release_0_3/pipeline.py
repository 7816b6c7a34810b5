"""Its pipeline: the model cut into one stage a rank."""

from __future__ import annotations

from typing import Any

import torch
from ordercheck_pytorch.api import Item, Pipeline, Program, Site

from .job import job_of
from .package import part
from .parallelize import enter_meshes

SCHEDULES = {"gpipe": "GPipe", "1f1b": "1F1B"}


def apply_pp(program: Program, item: Item, site: Site) -> None:
    """What pipeline_llm does before its parallelize_fn."""
    pipelining = part("distributed.pipeline_parallel")
    dims, parallelism = enter_meshes(program, site), job_of(site).parallelism
    schedule = next((name for name in SCHEDULES if name in item.options), "1f1b")
    parallelism.pipeline_parallel_schedule = SCHEDULES[schedule]
    model: Any = program.model
    stages, layers, first, last = pipelining._get_pipeline_metadata(dims, parallelism, model.config)
    names = pipelining._generate_llm_fqn_per_model_part(stages, layers, first, last)
    mesh = dims.get_mesh("pp")
    cut, parts = pipelining._pipeline_module_split(
        model,
        mesh,
        SCHEDULES[schedule],
        torch.device(site.device),
        names,
        get_mesh=pipelining._build_get_mesh_callback(dims),
    )
    program.model = parts[0]
    program.pipeline = Pipeline(
        schedule=schedule,
        microbatches=int(item.options["microbatches"]) if "microbatches" in item.options else None,
        stage=cut[0].stage_index,
        stages=len(names),
        group=mesh.get_group(),
    )
