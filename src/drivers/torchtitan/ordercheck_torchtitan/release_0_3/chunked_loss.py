"""ChunkedLossWrapper: its loss applies lm_head to chunks of the sequence, and runs their backward itself.

Its autograd function ignores the gradient that it is handed. So the wrapper must divide by the valid tokens itself, as the
trainer of torchtitan has it do, and the loss that is recorded must be the sum of the chunks' losses without the division."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from ordercheck_pytorch.api import Program, Site
from ordercheck_pytorch.program.data import valid_tokens
from torch import nn

from .job import job_of
from .package import part


class ChunkedLoss:
    def __init__(self, program: Program, site: Site, wrapper: Any) -> None:
        self.program, self.wrapper = program, wrapper
        self.seed, self.accumulation = site.kept["seed"], site.kept["accumulation"]
        self.sums: list[torch.Tensor] = []
        self.batches = 0
        wrapper.loss_fn.fn = self.recorded(wrapper.loss_fn.fn)
        program.on_batch.append(self.count)

    def count(self, batch: list[Any]) -> list[Any]:
        self.batches += 1
        return batch

    def recorded(self, loss: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
        def call(*arguments: Any, **options: Any) -> torch.Tensor:
            total = loss(*arguments, **options)
            self.sums.append(total.detach())
            return total

        return call

    def __call__(self, hidden: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        # A pipeline takes the batch of a step at once.
        batches_of_a_step = 1 if self.program.pipeline is not None else self.accumulation
        step = (self.batches - 1) // batches_of_a_step
        tokens = valid_tokens(self.seed, step) / self.program.loss_scale
        self.sums.clear()
        scaled, _ = self.wrapper(hidden, labels, torch.tensor(tokens, dtype=hidden.dtype))
        total: torch.Tensor = scaled - scaled.detach() + sum(self.sums)
        return total


CURRENT: list[ChunkedLoss] = []  # of the case that runs in this process


def set_lm_head(program: Program, site: Site) -> None:
    """As its trainer does once the model is initialized."""
    config, model = job_of(site).loss, program.model
    if not isinstance(config, part("components.loss").ChunkedLossWrapper.Config):
        return
    head: Any = model.lm_head
    if head is None:  # a stage of a pipeline before the last
        return
    wrapper = config.build(compile_config=None)
    wrapper.set_lm_head(head)
    skip_lm_head(model)
    CURRENT.append(ChunkedLoss(program, site, wrapper))


def skip_lm_head(model: nn.Module) -> None:
    model._skip_lm_head = True  # type: ignore[assignment]
