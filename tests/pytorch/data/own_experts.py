"""A user's own mixture of experts. A token's expert is known from its number, so that routing needs no gradient."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Shard, distribute_tensor

DIM, EXPERTS = 16, 4


class Experts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(EXPERTS, DIM, DIM) / 4)
        self.mesh: DeviceMesh | None = None  # of the ranks that have other experts

    def forward(self, x: torch.Tensor, expert: torch.Tensor) -> torch.Tensor:
        weight = self.weight.to_local() if isinstance(self.weight, DTensor) else self.weight
        if self.mesh is None:
            return self.sum_of(x, expert, weight, 0)
        group = self.mesh.get_group()
        every = funcol.all_gather_tensor_autograd(x, 0, group)
        experts = funcol.all_gather_tensor(expert, 0, group)
        first = self.mesh.get_local_rank() * len(weight)
        mine = self.sum_of(every, experts, weight, first)
        return funcol.reduce_scatter_tensor_autograd(mine, "sum", 0, group)

    def sum_of(self, x: torch.Tensor, expert: torch.Tensor, weight: torch.Tensor, first: int) -> torch.Tensor:
        out = torch.zeros_like(x)
        for at, matrix in enumerate(weight):
            out = out + (x @ matrix) * (expert == first + at).unsqueeze(-1)
        return out


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(120, DIM)
        self.experts = Experts()
        self.head = nn.Linear(DIM, 120, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens)
        return self.head(x + self.experts(x, tokens % EXPERTS))


def model() -> nn.Module:
    return Model()


def split_experts(model: Model, mesh: DeviceMesh) -> None:
    experts = model.experts
    experts.mesh = mesh["ep"]
    experts.weight = nn.Parameter(distribute_tensor(experts.weight.detach(), mesh["ep"], [Shard(0)]))
    if mesh["dp_shard_mod_ep"].size() > 1:
        fully_shard(experts, mesh=mesh["dp_shard_mod_ep"], shard_placement_fn=lambda parameter: Shard(1))
        fully_shard(model, mesh=mesh["dp_shard"])
    else:
        fully_shard(model, mesh=mesh["dp_shard"], ignored_params={experts.weight})


def average_experts(model: Any, mesh: DeviceMesh) -> None:
    """Their gradients are sums over the tokens of ep, of ranks that average."""
    model.experts.weight.grad.div_(mesh["ep"].size())


def split_experts_summed(model: Model, mesh: DeviceMesh) -> None:
    """Its gradients of experts are larger than those of the rest."""
    split_experts(model, mesh)


def split_by_a_mesh_with_etp(model: Model, mesh: DeviceMesh) -> None:
    """Tensor parallelism splits experts too: ranks of ep are those of one rank of tp."""
    sizes = {
        axis: mesh[axis].size()
        for axis in ("dp_shard", "dp_shard_mod_ep", "dp_shard_in_ep", "ep", "tp", "etp")
    }
    assert sizes == {"dp_shard": 2, "dp_shard_mod_ep": 1, "dp_shard_in_ep": 2, "ep": 2, "tp": 2, "etp": 2}, (
        sizes
    )
    assert dist.get_process_group_ranks(mesh["ep"].get_group()) == [
        dist.get_rank() % 2,
        dist.get_rank() % 2 + 2,
    ]
    split_experts(model, mesh)


split_by_a_mesh_with_etp.reduce_gradients = average_experts  # type: ignore[attr-defined]
split_experts.reduce_gradients = average_experts  # type: ignore[attr-defined]
