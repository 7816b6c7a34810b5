"""What is applied to blocks and to the model: activation checkpointing and compile."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import torch
from ordercheck_pytorch.api import NOTE, SCOPE, Item, Program, Site, marked, stand_in_for_inductor
from torch import nn

from .engine import connect


class Checkpointed(nn.Module):
    """A block that calls deepspeed.checkpointing, as a model that is written for DeepSpeed does."""

    def __init__(self, block: nn.Module, function: str) -> None:
        super().__init__()
        self.block, self.function = block, function

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        checkpointing = import_module("deepspeed.runtime.activation_checkpointing.checkpointing")
        output: torch.Tensor = getattr(checkpointing, self.function)(self.block, *inputs)
        return output


def apply_ac(program: Program, item: Item, site: Site) -> None:
    checkpointing = import_module("deepspeed.runtime.activation_checkpointing.checkpointing")
    connect()
    checkpointing.configure(None)
    function = "checkpoint" if "reentrant" in item.options else "non_reentrant_checkpoint"
    model: Any = program.model
    for name, block in list(model.layers.items()):
        model.layers.register_module(name, Checkpointed(block, function))


def apply_compile(program: Program, item: Item, site: Site) -> None:
    backend: Any = item.mode or stand_in_for_inductor
    if not item.mode:
        program.notes.append(NOTE)
    before = set(compiled_in_place(program.model))
    program.model.compile(backend=backend)
    for module in set(compiled_in_place(program.model)) - before:
        call = module._compiled_call_impl
        assert call is not None
        module._compiled_call_impl = marked(SCOPE, call)


def compiled_in_place(model: nn.Module) -> list[nn.Module]:
    return [module for module in model.modules() if module._compiled_call_impl is not None]
