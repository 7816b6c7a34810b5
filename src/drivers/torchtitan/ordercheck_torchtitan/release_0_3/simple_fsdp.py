"""experiments/graph_trainer: parameters that gather themselves, and the compile of the whole model that comes with them, in its
mode jit. Its mode aot_fx_trace captures loss and backward too, which a trainer of its own does: no part of a stack."""

from __future__ import annotations

from typing import Any

import torch
from ordercheck_pytorch.api import SCOPE, Item, Program, Site, marked, stand_in_for_inductor
from torch import nn

from .job import job_of
from .package import part
from .parallelize import parallelize_first


def graph_trainer(name: str) -> Any:
    return part(f"experiments.graph_trainer.{name}")


def apply_simple_fsdp(program: Program, item: Item, site: Site) -> None:
    """Of whatever mode the degrees ask for: parameters split, split and replicated, or replicated."""
    dims = parallelize_first(program, site)
    program.model = graph_trainer("common_utils").apply_simple_fsdp(
        program.model, parallel_dims=dims, training=job_of(site).training
    )
    # As init_states of its models does: a parametrized weight would be gathered.
    site.kept["around_initialization"] = graph_trainer("simple_fsdp").disable_active_parametrization


def mark_call(module: nn.Module) -> None:
    """Of a module compiled in place, for the profile, which is to tell what of it ran in graphs."""
    if module._compiled_call_impl is not None:
        module._compiled_call_impl = marked(SCOPE, module._compiled_call_impl)


def compile_model(program: Program, item: Item, site: Site) -> None:
    parallelize_first(program, site)
    config = job_of(site).compile
    config.enable, config.backend = True, item.mode or stand_in_for_inductor
    torch._inductor.config.reorder_for_peak_memory = False  # as its apply_compile does
    torch._dynamo.config.capture_scalar_outputs = True
    program.model = graph_trainer("compile")._apply_jit_compile(program.model, config)
    mark_call(program.model)
