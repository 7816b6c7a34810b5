"""Programs whose bug or input error is to be told by its cause."""

from __future__ import annotations

import contextlib

import torch
import torch.distributed as dist
from own_programs import Model, shard
from torch import nn
from torch.distributed.device_mesh import DeviceMesh


class Dictionary(Model):
    def forward(self, tokens: torch.Tensor) -> dict[str, torch.Tensor]:  # type: ignore[override]
        return {"logits": super().forward(tokens)}


def dictionary() -> nn.Module:
    return Dictionary()


def shard_and_draw_anew(model: Model, mesh: DeviceMesh) -> None:
    nn.init.normal_(model.head.weight, std=0.1)
    nn.init.normal_(model.embed.weight, std=0.1)
    shard(model, mesh)


def shard_and_run_before_the_optimizer(model: Model, mesh: DeviceMesh) -> None:
    """The optimizer is then built of parameters that are freed later."""
    shard(model, mesh)
    with torch.no_grad():
        model(torch.zeros(2, 24, dtype=torch.int64))


def shard_and_fail_after_a_collective(model: Model, mesh: DeviceMesh) -> None:
    """One collective is waited for, another one raises and is caught; then the function raises by itself."""
    shard(model, mesh)
    dist.all_reduce(torch.ones(1, dtype=torch.float64))
    with contextlib.suppress(RuntimeError, TypeError, ValueError):
        dist.all_gather_into_tensor(torch.ones(3), torch.ones(2, dtype=torch.int64))
    raise ValueError("of its own")


def shard_and_double_what_goes_into_a_product(model: Model, mesh: DeviceMesh) -> None:
    model.second.up.register_forward_pre_hook(lambda module, args: (args[0] * 2,))
    shard(model, mesh)
