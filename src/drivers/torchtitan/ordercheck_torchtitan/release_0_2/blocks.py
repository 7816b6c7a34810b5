"""What is applied to each block: activation checkpointing and compile."""

from __future__ import annotations

from ordercheck_pytorch.api import NOTE, Item, Program, Site, mark_compiled, stand_in_for_inductor
from torch import nn
from torch._dynamo.eval_frame import OptimizedModule

from .job import job_config, parallel_dims
from .package import infra_of, part
from .simple_fsdp import compile_model


def checkpoint(program: Program, site: Site, mode: str, option: str) -> None:
    config = job_config(site).activation_checkpoint
    config.mode, config.selective_ac_option = mode, option
    part("distributed.activation_checkpoint").apply_ac(
        program.model, config, op_sac_save_list=infra_of(program)._op_sac_save_list
    )


def apply_ac(program: Program, item: Item, site: Site) -> None:
    """Of every block; ac=selective of every second, or n-th, one."""
    selective = item.mode == "selective"
    checkpoint(program, site, "selective" if selective else "full", item.options.get("n", "2"))


def apply_sac(program: Program, item: Item, site: Site) -> None:
    checkpoint(program, site, "selective", "op")


def apply_compile(program: Program, item: Item, site: Site) -> None:
    if not item.mode:
        program.notes.append(NOTE)
    if item.scope == "model":
        compile_model(program, item, site)
        return
    infra, dims = infra_of(program), parallel_dims(site)
    config = job_config(site).compile
    config.backend = item.mode or stand_in_for_inductor
    before = set(compiled_modules(program.model))
    if hasattr(infra, "apply_moe_ep_tp"):
        infra.apply_compile(program.model, config, dims.ep_enabled)
    else:
        infra.apply_compile(program.model, config)
    for module in compiled_modules(program.model):
        if module not in before:  # for the profile, which is to tell what of it ran in graphs
            mark_compiled(module)


def compiled_modules(model: nn.Module) -> list[OptimizedModule]:
    return [module for module in model.modules() if isinstance(module, OptimizedModule)]
