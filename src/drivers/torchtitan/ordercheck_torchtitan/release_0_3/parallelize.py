"""The steps of its parallelize_* (models/<model>/parallelize.py), with the arguments that they are called with there.

One call, Module.parallelize, distributes the model along tp, cp and ep at once, and under the backends spmd_types and
full_dtensor marks it for data parallelism too. So it is the step of the first of tp, cp and ep that a stack has; where a stack
has none of them it comes before the first other step, as every job of torchtitan has it. One call does one item of each axis:
a second item of an axis is a second call, which torchtitan refuses."""

from __future__ import annotations

from typing import Any

from ordercheck_pytorch.api import Item, Program, Site, reduces_partials_of
from torch import nn

from .inputs import feed
from .job import job_of, parallel_dims
from .package import family_of, part


def enter_meshes(program: Program, site: Site) -> Any:
    """What the trainer sets before it builds, and what it enters around forward and backward, for as long as the case runs."""
    dims = parallel_dims(site)
    if "entered" not in site.kept:
        site.kept["entered"] = True
        utils = part("distributed.utils")
        context = utils.get_spmd_context(parallel_dims=dims)()
        context.__enter__()
        OPEN.append(context)
        feed(program, dims)
    return dims


OPEN: list[Any] = []  # of the case that runs in this process


def apply_parallel(program: Program, item: Item, site: Site) -> None:
    """Of tp, cp and ep."""
    done = site.kept.setdefault("axes_done", set())
    if item.name in done:
        parallelize(program, site)
    else:
        done.add(item.name)
        parallelize_once(program, site)


def apply_ep(program: Program, item: Item, site: Site) -> None:
    apply_parallel(program, item, site)
    if "chunks" in item.options:
        # graph_trainer calls it after SimpleFSDP. It replaces the forward of blocks, and SimpleFSDP replaces weights.
        chunking = part("experiments.graph_trainer.ep_eager_chunk")
        chunking.maybe_apply_ep_overlap_eager_chunking(program.model, job_of(site).compile)


def parallelize_once(program: Program, site: Site) -> None:
    if "is_parallelized" not in site.kept:
        site.kept["is_parallelized"] = True
        parallelize(program, site)


def parallelize(program: Program, site: Site) -> None:
    dims, model = enter_meshes(program, site), program.model
    refuse(model, dims, site)
    if dims.spmd_backend in ("full_dtensor", "spmd_types"):
        part("distributed.full_dtensor").validate_config(dims, model)
        model.parallelize(dims)  # type: ignore[operator]
    else:
        if dims.cp_enabled:
            blocks: Any = model.layers
            part("distributed.context_parallel").apply_cp_to_forward(
                [block.attention.inner_attention for block in blocks.values()], dims.get_mesh("cp")
            )
        if dims.tp_enabled or dims.ep_enabled:
            model.parallelize(dims)  # type: ignore[operator]
    if dims.tp_enabled and not dims.ep_enabled:
        reduce_experts(model, dims)


def refuse(model: nn.Module, dims: Any, site: Site) -> None:
    """parallelize_kimi_k2_5 refuses two configurations before its first step: it is called whole for its own error."""
    is_refused = dims.spmd_backend == "full_dtensor" or dims.cp_enabled
    if is_refused and family_of(model) == "models.kimi_k2_7":
        job = job_of(site)
        part("models.kimi_k2_7").parallelize_kimi_k2_5(
            model,
            parallel_dims=dims,
            training=job.training,
            parallelism=job.parallelism,
            compile_config=job.compile,
            ac_config=job.activation_checkpoint,
            dump_folder="",
        )


def reduce_experts(model: nn.Module, dims: Any) -> None:
    """Where tp splits an expert's width, it returns partial sums, which are multiplied by scores of the router."""
    kind = part("models.common.moe").GroupedExperts
    experts: list[Any] = [module for module in model.modules() if isinstance(module, kind)]
    if experts and reduces_partials_of("aten.mul of experts"):
        for each in experts:
            each.sums_over = dims.get_mesh("tp").get_group()


def parallelize_first(program: Program, site: Site) -> Any:
    """Before a step of a stack that has no item for it."""
    dims = enter_meshes(program, site)
    if not (dims.tp_enabled or dims.cp_enabled or dims.ep_enabled):
        parallelize_once(program, site)
    return dims


def apply_fsdp(program: Program, item: Item, site: Site) -> None:
    shard(program, site)


def shard(program: Program, site: Site) -> None:
    """As it is called at the end of every parallelize_*, of whatever degree."""
    dims, job, full = parallelize_first(program, site), job_of(site), part("distributed.full_dtensor")
    whole, dtypes = dims.spmd_backend in ("full_dtensor", "spmd_types"), part("config").TORCH_DTYPE_MAP
    arguments: dict[str, Any] = {
        "param_dtype": dtypes[job.training.mixed_precision_param],
        "reduce_dtype": dtypes[job.training.mixed_precision_reduce],
        "pp_enabled": dims.pp_enabled,
        "reshard_after_forward_policy": job.parallelism.fsdp_reshard_after_forward,
    }
    mesh, mesh_dims = full.resolve_fsdp_mesh(dims) if whole else (dims.get_mesh(along(dims, "fsdp")), None)
    if dims.ep_enabled:
        edp_mesh, edp_dims = (
            full.resolve_sparse_fsdp_mesh(dims)
            if whole
            else (dims.get_optional_mesh(along(dims, "efsdp")), None)
        )
        arguments |= {"ep_degree": dims.ep, "edp_mesh": edp_mesh, "edp_mesh_dims": edp_dims}
    family = family_of(program.model)
    if family == "models.deepseek_v3":
        apply = part("models.deepseek_v3.mtp").apply_fsdp_to_mtp_decoder
    else:
        apply = part("distributed.fsdp").apply_fsdp_to_decoder
    apply(program.model, mesh, dp_mesh_dims=mesh_dims, **arguments)


def along(dims: Any, name: str) -> list[str]:
    return ["dp_replicate", name] if dims.dp_replicate_enabled else [name]


def shard_if_undivided(program: Program, site: Site) -> None:
    """Where a stack has no data parallelism: torchtitan installs FSDP2 at degree 1."""
    dims = enter_meshes(program, site)
    if not (dims.dp_replicate_enabled or dims.dp_shard_enabled):
        shard(program, site)
