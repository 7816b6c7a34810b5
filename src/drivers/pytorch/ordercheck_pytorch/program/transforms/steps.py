"""What a program does between transforms, as users write it.

forward  a call of the model without gradients: a loss printed before training, a warm-up
lora     low-rank adapters around the query projections, and nothing else trained, as peft's get_peft_model does
tie      the output gets the embedding's weight
freeze   requires_grad_(False) of the embedding"""

from __future__ import annotations

import torch
from torch import nn

from ..case import Item
from ..data import SEQUENCE_LENGTH
from ..llama import initial_value
from .program import Program, Site, holder_of_layers, layers_of
from .transform import Transform

RANK_OF_ADAPTERS = 2


def call_model(program: Program, item: Item, site: Site) -> None:
    with torch.no_grad():
        program.model(torch.zeros(2, SEQUENCE_LENGTH, dtype=torch.int64, device=site.device))


class Lora(nn.Module):
    """base_layer(x) + lora_B(lora_A(x)); names as peft gives them."""

    def __init__(self, base_layer: nn.Linear) -> None:
        super().__init__()
        self.base_layer = base_layer
        like = {"dtype": base_layer.weight.dtype, "device": base_layer.weight.device}
        self.lora_A = nn.Linear(base_layer.in_features, RANK_OF_ADAPTERS, bias=False, **like)
        self.lora_B = nn.Linear(RANK_OF_ADAPTERS, base_layer.out_features, bias=False, **like)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base_layer(x) + self.lora_B(self.lora_A(x))


def add_adapters(program: Program, item: Item, site: Site) -> None:
    program.model.requires_grad_(False)
    for name, block in layers_of(program.model).items():
        attention = block.attention
        assert isinstance(attention, nn.Module)
        assert isinstance(attention.wq, nn.Linear)
        attention.wq = Lora(attention.wq)
        with torch.no_grad():
            for adapter in ("lora_A", "lora_B"):
                weight = getattr(attention.wq, adapter).weight
                weight.copy_(initial_value(0, f"{name}.{adapter}", weight))


def tie_output(program: Program, item: Item, site: Site) -> None:
    holder = holder_of_layers(program.model)
    assert isinstance(holder.output, nn.Module)
    assert isinstance(holder.tok_embeddings, nn.Module)
    holder.output.weight = holder.tok_embeddings.weight


def freeze_embedding(program: Program, item: Item, site: Site) -> None:
    holder_of_layers(program.model).tok_embeddings.requires_grad_(False)


FORWARD = Transform(call_model)
LORA = Transform(add_adapters)
TIE = Transform(tie_output)
FREEZE = Transform(freeze_embedding)
