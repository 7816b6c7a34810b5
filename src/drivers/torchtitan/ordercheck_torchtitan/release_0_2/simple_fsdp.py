"""experiments/simple_fsdp: parameters that gather themselves, and the compile of the whole model that comes with them."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import torch
from ordercheck_pytorch.api import Item, Program, Site, mark_compiled, stand_in_for_inductor
from torch import nn

from .job import job_config, parallel_dims
from .package import family_of, part


def apply_simple_fsdp(program: Program, item: Item, site: Site) -> None:
    simple_fsdp(program, item, site, "fully_shard", ["fsdp"], ["efsdp"])


def apply_simple_hsdp(program: Program, item: Item, site: Site) -> None:
    simple_fsdp(program, item, site, "hybrid_shard", ["dp_replicate", "fsdp"], ["dp_replicate", "efsdp"])


def apply_simple_replicate(program: Program, item: Item, site: Site) -> None:
    simple_fsdp(program, item, site, "replicate", ["dp_replicate"], ["dp_replicate", "efsdp"])


def simple_fsdp(
    program: Program, item: Item, site: Site, mode: str, names: list[str], names_of_experts: list[str]
) -> None:
    """Of experiments/simple_fsdp; with experts of a mesh of their own, these before the model."""
    dims, dtypes, config = parallel_dims(site), part("config").TORCH_DTYPE_MAP, job_config(site).training
    parallel = part("experiments.simple_fsdp.simple_fsdp")
    policy = parallel.MixedPrecisionPolicy(
        param_dtype=dtypes[config.mixed_precision_param], reduce_dtype=dtypes[config.mixed_precision_reduce]
    )
    if dims.ep_enabled:
        model: Any = program.model
        mesh = dims.get_mesh(names_of_experts)
        for block in model.layers.values():
            if block.moe_enabled:
                experts = block.moe.experts
                among = mesh["efsdp"].size() * dims.ep > experts.num_experts
                block.moe.experts = parallel.data_parallel(
                    experts, mesh, mode, mp_policy=policy, shard_dim=1 if among else 0
                )
    program.model = parallel.data_parallel(program.model, dims.get_mesh(names), mode, mp_policy=policy)


def compile_model(program: Program, item: Item, site: Site) -> None:
    """As experiments/simple_fsdp compiles: the whole model, with passes of its own over the captured graph."""
    config, model = job_config(site), program.model
    config.compile.backend = item.mode or stand_in_for_inductor
    policy = config.parallelism.fsdp_reshard_after_forward
    buckets = (
        simple_fsdp_of(model).get_transformer_block_buckets(model) if config.compile.graph_passes else None
    )
    backend = part("experiments.simple_fsdp.backend").get_compile_backend_with_passes(
        config.compile,
        policy == "always" or (policy == "default" and not parallel_dims(site).pp_enabled),
        buckets,
    )
    torch._inductor.config.reorder_for_peak_memory = False
    torch._dynamo.config.capture_scalar_outputs = True  # as it does for MoE models
    program.model = torch.compile(model, backend=backend, fullgraph=True)  # type: ignore[assignment]
    mark_compiled(program.model)


def simple_fsdp_of(model: nn.Module) -> ModuleType:
    """Its parallelize.py of the model's family; llama3's where it has none."""
    family = family_of(model).rpartition(".")[2]
    return part(
        f"experiments.simple_fsdp.{'deepseek_v3' if family == 'deepseek_v3' else 'llama3'}.parallelize"
    )
