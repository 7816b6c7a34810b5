"""One step of a pipeline: the schedules of torch.distributed.pipelining over the stage that the transforms left."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe

from .arithmetic import Numerics
from .loss import summed_cross_entropy
from .transforms.subject import Subject

SCHEDULES = {"gpipe": ScheduleGPipe, "1f1b": Schedule1F1B}


def run_pipeline(
    subject: Subject,
    numerics: Numerics,
    tokens: torch.Tensor,
    labels: torch.Tensor,
    factor: float,
    microbatches: int,
    device: str,
    group: dist.ProcessGroup,
) -> torch.Tensor:
    """Forward and backward of all microbatches. The sum of losses on the last stage, 0 on the others."""
    plan = subject.pipeline
    assert plan is not None
    totals: list[torch.Tensor] = []

    def scaled_loss(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        total = summed_cross_entropy(numerics, logits, target)
        totals.append(total.detach())
        return total * factor

    stage = PipelineStage(subject.model, plan.stage, plan.stages, torch.device(device), group=group)
    # Gradients of microbatches are added up: the loss is divided by the tokens of the whole step already.
    schedule = SCHEDULES[plan.schedule](stage, microbatches, loss_fn=scaled_loss, scale_grads=False)
    inputs = (tokens,) if plan.stage == 0 else ()
    target = labels if plan.stage == plan.stages - 1 else None
    schedule.step(*inputs, target=target)
    # torch 2.15 also asks for the loss of an uninitialized output, before the first microbatch, to learn its shape.
    return sum(totals[-microbatches:], torch.zeros((), dtype=numerics.dtype, device=device))
