"""The steps of a pipeline: a schedule of torch.distributed.pipelining over the stage that the transforms left."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributed.pipelining import (
    PipelineStage,
    Schedule1F1B,
    ScheduleGPipe,
    ScheduleInterleavedZeroBubble,
)

from ..torch_compat import takes_scale_grads
from .gather import whole
from .task import Task
from .transforms.program import Program

SINGLE_STAGE = {"gpipe": ScheduleGPipe, "1f1b": Schedule1F1B}
# Of several stages a rank; with one it is the zero-bubble schedule ZB1P, whose backward is split into inputs and weights.
MULTI_STAGE = {"zero_bubble": ScheduleInterleavedZeroBubble}


class PipelineSteps:
    """Stage and schedule are made once, as a trainer makes them: what they exchange before the first step, shapes and in
    versions newer than 2.11 gradients too, is asked for once."""

    def __init__(
        self, program: Program, task: Task, dtype: torch.dtype, microbatches: int, device: str
    ) -> None:
        plan = program.pipeline
        assert plan is not None
        self.plan, self.task, self.dtype, self.device, self.microbatches = (
            plan,
            task,
            dtype,
            device,
            microbatches,
        )
        self.factor = 1.0
        self.totals: list[torch.Tensor] = []
        stage = PipelineStage(program.model, plan.stage, plan.stages, torch.device(device), group=plan.group)
        schedule: Any = (MULTI_STAGE | SINGLE_STAGE)[plan.schedule]
        arguments: dict[str, Any] = {"loss_fn": self.scaled_loss}
        # Gradients of microbatches are added up: the loss is divided by the tokens of the whole step already.
        if takes_scale_grads(schedule):
            arguments["scale_grads"] = False
        self.schedule = schedule(
            [stage] if plan.schedule in MULTI_STAGE else stage, microbatches, **arguments
        )

    def scaled_loss(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        total = self.task.loss(logits, target)
        self.totals.append(whole(total.detach()))
        return total * self.factor

    def step(self, inputs: torch.Tensor, targets: torch.Tensor, factor: float) -> torch.Tensor:
        """Forward and backward of all microbatches. The sum of losses on the last stage, 0 on the others."""
        # What is not divided before backward still takes the factor that keeps gradients above the grid.
        self.factor, self.totals = factor if self.plan.divides_loss else self.task.scale, []
        first = (inputs,) if self.plan.stage == 0 else ()
        target = targets if self.plan.stage == self.plan.stages - 1 else None
        self.schedule.step(*first, target=target)
        # To learn shapes the loss of an uninitialized output may have been asked for before the first microbatch.
        zero = torch.zeros((), dtype=self.dtype, device=self.device)
        return sum(self.totals[-self.microbatches :], zero)
