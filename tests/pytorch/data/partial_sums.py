"""A model of which tensor parallel leaves a sum in parts, and a product that is handed them."""

from __future__ import annotations

import torch
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, distribute_module
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(120, 32)
        self.up = nn.Linear(32, 96, bias=False)
        self.down = nn.Linear(96, 32, bias=False)
        self.after = nn.Linear(32, 32, bias=False)
        self.head = nn.Linear(32, 120, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.after(self.down(self.up(self.embed(tokens)).relu()))
        return self.head(x.full_tensor() if isinstance(x, DTensor) else x)


def network() -> nn.Module:
    return Network()


def leave_in_parts(model: Network, mesh: DeviceMesh) -> None:
    rows = RowwiseParallel(output_layouts=Partial(), use_local_output=False)
    parallelize_module(model, mesh["tp"], {"up": ColwiseParallel(), "down": rows})
    distribute_module(model.after, mesh["tp"])


def leave_in_parts_of_another_size(model: Network, mesh: DeviceMesh) -> None:
    """... and wrongly: what goes into the product is a thousandth too large."""
    leave_in_parts(model, mesh)
    model.after.register_forward_pre_hook(lambda _, inputs: (inputs[0] * 1.001,))
