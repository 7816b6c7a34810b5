"""Models of stock modules: torch.nn.TransformerEncoderLayer, an MLP with biases and LayerNorm, a LoRA."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


class OnTokens(nn.Module):
    """Layers between an embedding and a head."""

    def __init__(self, layers: list[nn.Module]) -> None:
        super().__init__()
        self.embed = nn.Embedding(120, 32)
        self.layers = nn.ModuleList(layers)
        self.head = nn.Linear(32, 120)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def encoder() -> nn.Module:
    return OnTokens([nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True) for _ in range(2)])


class Perceptron(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(32)
        self.up = nn.Linear(32, 64)
        self.down = nn.Linear(64, 32)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(F.gelu(self.up(self.norm(x))))


def mlp() -> nn.Module:
    return OnTokens([Perceptron() for _ in range(2)])


class Adapted(nn.Module):
    """A frozen linear layer and a trained product of rank 4 beside it, as LoRA has it."""

    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        self.lora_a = nn.Linear(base.in_features, 4, bias=False)
        self.lora_b = nn.Linear(4, base.out_features, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + 2.0 * self.lora_b(self.lora_a(x))


def lora() -> nn.Module:
    """Of the MLP: everything else is frozen."""
    model = mlp().requires_grad_(False)
    for block in model.layers:
        block.up, block.down = Adapted(block.up), Adapted(block.down)
    return model
