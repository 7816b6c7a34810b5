"""The transforms and models that are built, and why another case is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import torch

from ..torch_compat import can_call_operators
from .case import Case, Item
from .data import SEQUENCES
from .transforms.ac import AC
from .transforms.amp import AMP
from .transforms.compile import COMPILE
from .transforms.cp import CP
from .transforms.ddp import DDP
from .transforms.fsdp import FSDP, HSDP
from .transforms.optimizer import OPTIMIZER
from .transforms.pp import PP
from .transforms.replicate import REPLICATE
from .transforms.sac import SAC
from .transforms.steps import FORWARD, FREEZE, LORA, TIE
from .transforms.tp import TP
from .transforms.transform import Transform

TRANSFORMS: dict[str, Transform] = {
    "pp": PP,
    "tp": TP,
    "cp": CP,
    "ac": AC,
    "sac": SAC,
    "compile": COMPILE,
    "fsdp": FSDP,
    "hsdp": HSDP,
    "ddp": DDP,
    "replicate": REPLICATE,
    "amp": AMP,
    "optimizer": OPTIMIZER,
    "tie": TIE,
    "lora": LORA,
    "freeze": FREEZE,
    "forward": FORWARD,
}
MODELS = ["llama", "llama_dropout", "llama_tied"]


class PublishedProject(Protocol):
    """What is asked of one, which has models and transforms in the place of this engine's."""

    @property
    def models(self) -> Mapping[str, Any]: ...
    @property
    def transforms(self) -> Mapping[str, Transform]: ...
    def cannot_take(self, case: Case) -> str: ...


def built_for(project: PublishedProject | None) -> tuple[list[dict[str, Any]], list[str]]:
    """The transforms, with what of each, and the models of a published project, or those of this engine."""
    transforms = [transform.built(name) for name, transform in transforms_of(project).items()]
    return transforms, list(project.models) if project else MODELS


def cannot(case: Case, project: PublishedProject | None = None) -> str:
    """Why the case is not for this engine, or ""."""
    if project:
        if reason := project.cannot_take(case):
            return reason
    elif case.model not in MODELS and ":" not in case.model:
        return f"model '{case.model}' is not built; expected {', '.join(MODELS)} or package.module:factory"
    for item in case.items:
        if reason := cannot_apply(item, case, project):
            return reason
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


def transforms_of(project: PublishedProject | None) -> Mapping[str, Transform]:
    return project.transforms if project else TRANSFORMS


def cannot_apply(item: Item, case: Case, project: PublishedProject | None) -> str:
    if case.apply:  # the items only say what the user's function does
        return ""
    transform = transforms_of(project).get(item.name)
    missing = transform.unbuilt(item) if transform else item.name
    if missing or not transform:
        return f"not built: {missing}"
    return transform.cannot(item)
