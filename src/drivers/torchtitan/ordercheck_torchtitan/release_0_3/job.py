"""The configuration of a job, as torchtitan's config registry makes it, of the degrees of a case; and its meshes."""

from __future__ import annotations

import math
from typing import Any

from ordercheck_pytorch.api import SEQUENCE_LENGTH, VOCABULARY, Case, Site

from .package import part

BUCKETING = {"transformer_block": "transformer_block_bucketing", "auto": "auto_bucketing"}
SPMD_BACKENDS = ("spmd_types", "partial_dtensor", "full_dtensor")


def configured(case: Case) -> dict[str, Any]:
    settings = case.settings
    return {"job": job_config(case), "seed": settings.seed, "accumulation": settings.accumulation}


def job_config(case: Case) -> Any:
    """torchtitan's own defaults for all that a case does not say, but for dtypes and what wants an accelerator."""
    configs, trainer = part("config"), part("trainer")
    options = {name: value for item in case.items for name, value in item.options.items()}
    experts = next((item.degrees[0] for item in case.items if item.name == "ep" and item.degrees), 1)
    return trainer.Trainer.Config(
        loss=loss_config(case),
        training=configs.TrainingConfig(
            seq_len=SEQUENCE_LENGTH,
            mixed_precision_param="float32",
            disable_cuda_graphs=True,
        ),
        parallelism=configs.ParallelismConfig(
            data_parallel_replicate_degree=case.mesh["dp_replicate"],
            data_parallel_shard_degree=case.mesh["dp_shard"],
            context_parallel_degree=case.mesh["cp"],
            tensor_parallel_degree=case.mesh["tp"],
            pipeline_parallel_degree=case.mesh["pp"],
            expert_parallel_degree=experts,
            enable_sequence_parallel=options.get("sp") != "off",
            spmd_backend=spmd_backend_of(case),
            fsdp_reshard_after_forward=options.get("reshard", "default"),
        ),
        activation_checkpoint=None,
        compile=compile_config(case),
    )


def loss_config(case: Case) -> Any:
    losses = part("components.loss")
    whole = losses.CrossEntropyLoss.Config(global_vocab_size=VOCABULARY)
    if case.model != "llama3_chunked":
        return whole
    if not any(item.name.startswith("simple_") for item in case.items):
        return losses.ChunkedLossWrapper.Config(loss_fn=whole)
    # As to_graph_trainer_config replaces it.
    chunked = part("experiments.graph_trainer.chunked_loss")
    return chunked.ChunkedLossWrapperWithParamGrads.Config(loss_fn=whole)


def compile_config(case: Case) -> Any:
    """The passes are part of a job from its start: a compile before SimpleFSDP has them too. EP chunking needs a
    job that compiles: its mode aot_fx_trace runs the chunked forward once to trace it, as a stack without compile runs it."""
    uses_graph_trainer = any(
        item.name.startswith("simple_") or (item.name, item.scope) == ("compile", "model")
        for item in case.items
    )
    if not uses_graph_trainer:
        return part("config").CompileConfig()
    buckets = dict.fromkeys(item.options["bucket"] for item in case.items if "bucket" in item.options)
    configs = part("experiments.graph_trainer.configs")
    has_chunks = any("chunks" in item.options for item in case.items)
    return configs.GraphTrainerCompileConfig(
        enable=has_chunks,
        mode="jit",
        passes=[BUCKETING[bucket] for bucket in buckets],
        ep_overlap=configs.EpOverlapConfig(enabled=has_chunks, strategy="eager"),
    )


def job_of(site: Site) -> Any:
    return site.kept["job"]


def parallel_dims(site: Site) -> Any:
    """One a case: its meshes are process groups of the world."""
    if "parallel_dims" not in site.kept:
        world = math.prod(site.degrees[axis] for axis in ("dp_replicate", "dp_shard", "cp", "tp", "pp"))
        dims = part("distributed").ParallelDims.from_config(job_of(site).parallelism, world)
        dims.build_mesh()
        site.kept["parallel_dims"] = dims
    return site.kept["parallel_dims"]


def spmd_backend_of(case: Case) -> str:
    """graph_trainer, which has SimpleFSDP, is pinned to partial_dtensor."""
    usual = "partial_dtensor" if any(item.name.startswith("simple_") for item in case.items) else "spmd_types"
    return next((item.options["spmd"] for item in case.items if "spmd" in item.options), usual)
