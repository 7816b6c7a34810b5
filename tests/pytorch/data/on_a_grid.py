"""Layouts in which a value meets no sum where one rank adds it up: biases of row-wise layers, weighted outputs of experts, one
sample a microbatch. Each with a twin that is wrong."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Replicate, distribute_module
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel


class WithBiases(nn.Module):
    """An MLP as a textbook has it, behind an embedding of positions that is broadcast over samples."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(120, 32)
        self.positions = nn.Embedding(24, 32)
        self.norm = nn.LayerNorm(32)
        self.up = nn.Linear(32, 64)
        self.down = nn.Linear(64, 32)
        self.head = nn.Linear(32, 120)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        places = torch.arange(tokens.shape[1])[None]
        x = self.embed(tokens) + self.positions(places)
        return self.head(x + self.down(F.gelu(self.up(self.norm(x)))))


def with_biases() -> nn.Module:
    return WithBiases()


def split_mlp(model: WithBiases, mesh: DeviceMesh) -> None:
    """What is not split is replicated, so that clip_grad_norm_ takes all gradients."""
    parallelize_module(model, mesh["tp"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
    for module in (model.embed, model.positions, model.norm, model.head):
        distribute_module(
            module,
            mesh["tp"],
            input_fn=lambda module, inputs, mesh: DTensor.from_local(inputs[0], mesh, [Replicate()]),
            output_fn=lambda module, output, mesh: output.to_local(),
        )


def split_mlp_with_a_bias_a_rank(model: WithBiases, mesh: DeviceMesh) -> None:
    """Each rank adds the whole bias to its part of the sum."""
    split_mlp(model, mesh)
    model.down.register_forward_hook(
        lambda module, args, output: output + module.bias.to_local() * (mesh["tp"].size() - 1)
    )


def replicate(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    return DistributedDataParallel(model, process_group=mesh["dp_replicate"].get_group())


def replicate_without_positions(model: WithBiases, mesh: DeviceMesh) -> nn.Module:
    """Every rank keeps the gradient of its own samples."""
    DistributedDataParallel._set_params_and_buffers_to_ignore_for_model(model, ["positions.weight"])
    return replicate(model, mesh)


class Experts(nn.Module):
    """A weighted sum of the outputs of experts, of which a rank may have some."""

    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(32, 2, bias=False)
        self.experts = nn.ModuleDict({str(i): nn.Linear(32, 32, bias=False) for i in range(2)})
        self.group: dist.ProcessGroup | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        inside = x if self.group is None else SummedInBackward.apply(x, self.group)
        weights = self.router(x).softmax(-1)
        weights = weights if self.group is None else SummedInBackward.apply(weights, self.group)
        outputs = [
            torch.tanh(expert(inside)) * weights[..., int(i), None]
            for i, expert in self.experts.items()
            if expert is not None
        ]
        total = sum(outputs[1:], outputs[0])
        return total if self.group is None else SummedInForward.apply(total, self.group)


class SummedInForward(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, group: dist.ProcessGroup) -> torch.Tensor:
        x = x.clone()
        dist.all_reduce(x, group=group)
        return x

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return gradient, None


class SummedInBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, group: dist.ProcessGroup) -> torch.Tensor:
        ctx.group = group
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        gradient = gradient.clone()
        dist.all_reduce(gradient, group=ctx.group)
        return gradient, None


class WithExperts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(120, 32)
        self.layer = Experts()
        self.head = nn.Linear(32, 120)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens)
        return self.head(x + self.layer(x))


def with_experts() -> nn.Module:
    return WithExperts()


class OfAnotherRank(nn.Module):
    """Adds nothing to the sum, and its weight gets the gradient that the rank that has it got."""

    def __init__(self, expert: nn.Linear) -> None:
        super().__init__()
        self.weight = expert.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.linear(x, self.weight) * 0.0


def split_experts(model: WithExperts, mesh: DeviceMesh) -> None:
    """Each rank computes one; what a rank has none of has a gradient of zeros there, so these are added up."""
    group = mesh["tp"].get_group()
    model.layer.group = group
    for i in model.layer.experts:
        if int(i) != mesh["tp"].get_local_rank():
            model.layer.experts[i] = OfAnotherRank(model.layer.experts[i])
        model.layer.experts[i].weight.register_hook(lambda gradient: summed(gradient, group))


def split_experts_and_keep_gradients(model: WithExperts, mesh: DeviceMesh) -> None:
    split_experts(model, mesh)
    for expert in model.layer.experts.values():
        expert.weight._backward_hooks.clear()


def summed(gradient: torch.Tensor, group: dist.ProcessGroup) -> torch.Tensor:
    gradient = gradient.clone()
    dist.all_reduce(gradient, group=group)
    return gradient
