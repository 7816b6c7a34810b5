"""A model whose parameters enter through functions of them, losses that are divided, and functions with and without a bug."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.nn.parallel import DistributedDataParallel

DIM = 16
TOKENS_OF_STEP = 371


class ExpPassedStraight(torch.autograd.Function):
    @staticmethod
    def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
        return x.exp()

    @staticmethod
    def backward(ctx: object, gradient: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        return gradient


class Gated(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(120, DIM)
        self.a_log = nn.Parameter(torch.linspace(0.1, 2, DIM).log())
        self.gate = nn.Parameter(torch.linspace(-2, 2, DIM))
        self.head = nn.Linear(DIM, 120, bias=False)
        self.logit_scale = nn.Parameter(torch.tensor(0.7))
        self.gain = nn.Parameter(torch.full((DIM,), 2.0**-14))
        self.passes_straight = False

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens)
        x = x * -torch.exp(self.a_log) + torch.tanh(x) * torch.sigmoid(self.gate)
        gain = ExpPassedStraight.apply(self.gain) if self.passes_straight else self.gain.exp()
        return self.head(x * gain) * self.logit_scale.exp()


def model() -> nn.Module:
    return Gated()


def plain() -> nn.Module:
    return nn.Sequential(nn.Embedding(120, DIM), nn.Linear(DIM, 120, bias=False))


def replicate(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    return DistributedDataParallel(model, process_group=mesh["dp_replicate"].get_group())


def replicate_and_halve_gate(model: Gated, mesh: DeviceMesh) -> nn.Module:
    return replicate(model, mesh)


def halve_gate(model: nn.Module, mesh: DeviceMesh) -> None:
    dict(model.named_parameters())["module.gate"].grad.mul_(0.5)  # type: ignore[union-attr]


replicate_and_halve_gate.reduce_gradients = halve_gate  # type: ignore[attr-defined]


def replicate_and_pass_straight(model: Gated, mesh: DeviceMesh) -> nn.Module:
    """The derivative of exp is left out, which is nearly 1."""
    model.passes_straight = True
    return replicate(model, mesh)


def replicate_with_another_last_bit(model: Gated, mesh: DeviceMesh) -> nn.Module:
    """As small as rounding, and as large on every grid."""
    model.register_forward_hook(lambda module, args, output: output * (1 + 2.0**-36))
    return replicate(model, mesh)


def loss_of_step(output: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Divided by the tokens of all ranks."""
    return F.cross_entropy(output.flatten(0, 1), targets.flatten(), reduction="sum") / TOKENS_OF_STEP


def loss_of_microbatch(output: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Divided by its own tokens, of which microbatches have other numbers."""
    return F.cross_entropy(output.flatten(0, 1), targets.flatten(), reduction="mean")
