"""Whole parameters and gradients of ZeRO, which keeps both in partitions of its own, for the comparison with one rank."""

from __future__ import annotations

import io
import uuid
from importlib import import_module
from typing import Any

import torch
import torch.distributed as dist
from ordercheck_pytorch.api import Program
from torch import nn


class Exchange:
    """Hands tensors to the other data-parallel ranks through the store: collectives would be counted as ZeRO's."""

    def __init__(self, group: dist.ProcessGroup) -> None:
        self.ranks = dist.get_process_group_ranks(group)
        names = [uuid.uuid4().hex]
        dist.broadcast_object_list(names, src=0)  # no key of an earlier case has this name
        self.name, self.count = names[0], 0

    def of_all(self, parts: list[Any]) -> list[list[Any]]:
        """The list of each rank, in rank order."""
        self.count += 1
        store: Any = dist.distributed_c10d._get_default_store()
        written = io.BytesIO()
        torch.save(parts, written)
        store.set(f"{self.name}/{self.count}/{dist.get_rank()}", written.getvalue())
        read = [store.get(f"{self.name}/{self.count}/{rank}") for rank in self.ranks]
        return [torch.load(io.BytesIO(each)) for each in read]


class StepsOfEngine:
    """What the trainer has as its optimizer. It reads `param_groups` after the last backward of a step, and then unscales and
    compares what these have as `grad`."""

    def __init__(self, engine: Any, program: Program, steps: int) -> None:
        self.engine, self.program, self.steps_left = engine, program, steps
        self.stage = engine.zero_optimization_stage()
        self.parameters: list[Any] = list(engine.module.parameters())
        self.exchange = Exchange(engine.optimizer.dp_process_group) if self.stage > 0 else None
        self.freed: list[torch.Tensor] = []  # what ZeRO-3 left of each parameter
        self.are_shown = False

    @property
    def param_groups(self) -> list[dict[str, list[nn.Parameter]]]:
        if self.exchange and not self.are_shown:
            self.show(self.exchange)
        return [{"params": self.parameters}]

    def show(self, exchange: Exchange) -> None:
        """Gradients are copies, which the trainer unscales. ZeRO's own are unscaled here, as torch.amp.GradScaler does it."""
        self.are_shown = True
        gradients = self.whole_gradients(exchange)
        self.show_parameters(exchange)
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            parameter.grad = gradient.view_as(parameter)
        factor = self.program.gradient_factor / self.program.loss_scale
        for group in self.engine.optimizer.averaged_gradients.values():
            for gradient in group or ():
                gradient.mul_(factor)

    def show_parameters(self, exchange: Exchange) -> None:
        if self.stage < 3:
            return
        self.freed = [parameter.data for parameter in self.parameters]
        parts = exchange.of_all([parameter.ds_tensor.data for parameter in self.parameters])
        for parameter, *shards in zip(self.parameters, *parts, strict=True):
            parameter.data = joined(parameter, shards)

    def whole_gradients(self, exchange: Exchange) -> list[torch.Tensor]:
        if self.stage == 3:
            local = import_module("deepspeed.utils").safe_get_local_grad
            parts = exchange.of_all([local(parameter) for parameter in self.parameters])
            return [joined(p, list(shards)) for p, *shards in zip(self.parameters, *parts, strict=True)]
        parts = exchange.of_all([own_fragment(parameter) for parameter in self.parameters])
        # Copied, not added up: exact kernels round sums.
        return [
            put_together(p, list(fragments)) for p, *fragments in zip(self.parameters, *parts, strict=True)
        ]

    def step(self) -> None:
        if self.exchange:
            self.are_shown = False
            for parameter in self.parameters:
                parameter.grad = None
            for parameter, freed in zip(self.parameters, self.freed, strict=False):
                parameter.data = freed
        self.engine.step()
        self.steps_left -= 1

    def zero_grad(self, set_to_none: bool = True) -> None:
        """After the last step the trainer compares parameters, which it reads from the model."""
        if self.steps_left == 0 and self.exchange:
            self.show_parameters(self.exchange)


def joined(parameter: Any, shards: list[torch.Tensor]) -> torch.Tensor:
    """Of flat shards, the last of which may be padded."""
    return torch.cat([shard.flatten() for shard in shards])[: parameter.ds_numel].view(parameter.ds_shape)


Fragment = tuple[int, torch.Tensor]  # where in the flat parameter it starts


def own_fragment(parameter: Any) -> Fragment:
    """The part of its gradient that this rank keeps, as get_full_hp_grad of DeepSpeed finds it."""
    if parameter._hp_mapping is None:
        return 0, torch.empty(0)
    gradient = parameter._hp_mapping.get_lp_grad_fragment(parameter._index_in_param_group)
    return parameter._hp_mapping.lp_fragment_address.start, gradient.flatten()


def put_together(parameter: Any, fragments: list[Fragment]) -> torch.Tensor:
    whole = torch.empty_like(parameter).flatten()
    for start, fragment in fragments:
        whole[start : start + len(fragment)] = fragment
    return whole
