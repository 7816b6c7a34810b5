"""Your own `parallelize` as one test: `pip install ordercheck pytest`, then `pytest test_parallelize.py`, with torch >= 2.6."""

import pytest
import torch
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(16, 32)
        self.down = nn.Linear(32, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(torch.relu(self.up(x)))


def build() -> nn.Module:
    return nn.Sequential(nn.Embedding(120, 16), Block(), Block(), nn.Linear(16, 120))


def parallelize(model: nn.Sequential, mesh: DeviceMesh) -> None:
    for place in (1, 2):
        model[place] = checkpoint_wrapper(model[place])
        fully_shard(model[place], mesh=mesh["dp_shard"])
    fully_shard(model, mesh=mesh["dp_shard"])


@pytest.mark.ordercheck("ac,fsdp=2", "ac,fsdp=4")
def test_parallelize(ordercheck) -> None:
    assert ordercheck.check().legal
    ordercheck.is_equal(model=build, apply=parallelize)
