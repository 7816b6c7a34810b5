"""What is applied to each block: activation checkpointing and compile."""

from __future__ import annotations

from ordercheck_pytorch.api import NOTE, Item, Program, Site, stand_in_for_inductor

from .job import job_of
from .package import part
from .parallelize import parallelize_first
from .simple_fsdp import compile_model, mark_call


def checkpoint(program: Program, site: Site, policy: str) -> None:
    parallelize_first(program, site)
    checkpointing = part("distributed.activation_checkpoint")
    getattr(checkpointing, policy).Config().build(dump_folder="").apply(program.model)


def apply_ac(program: Program, item: Item, site: Site) -> None:
    checkpoint(program, site, "FullAC")


def apply_sac(program: Program, item: Item, site: Site) -> None:
    checkpoint(program, site, "SelectiveAC")


def apply_compile(program: Program, item: Item, site: Site) -> None:
    if not item.mode:
        program.notes.append(NOTE)
    if item.scope == "model":
        compile_model(program, item, site)
        return
    dims, config = parallelize_first(program, site), job_of(site).compile
    config.enable, config.backend = True, item.mode or stand_in_for_inductor
    before = {id(m) for m in program.model.modules() if m._compiled_call_impl is not None}
    part("distributed.compile").apply_compile(program.model, compile_config=config, parallel_dims=dims)
    for module in program.model.modules():
        if module._compiled_call_impl is not None and id(module) not in before:
            mark_call(module)
