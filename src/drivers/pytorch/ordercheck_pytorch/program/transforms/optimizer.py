"""torch.optim over the parameters that the model has when the item is applied, and the trainer's clipping.

clip=NUMBER    torch.nn.utils.clip_grad_norm_(model.parameters(), NUMBER), as it is
clip=per_mesh  threshold 1; the norm of each mesh and of all stages, which torchtitan adds to that (clipping.py)
foreach=off    clipping and optimizer take one tensor at a time
in_backward=on an optimizer for each parameter, stepped in its post-accumulate-grad hook (in_backward.py)

Without clip nothing is clipped. Everything that is not written is PyTorch's own default, `foreach` too."""

from __future__ import annotations

import torch
from torch import nn

from ..case import Item
from ..clipping import PER_MESH, clip_per_mesh
from ..in_backward import step_in_backward
from .program import Program, Site
from .transform import Transform

DEFAULT_OPTIMIZER = Item(name="optimizer", mode="adamw", options={}, kind="numeric")
LEARNING_RATES = {"sgd": 0.1, "adamw": 1e-2}


def apply_optimizer(program: Program, item: Item, site: Site) -> None:
    parameters = list(program.model.parameters())
    foreach = False if item.options.get("foreach") == "off" else None
    lr = float(item.options.get("lr", LEARNING_RATES[item.mode or "adamw"]))
    weight_decay = float(item.options.get("weight_decay", "0.1"))

    def optimizer_of(some: list[nn.Parameter]) -> torch.optim.Optimizer:
        if item.mode == "sgd":
            return torch.optim.SGD(some, lr=lr, foreach=foreach)
        return torch.optim.AdamW(some, lr=lr, betas=(0.9, 0.95), weight_decay=weight_decay, foreach=foreach)

    if item.options.get("in_backward") == "on":
        program.optimizer = step_in_backward(program, parameters, optimizer_of)
    else:
        program.optimizer = optimizer_of(parameters)
    clip(program, parameters, item.options.get("clip", "0"), foreach, site)


def clip(
    program: Program, parameters: list[nn.Parameter], how: str, foreach: bool | None, site: Site
) -> None:
    if how == "per_mesh":
        program.max_norm = 1.0
        stages = [
            site.axis(axis).get_group()
            for axis, splits in site.splits.items()
            if splits == "layers" and site.degrees[axis] > 1
        ]
        program.clips_by = lambda model: clip_per_mesh(parameters, program.max_norm, stages, foreach)
        program.notes.append(PER_MESH)
    elif float(how) > 0:
        program.max_norm = float(how)
        program.clips_by = lambda model: torch.nn.utils.clip_grad_norm_(
            model.parameters(), program.max_norm, foreach=foreach
        )


def apply_default_optimizer(program: Program, site: Site) -> None:
    """Of a stack that has none: over the parameters that the last transform left, as a trainer makes it."""
    apply_optimizer(program, DEFAULT_OPTIMIZER, site)


OPTIMIZER = Transform(apply_optimizer, ("clip", "foreach", "lr", "weight_decay", "in_backward"))
