"""Users' training steps in pairs: one with a bug, and its twin without it. `shard`, `replicate` and `model` of own_programs.py
are trained by them."""

from __future__ import annotations

import contextlib
from typing import Any

import torch
import torch.distributed as dist
from own_programs import DIM, Model, dropping, replicate, sequences_in_parts, shard
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.nn import functional

__all__ = ["dropping", "replicate", "sequences_in_parts", "shard"]

Batches = list[tuple[torch.Tensor, torch.Tensor]]


def model() -> nn.Module:
    return Model()


def shard_and_replicate(model: Model, mesh: DeviceMesh) -> None:
    for part in (model.module, model.second, model):
        fully_shard(part, mesh=mesh["dp_replicate", "dp_shard"])


def adamw(model: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.AdamW(model.parameters(), lr=1e-2)


def ranks_of(mesh: DeviceMesh | None) -> int:
    return 1 if mesh is None else mesh.size()


def over_all_ranks(number: torch.Tensor, mesh: DeviceMesh | None) -> torch.Tensor:
    if mesh is not None:
        dist.all_reduce(number)
    return number


def tokens_of(batches: Batches) -> torch.Tensor:
    return sum((targets != -100).sum() for _, targets in batches)  # type: ignore[return-value]


def loss_of(model: nn.Module, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), reduction="sum")


def backward_of(
    model: nn.Module, batches: Batches, mesh: DeviceMesh | None, tokens: torch.Tensor
) -> torch.Tensor:
    """The gradients of all ranks are averaged afterwards. Returns the mean loss over all tokens."""
    losses = []
    for inputs, targets in batches:
        loss = loss_of(model, inputs, targets)
        (loss * ranks_of(mesh) / tokens).backward()
        losses.append(loss.detach())
    return over_all_ranks(torch.stack(losses).sum(), mesh) / tokens


def step(model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None) -> torch.Tensor:
    loss = backward_of(model, batches, mesh, over_all_ranks(tokens_of(batches), mesh))
    optimizer.step()
    optimizer.zero_grad()
    return loss


def finish(optimizer: Any) -> None:
    optimizer.step()
    optimizer.zero_grad()


# Accumulation: gradients are reduced in the last microbatch.


def accumulate_in_ddp(
    model: Any, optimizer: Any, batches: Batches, mesh: DeviceMesh | None, last: int
) -> None:
    tokens = over_all_ranks(tokens_of(batches), mesh)
    for at, batch in enumerate(batches):
        quiet = mesh is not None and at != last
        with model.no_sync() if quiet else contextlib.nullcontext():
            (loss_of(model, *batch) * ranks_of(mesh) / tokens).backward()
    finish(optimizer)


def no_sync_until_the_last(
    model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None
) -> None:
    accumulate_in_ddp(model, optimizer, batches, mesh, last=len(batches) - 1)


def no_sync_in_the_last(model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None) -> None:
    accumulate_in_ddp(model, optimizer, batches, mesh, last=len(batches))


def accumulate_in_fsdp(
    model: Any, optimizer: Any, batches: Batches, mesh: DeviceMesh | None, last: int
) -> None:
    tokens = over_all_ranks(tokens_of(batches), mesh)
    for at, batch in enumerate(batches):
        if mesh is not None:
            model.set_requires_gradient_sync(at == last)
        (loss_of(model, *batch) * ranks_of(mesh) / tokens).backward()
    finish(optimizer)


def sync_in_the_last(model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None) -> None:
    accumulate_in_fsdp(model, optimizer, batches, mesh, last=len(batches) - 1)


def sync_in_none(model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None) -> None:
    accumulate_in_fsdp(model, optimizer, batches, mesh, last=len(batches))


def sync_in_the_first_alone(
    model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None
) -> None:
    accumulate_in_fsdp(model, optimizer, batches, mesh, last=0)


# Normalization: ranks have other numbers of tokens.


def divide_by_the_tokens_of_the_rank(
    model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None
) -> None:
    """A mean of means."""
    tokens = tokens_of(batches)
    for batch in batches:
        (loss_of(model, *batch) / tokens).backward()
    finish(optimizer)


def multiply_gradients(
    model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None
) -> torch.Tensor:
    """The loss is not multiplied by the number of ranks: the averaged gradients are."""
    tokens = over_all_ranks(tokens_of(batches), mesh)
    losses = []
    for batch in batches:
        loss = loss_of(model, *batch)
        (loss / tokens).backward()
        losses.append(loss.detach())
    for parameter in model.parameters():
        assert parameter.grad is not None
        parameter.grad.mul_(ranks_of(mesh))
    finish(optimizer)
    return over_all_ranks(torch.stack(losses).sum(), mesh) / tokens


multiply_gradients.multiplies_loss = False  # type: ignore[attr-defined]


# Ranks of cp have parts of sequences.


def average_over_cp(
    model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None
) -> torch.Tensor:
    loss = backward_of(model, batches, mesh, over_all_ranks(tokens_of(batches), mesh))
    for parameter in model.parameters():
        assert parameter.grad is not None
        over_all_ranks(parameter.grad, mesh).div_(ranks_of(mesh))
    finish(optimizer)
    return loss


# Clipping.


def clip(model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None) -> torch.Tensor:
    loss = backward_of(model, batches, mesh, over_all_ranks(tokens_of(batches), mesh))
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.125)
    finish(optimizer)
    return loss


def part_of(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def clip_parts(model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None) -> torch.Tensor:
    """By the norm of the parts that the rank has."""
    loss = backward_of(model, batches, mesh, over_all_ranks(tokens_of(batches), mesh))
    parts = [part_of(p.grad) for p in model.parameters() if p.grad is not None]
    torch.nn.utils.clip_grads_with_norm_(model.parameters(), 0.125, torch.nn.utils.get_total_norm(parts))
    finish(optimizer)
    return loss


# Optimizers.


def adamw_by_one(model: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.AdamW(model.parameters(), lr=1e-2, foreach=False)


def adamw_fused(model: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.AdamW(model.parameters(), lr=1e-2, fused=True)


def adamw_without_the_head(model: Any) -> torch.optim.Optimizer:
    """A group was forgotten, on one rank too."""
    inner = getattr(model, "module", model) if hasattr(model, "reducer") else model
    return torch.optim.AdamW(
        [*inner.embed.parameters(), *inner.module.parameters(), *inner.second.parameters()], lr=1e-2
    )


class Sign:
    """An optimizer that is none of torch's."""

    def __init__(self, parameters: list[nn.Parameter]) -> None:
        self.parameters = parameters

    @torch.no_grad()
    def step(self) -> None:
        for parameter in self.parameters:
            parameter.sub_(torch.sign(parameter.grad) * 2**-7)

    def zero_grad(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None


def sign(model: nn.Module) -> Sign:
    return Sign(list(model.parameters()))


class InBackward:
    """An optimizer for each parameter, stepped as soon as its gradient is there."""

    def __init__(self, parameters: list[nn.Parameter]) -> None:
        self.optimizers = {p: torch.optim.AdamW([p], lr=1e-2) for p in parameters}
        for parameter in parameters:
            parameter.register_post_accumulate_grad_hook(self.update)

    def update(self, parameter: nn.Parameter) -> None:
        self.optimizers[parameter].step()
        self.optimizers[parameter].zero_grad()

    def step(self) -> None:
        pass

    def zero_grad(self) -> None:
        pass


def in_backward(model: nn.Module) -> InBackward:
    return InBackward(list(model.parameters()))


def adamw_halved(model: nn.Module) -> torch.optim.Optimizer:
    """Keeps its scheduler."""
    optimizer = adamw(model)
    optimizer.scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda count: 0.5**count)  # type: ignore[attr-defined]
    return optimizer


def schedule(model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None) -> torch.Tensor:
    loss = step(model, optimizer, batches, mesh)
    optimizer.scheduler.step()
    return loss


def schedule_by_tokens(
    model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None
) -> torch.Tensor:
    """Once for each 16 tokens of the rank."""
    loss = step(model, optimizer, batches, mesh)
    for _ in range(int(tokens_of(batches)) // 16):
        optimizer.scheduler.step()
    return loss


# An average of weights.


class Averaging(Model):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("average", torch.zeros(120, DIM))


def averaging() -> nn.Module:
    return Averaging()


def average(model: Any, optimizer: Any, batches: Batches, mesh: DeviceMesh | None) -> torch.Tensor:
    loss = step(model, optimizer, batches, mesh)
    weight = model.head.weight.detach()
    model.average.mul_(0.5).add_(0.5 * (weight.full_tensor() if isinstance(weight, DTensor) else weight))
    return loss


def average_parts(model: Any, optimizer: Any, batches: Batches, mesh: DeviceMesh | None) -> torch.Tensor:
    loss = step(model, optimizer, batches, mesh)
    weight = part_of(model.head.weight.detach())
    model.average[: len(weight)].mul_(0.5).add_(0.5 * weight)
    return loss


# Steps that train nothing, or answer with something else.


def never_step(model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None) -> None:
    backward_of(model, batches, mesh, tokens_of(batches))
    optimizer.zero_grad()


def never_step_on_many(model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None) -> None:
    backward_of(model, batches, mesh, over_all_ranks(tokens_of(batches), mesh))
    if mesh is None:
        optimizer.step()
    optimizer.zero_grad()


def loss_of_the_rank(
    model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None
) -> torch.Tensor:
    step(model, optimizer, batches, mesh)
    return tokens_of(batches) / 2**8


def answer_with_a_model(
    model: nn.Module, optimizer: Any, batches: Batches, mesh: DeviceMesh | None
) -> nn.Module:
    step(model, optimizer, batches, mesh)
    return model


def muon(model: nn.Module) -> Any:
    """Muon for the matrices of blocks, AdamW for the embedding and the head."""
    blocks = [p for name, p in model.named_parameters() if "embed" not in name and "head" not in name]
    rest = [p for name, p in model.named_parameters() if "embed" in name or "head" in name]
    return Several([torch.optim.Muon(blocks, lr=1e-2), torch.optim.AdamW(rest, lr=1e-2)])


class Several:
    def __init__(self, optimizers: list[torch.optim.Optimizer]) -> None:
        self.optimizers = optimizers

    def step(self) -> None:
        for optimizer in self.optimizers:
            optimizer.step()

    def zero_grad(self) -> None:
        for optimizer in self.optimizers:
            optimizer.zero_grad()
