"""The transforms and models that are built, and why another case is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from ..torch_compat import can_call_operators
from .case import Case, Item
from .data import SEQUENCES
from .project import Project, cannot_take
from .transforms.ac import apply_ac
from .transforms.amp import apply_amp
from .transforms.averaged_gradients import cannot_average
from .transforms.compile import apply_compile
from .transforms.cp import apply_cp, cannot_cp
from .transforms.ddp import apply_ddp, broadcast_by_ddp
from .transforms.fsdp import apply_fsdp, apply_hsdp, cannot_shard, cannot_shard_and_replicate
from .transforms.optimizer import apply_optimizer
from .transforms.pp import SCHEDULES, apply_pp
from .transforms.replicate import apply_replicate, broadcast_by_replicate
from .transforms.sac import FAMILIES, apply_sac
from .transforms.tp import apply_tp, broadcast_by_tp, cannot_tp
from .transforms.transform import Transform

TRANSFORMS: dict[str, Transform] = {
    "pp": Transform(apply_pp, (*SCHEDULES, "microbatches", "cut")),
    "tp": Transform(
        apply_tp, ("sp", "plan", "rest", "loss_parallel"), cannot=cannot_tp, broadcasts=broadcast_by_tp
    ),
    "cp": Transform(apply_cp, ("all_gather",), ("attention",), cannot_cp),
    "ac": Transform(apply_ac, ("n", "reentrant"), ("block",)),
    "sac": Transform(apply_sac, (f"policy={'|'.join(FAMILIES)}", "n"), ("block",)),
    "compile": Transform(apply_compile, ("wrap", "fullgraph"), ("block", "model")),
    "fsdp": Transform(apply_fsdp, ("reshard", "mp"), ("block",), cannot_shard),
    "hsdp": Transform(apply_hsdp, ("reshard", "mp"), ("block",), cannot_shard_and_replicate),
    "ddp": Transform(
        apply_ddp,
        ("no_sync", "bucket_kib", "device_mesh"),
        cannot=cannot_average,
        broadcasts=broadcast_by_ddp,
        sends_every_parameter=True,
    ),
    "replicate": Transform(
        apply_replicate,
        cannot=cannot_average,
        broadcasts=broadcast_by_replicate,
        sends_every_parameter=True,
    ),
    "amp": Transform(apply_amp),
    "optimizer": Transform(apply_optimizer, ("clip", "foreach", "lr", "weight_decay")),
}
MODELS = ["llama"]


def built_for(project: Project | None) -> tuple[list[dict[str, Any]], list[str]]:
    """The transforms, with what of each, and the models of a published project, or those of this engine."""
    transforms = [transform.built(name) for name, transform in transforms_of(project).items()]
    return transforms, list(project.models) if project else MODELS


def cannot(case: Case, project: Project | None = None) -> str:
    """Why the case is not for this engine, or ""."""
    if project:
        if reason := cannot_take(project, case):
            return reason
    elif case.model not in MODELS and ":" not in case.model:
        return f"model '{case.model}' is not built; expected llama or package.module:factory"
    for item in case.items:
        if reason := cannot_apply(item, case, project):
            return reason
    ranks = case.data_parallel_degree * case.sequence_parallel_degree
    if case.apply and case.settings.exact and ranks & (ranks - 1) != 0:
        return (
            f"{case.apply} averages gradients over {ranks} ranks, which rounds; expected a power of two, or "
            "--arithmetic float32"
        )
    inductor = any(item.mode == "inductor" for item in case.items)
    if inductor and case.settings.exact and not can_call_operators():
        return (
            f"the loops that inductor of torch {torch.__version__} writes are out of reach of exact kernels; expected "
            "arithmetic=float32"
        )
    casting = [item.casts for item in case.items if item.casts]
    if casting and case.settings.arithmetic != "float32":
        return f"{casting[0]} casts float32, and exact arithmetic is float64; expected arithmetic=float32"
    if SEQUENCES // case.data_parallel_degree < case.settings.accumulation:
        return (
            f"{case.data_parallel_degree} data-parallel ranks times {case.settings.accumulation} microbatches leave a "
            f"rank without a sample of the {SEQUENCES} of a step; expected a lower --accumulation or degree"
        )
    return ""


def transforms_of(project: Project | None) -> Mapping[str, Transform]:
    return project.transforms if project else TRANSFORMS


def cannot_apply(item: Item, case: Case, project: Project | None) -> str:
    if case.apply:  # the items only say what the user's function does
        return ""
    transform = transforms_of(project).get(item.name)
    missing = transform.unbuilt(item) if transform else item.name
    if missing or not transform:
        return f"not built: {missing}"
    return transform.cannot(item)
