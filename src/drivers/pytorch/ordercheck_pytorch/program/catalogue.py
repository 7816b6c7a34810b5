"""The transforms and models that are built, and why another case is not."""

from __future__ import annotations

from collections.abc import Mapping

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
from .transforms.optimizer import apply_optimizer, cannot_optimize
from .transforms.pp import apply_pp, cannot_pp
from .transforms.replicate import apply_replicate, broadcast_by_replicate
from .transforms.sac import apply_sac, cannot_sac
from .transforms.tp import apply_tp, broadcast_by_tp, cannot_tp
from .transforms.transform import Transform

TRANSFORMS: dict[str, Transform] = {
    "pp": Transform(
        apply_pp, ("gpipe", "1f1b", "interleaved", "zero_bubble", "microbatches", "cut"), cannot=cannot_pp
    ),
    "tp": Transform(
        apply_tp, ("sp", "plan", "rest", "loss_parallel"), cannot=cannot_tp, broadcasts=broadcast_by_tp
    ),
    "cp": Transform(apply_cp, ("all_gather", "ring"), ("attention",), cannot_cp),
    "ac": Transform(apply_ac, ("n", "reentrant"), ("block",)),
    "sac": Transform(apply_sac, ("policy", "n"), ("block",), cannot_sac),
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
    "optimizer": Transform(
        apply_optimizer, ("clip", "foreach", "lr", "weight_decay"), cannot=cannot_optimize
    ),
}
OWN = "pkg:factory"  # stands for a user's own code: a model, or the function of --apply
MODELS = ["llama", OWN]


def built_for(project: Project | None) -> tuple[list[str], list[str]]:
    """The transforms and models of a published project, or those of this engine."""
    return list(transforms_of(project)), [*project.models, OWN] if project else MODELS


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
    if transform is None:
        if project:
            return f"{project.name} has no transform '{item.name}'"
        return f"transform '{item.name}' is not built"
    unknown = [name for name in item.options if name not in transform.options]
    if unknown:
        return f"{item.name}:{unknown[0]} is not built"
    if item.scope not in transform.scopes:
        return f"{item.name}@{item.scope} is not built; expected {' or '.join(transform.scopes)}"
    return transform.cannot(item)
