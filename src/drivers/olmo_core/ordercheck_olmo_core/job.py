"""The world mesh of a job, which a job has one of, and the configuration of data parallelism that it needs for it."""

from __future__ import annotations

from typing import Any

from ordercheck_pytorch.api import Site

from .package import part


def world_mesh(site: Site) -> Any:
    """build_world_mesh wants a configuration of data parallelism in every job; without an item for it the degree is 1."""
    if "world_mesh" not in site.kept:
        degrees, parallel = site.degrees, part("distributed.parallel")
        configs: dict[str, Any] = {"dp": data_parallel_config(site), "device_type": site.device}
        if degrees["pp"] > 1:
            configs["pp"] = parallel.PipelineParallelConfig(degree=degrees["pp"])
        if degrees["tp"] > 1:
            configs["tp"] = parallel.TensorParallelConfig(degree=degrees["tp"])
        if degrees["cp"] > 1:
            context = part("distributed.parallel.context_parallel")
            configs["cp"] = context.ContextParallelConfig(degree=degrees["cp"])
        site.kept["world_mesh"] = parallel.build_world_mesh(**configs)
    return site.kept["world_mesh"]


def data_parallel_config(site: Site) -> Any:
    parallel = part("distributed.parallel")
    replicas, shards = site.degrees["dp_replicate"], site.degrees["dp_shard"]
    if replicas > 1 and shards > 1:
        return parallel.DataParallelConfig(
            name=parallel.DataParallelType.hsdp, num_replicas=replicas, shard_degree=shards
        )
    kind = parallel.DataParallelType.ddp if replicas > 1 else parallel.DataParallelType.fsdp
    return parallel.DataParallelConfig(name=kind)


def begin_job() -> None:
    """A process runs one job, and build_world_mesh refuses a second mesh."""
    part("distributed.parallel")._WORLD_MESH = None
