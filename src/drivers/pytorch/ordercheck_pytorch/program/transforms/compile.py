"""torch.compile of every block, or of the model: in place (`block.compile()`), or wrapping (`torch.compile(block)`, which
puts another module in its place).

compile=inductor and compile=aot_eager name the backend; plain `compile` is the stand-in for inductor, which does not wait
for a C++ compiler."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import nn

from ...torch_compat import calls_operators, wrap_compiled_call
from ..case import Item
from ..exact.decompositions import KEPT_WHOLE
from ..exact.inductor import CALLS_OPERATORS, keeps_operators_whole
from ..marks import SCOPE, mark_compiled, marked
from ..stand_in import NOTE, stand_in_for_inductor
from .program import Program, Site, layers_of
from .transform import Transform


def apply_compile(program: Program, item: Item, site: Site) -> None:
    arguments: dict[str, Any] = {
        "backend": item.mode or stand_in_for_inductor,
        "fullgraph": "fullgraph" in item.options,
    }
    if not item.mode:
        program.notes.append(NOTE)
    if item.mode in ("", "inductor") and keeps_operators_whole():
        program.notes.append(KEPT_WHOLE)
    if item.mode == "inductor" and calls_operators():
        program.notes.append(CALLS_OPERATORS)
    wrap = "wrap" in item.options
    if item.scope == "model":
        program.model = compiled(program.model, wrap, arguments)
        return
    layers = layers_of(program.model)
    for name, block in list(layers.items()):
        layers.register_module(name, compiled(block, wrap, arguments))


def compiled(module: nn.Module, wrap: bool, arguments: dict[str, Any]) -> nn.Module:
    if not wrap:
        module.compile(**arguments)
        wrap_compiled_call(module, functools.partial(marked, SCOPE))
        return module
    wrapper = torch.compile(module, **arguments)
    assert isinstance(wrapper, nn.Module)
    mark_compiled(wrapper)
    return wrapper


COMPILE = Transform(apply_compile, ("wrap", "fullgraph"), ("block", "model"))
