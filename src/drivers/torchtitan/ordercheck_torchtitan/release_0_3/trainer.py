"""Optimizer, clipping and loss as its trainer has them."""

from __future__ import annotations

import contextlib
import functools
from typing import Any
from unittest.mock import patch

import torch
from ordercheck_pytorch.api import VOCABULARY, Item, Program, Site
from torch.distributed.tensor import DTensor

from .chunked_loss import CURRENT, set_lm_head
from .inputs import feed
from .package import family_of, part
from .parallelize import enter_meshes, shard_if_undivided


def apply_optimizer(program: Program, item: Item, site: Site) -> None:
    options = item.options
    weight_decay = float(options.get("weight_decay", "0.1"))
    build(program, site, float(options.get("lr", "1e-2")), weight_decay, float(options.get("clip", "0")))


def build_optimizers(program: Program, site: Site) -> None:
    """Of a stack that names none: its AdamW, without its clipping, which a stack asks for by optimizer=adamw:clip=1."""
    build(program, site, 1e-2, 0.1, 0)


def build(program: Program, site: Site, lr: float, weight_decay: float, max_norm: float) -> None:
    """One tensor at a time on a CPU; clipped to max_norm as train_step does. MoE models update the bias that balances their
    experts in a hook of it."""
    if site.mesh is not None:
        shard_if_undivided(program, site)
        initialize(program, site)
    else:
        feed(program, None)
    set_lm_head(program, site)
    optimizers = part("components.optimizer")
    config = optimizers.default_adamw(lr=lr, weight_decay=weight_decay)
    config.implementation = "for-loop"
    built = config.build(model_parts=[program.model])
    program.optimizer = built
    hook = part(family_of(program.model)).model_registry("debugmodel").post_optimizer_build_fn
    if hook is not None:
        hook(built, [program.model], enter_meshes(program, site))
    if max_norm == 0:
        return
    dims = enter_meshes(program, site)
    clip = functools.partial(
        part("distributed.utils").clip_grad_norm_,
        max_norm=max_norm,
        foreach=True,
        pp_mesh=dims.get_optional_mesh("pp"),
        ep_enabled=dims.ep_enabled,
    )
    program.max_norm = max_norm
    program.clips_by = lambda model: clip(list(model.parameters()))


def initialize(program: Program, site: Site) -> None:
    """As its trainer does after FSDP2: tied weights, which Module.parallelize gives two modules apart, are tied again. Values
    stay those of the reference, so that no parameter is drawn."""
    model: Any = program.model
    around = site.kept.get("around_initialization", contextlib.nullcontext)
    undrawn = patch.object(part("protocols.module").Module, "_init_self_parameters", lambda module: None)
    with torch.no_grad(), around(), undrawn:
        model.init_weights(buffer_device=None)


def cannot_build(item: Item) -> str:
    if item.options.get("clip") == "per_mesh":
        return "optimizer:clip=per_mesh is what torchtitan's clipping does; expected a number"
    return ""


def loss(output: Any, labels: torch.Tensor) -> torch.Tensor:
    total: torch.Tensor = (
        CURRENT[-1](output, labels)
        if CURRENT
        else part("components.loss").cross_entropy_loss(output, labels, global_vocab_size=VOCABULARY)
    )
    # Under full_dtensor a DTensor over data-parallel ranks too. Its trainer adds up their local ones (dist_sum), as it does
    # with plain ones.
    return total.to_local() if isinstance(total, DTensor) else total
