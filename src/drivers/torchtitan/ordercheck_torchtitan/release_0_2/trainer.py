"""Optimizer, clipping and loss as its trainer has them."""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any

import torch
from ordercheck_pytorch.api import Item, Program, Site

from .job import job_config, parallel_dims
from .package import family_of, part


def apply_optimizer(program: Program, item: Item, site: Site) -> None:
    options = item.options
    build(
        program, site, options.get("lr", "1e-2"), options.get("weight_decay"), float(options.get("clip", "0"))
    )


def build_optimizers(program: Program, site: Site) -> None:
    """Of a stack that names none: its optimizer, without its clipping, which a stack asks for by optimizer=adamw:clip=1."""
    build(program, site, "1e-2", None, 0)


def build(program: Program, site: Site, lr: str, weight_decay: str | None, max_norm: float) -> None:
    """AdamW as it is built by default, one tensor at a time on a CPU; clipped to max_norm as train_step does. MoE models
    update the bias that balances their experts in a hook of it."""
    spec = import_module(family_of(program.model)).get_train_spec()
    config = job_config(site)
    config.optimizer.implementation = "for-loop"
    config.optimizer.lr = float(lr)
    if weight_decay is not None:
        config.optimizer.weight_decay = float(weight_decay)
    program.optimizer = spec.build_optimizers_fn([program.model], config.optimizer, parallel_dims(site))
    dims = parallel_dims(site)
    if max_norm == 0:
        return
    clip = functools.partial(
        part("distributed.utils").clip_grad_norm_,
        max_norm=max_norm,
        foreach=True,
        pp_mesh=dims.get_optional_mesh("pp"),
        ep_enabled=dims.ep_enabled,
    )
    program.max_norm = max_norm
    program.clips_by = lambda model: clip(list(model.parameters()))


def cannot_build(item: Item) -> str:
    if item.options.get("clip") == "per_mesh":
        return "optimizer:clip=per_mesh is what torchtitan's clipping does; expected a number"
    return ""


def loss(output: Any, labels: torch.Tensor) -> torch.Tensor:
    total: torch.Tensor = part("components.loss").cross_entropy_loss(output, labels)
    return total
