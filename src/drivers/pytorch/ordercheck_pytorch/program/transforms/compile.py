"""torch.compile of every block, or of the model: in place (`block.compile()`), or wrapping (`torch.compile(block)`, which
puts another module in its place).

compile=inductor and compile=aot_eager name the backend; plain `compile` is the stand-in for inductor, which does not wait
for a C++ compiler."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from ..case import Item
from ..exact.decompositions import KEPT_WHOLE
from ..exact.inductor import CALLS_OPERATORS, calls_operators, keeps_operators_whole
from ..marks import SCOPE, marked
from ..stand_in import NOTE, stand_in_for_inductor
from .subject import Site, Subject, layers_of


def apply_compile(subject: Subject, item: Item, site: Site) -> None:
    arguments: dict[str, Any] = {
        "backend": item.mode or stand_in_for_inductor,
        "fullgraph": "fullgraph" in item.options,
    }
    if not item.mode:
        subject.notes.append(NOTE)
    if item.mode in ("", "inductor") and keeps_operators_whole():
        subject.notes.append(KEPT_WHOLE)
    if item.mode == "inductor" and calls_operators():
        subject.notes.append(CALLS_OPERATORS)
    wrap = "wrap" in item.options
    if item.scope == "model":
        subject.model = compiled(subject.model, wrap, arguments)
        return
    layers = layers_of(subject.model)
    for name, block in list(layers.items()):
        layers.register_module(name, compiled(block, wrap, arguments))


def compiled(module: nn.Module, wrap: bool, arguments: dict[str, Any]) -> nn.Module:
    if not wrap:
        module.compile(**arguments)
        assert module._compiled_call_impl is not None
        module._compiled_call_impl = marked(SCOPE, module._compiled_call_impl)
        return module
    wrapper = torch.compile(module, **arguments)
    assert isinstance(wrapper, nn.Module)
    wrapper.forward = marked(SCOPE, wrapper.forward)
    return wrapper
