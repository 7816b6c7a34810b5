"""torch.compile of every block, or of the model: in place (`block.compile()`), or wrapping (`torch.compile(block)`, which
puts another module in its place).

compile=inductor and compile=aot_eager name the backend; plain `compile` is aot_eager, which captures and partitions as
inductor does and then runs the graphs with stock kernels."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from ..case import Item
from .subject import Site, Subject, layers_of


def apply_compile(subject: Subject, item: Item, site: Site) -> None:
    arguments: dict[str, Any] = {
        "backend": item.mode or "aot_eager",
        "fullgraph": "fullgraph" in item.options,
    }
    wrap = "wrap" in item.options
    if item.scope == "model":
        if wrap:
            compiled = torch.compile(subject.model, **arguments)
            assert isinstance(compiled, nn.Module)
            subject.model = compiled
        else:
            subject.model.compile(**arguments)
        return
    layers = layers_of(subject.model)
    for name, block in list(layers.items()):
        if wrap:
            compiled = torch.compile(block, **arguments)
            assert isinstance(compiled, nn.Module)
            layers.register_module(name, compiled)
        else:
            block.compile(**arguments)
