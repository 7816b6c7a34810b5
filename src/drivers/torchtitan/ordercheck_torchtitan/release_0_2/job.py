"""The configuration of a job, as torchtitan's command line makes it of the degrees of a case, and its meshes."""

from __future__ import annotations

import functools
from typing import Any

from ordercheck_pytorch.api import SEQUENCE_LENGTH, Case, Site

from .package import part

BUCKETING = {"transformer_block": "transformer_block_bucketing", "auto": "auto_bucketing"}


def configured(case: Case) -> dict[str, Any]:
    """What SimpleFSDP does about buckets, and about gathered parameters after forward, are passes over a captured graph. Both
    are the job's configuration, which torchtitan's compile reads."""
    arguments: dict[str, Any] = {}
    for item in case.items:
        if item.name.startswith("simple_") and "bucket" in item.options:
            arguments["compile.graph_passes"] = BUCKETING[item.options["bucket"]]
        if item.name.startswith("simple_") and "reshard" in item.options:
            arguments["parallelism.fsdp_reshard_after_forward"] = item.options["reshard"]
    return {"arguments": arguments}


def job_config(site: Site) -> Any:
    """As torchtitan's command line makes it, of the degrees of the case. Its own defaults for the rest, but for the dtype."""
    degrees = site.degrees
    arguments = {
        "training.seq_len": SEQUENCE_LENGTH,
        "training.mixed_precision_param": "float32",
        "parallelism.data_parallel_replicate_degree": degrees["dp_replicate"],
        "parallelism.data_parallel_shard_degree": degrees["dp_shard"],
        "parallelism.context_parallel_degree": degrees["cp"],
        "parallelism.tensor_parallel_degree": degrees["tp"],
        "parallelism.pipeline_parallel_degree": degrees["pp"],
        "parallelism.expert_parallel_degree": degrees.get("ep", 1),
        "parallelism.expert_tensor_parallel_degree": degrees.get("etp", 1),
        "job.custom_config_module": "torchtitan.experiments.simple_fsdp.job_config",  # adds compile.graph_passes
        **site.kept.get("arguments", {}),
    }
    words = [word for name, value in arguments.items() for word in (f"--{name}", str(value))]
    return part("config").ConfigManager().parse_args(words)


def parallel_dims(site: Site) -> Any:
    """One a case: its meshes are process groups of the world."""
    if "parallel_dims" not in site.kept:
        degrees = site.degrees
        sizes = {axis: degrees[axis] for axis in ("dp_replicate", "dp_shard", "cp", "tp", "pp")}
        world = functools.reduce(lambda a, b: a * b, sizes.values())
        site.kept["parallel_dims"] = part("distributed").ParallelDims(
            **sizes, ep=degrees.get("ep", 1), etp=degrees.get("etp", 1), world_size=world
        )
    return site.kept["parallel_dims"]
