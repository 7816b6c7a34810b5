"""Models with what llama lacks: biases, layer norm, an own batch and loss, a convolution."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard


class Translator(nn.Module):
    """nn.Transformer as its documentation has it: biases, layer norm, softmax attention of three kinds."""

    def __init__(self) -> None:
        super().__init__()
        self.source = nn.Linear(6, 16)
        self.transformer = nn.Transformer(
            d_model=16,
            nhead=2,
            num_encoder_layers=1,
            num_decoder_layers=1,
            dim_feedforward=32,
            dropout=0.0,
            activation="gelu",
            batch_first=True,
        )
        self.head = nn.Linear(16, 5)

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        hidden = nn.Transformer.generate_square_subsequent_mask(target.shape[1], dtype=target.dtype)
        return self.head(self.transformer(self.source(source), self.source(target), tgt_mask=hidden))


def translator() -> nn.Module:
    return Translator()


def pairs(seed: int, step: int, samples: range) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
    drawn = [torch.Generator().manual_seed(seed * 1_000_003 + step * 1009 + sample) for sample in samples]
    source, target = (
        torch.stack([torch.randn(length, 6, generator=g, dtype=torch.float64) for g in drawn])
        for length in (7, 9)
    )
    classes = torch.stack([torch.randint(5, (9,), generator=g) for g in drawn])
    return {"source": source, "target": target}, classes


def cross_entropy(output: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(output.flatten(0, 1), classes.flatten(), reduction="sum", label_smoothing=0.0)


def shard(model: Translator, mesh: DeviceMesh) -> None:
    for layer in [*model.transformer.encoder.layers, *model.transformer.decoder.layers]:
        fully_shard(layer, mesh=mesh["dp_shard"])
    fully_shard(model, mesh=mesh["dp_shard"])


class Convolving(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(120, 8)
        self.mix = nn.Conv1d(8, 8, 3, padding=1)
        self.head = nn.Linear(8, 120)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.mix(self.embed(tokens).transpose(1, 2)).transpose(1, 2))


def convolving() -> nn.Module:
    return Convolving()


def shard_whole(model: nn.Module, mesh: DeviceMesh) -> None:
    fully_shard(model, mesh=mesh["dp_shard"])


class Float32Inside(Convolving):
    """A norm that asks for float32 by name, as published models do."""

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens).float()
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.head(x.to(self.head.weight.dtype))


def float32_inside() -> nn.Module:
    return Float32Inside()
